"""How a digest is drawn."""

from __future__ import annotations

from entire.model.digests import AttemptDigest, FailureDigest, FileDigest, PartDigest, TestRunDigest
from entire.model.value import replace
from entire.model.views.checkpoints import PartView, PromptView
from entire.ui.screens import digests

DIGEST = PartDigest(
    session_id="s1",
    intent="Greet",
    files=(
        FileDigest(path="a.py", status="M", added=1200, removed=3, by_session=1000),
        FileDigest(path="gone", status="D", added=0, removed=0, by_session=0),
        FileDigest(path="unknown.py"),
    ),
    failures=(
        FailureDigest(command="make", at=1, error="fatal: no", times=2, is_fixed=True, files=("a", "b", "c", "d")),
        FailureDigest(command="npm test", at=2, is_fixed=True, commands=("npm install",)),
        FailureDigest(command="lint", at=3, is_fixed=True),
        FailureDigest(command="build", at=4),
    ),
    tests=(
        TestRunDigest(command="pytest", at=1, result="passed", passed=1234, failed=0, skipped=2),
        TestRunDigest(command="go test", at=2),
    ),
    attempts=(
        AttemptDigest(path="a.py", at=1, fate="removed", text="debug()", lines=3),
        AttemptDigest(path="b\x1b[31m.py", at=2, fate="replaced", text="x\ny", instead="z"),
    ),
)
PART = PartView(slot=0, session_id="s1", agent="Bare", created=0.0, digest=DIGEST)


def test_every_row() -> None:
    assert list(digests.rows(PART)) == [
        ("Intent", "Greet"),
        ("Changed", "a.py (changed, +1,200 -3, 1,000 by this session)"),
        ("", "gone (deleted)"),
        ("Failed", "make (2 times): fatal: no; fixed in a, b, c and 1 more"),
        ("", "npm test; fixed by npm install"),
        ("", "lint; worked later"),
        ("", "build; not fixed"),
        ("Tests", "pytest: passed (1,234 passed, 2 skipped)"),
        ("", "go test: result not recorded"),
        ("Taken back", "a.py: debug() and 2 more lines, removed"),
        ("", "b^[[31m.py: x y, replaced by z"),
    ]


def test_a_prompt_that_the_page_shows_is_not_repeated() -> None:
    part = replace(PART, prompts=(PromptView(text="Greet\n"),), digest=PartDigest(session_id="s1", intent="Greet"))
    assert list(digests.rows(part)) == []
    assert list(digests.rows(part, short=True)) == [("Intent", "Greet")]


def test_long_lists_are_cut() -> None:
    tests = tuple(TestRunDigest(command=f"pytest {number}", at=number) for number in range(8))
    rows = list(digests.rows(replace(PART, digest=PartDigest(session_id="s1", tests=tests))))
    assert rows[-1] == ("", "and 3 more")
    assert len(rows) == 6


def test_without_a_digest_there_are_no_rows() -> None:
    assert list(digests.rows(replace(PART, digest=None))) == []
