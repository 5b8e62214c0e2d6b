"""The digest of a session's part: found by rules in its conversation, without a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.agents import readings
from entire.model.digests import FailureDigest, FileDigest, PartDigest
from entire.model.transcripts import Edit, ToolCall
from entire.model.value import replace
from entire.model.views.checkpoints import (
    CheckpointView,
    FileView,
    MessageView,
    PartView,
    PromptView,
    RangeView,
    RemovedView,
)
from entire.summaries import digest

FIXTURES = Path(__file__).parents[2] / "fixtures"
TRANSCRIPTS = sorted(
    path
    for folder in ("conversations", "claude_code/transcripts", "gemini/transcripts")
    for path in (FIXTURES / folder).rglob("*.json*")
    if not path.name.endswith(".meta.json")
)


def part(*prompts: str, files: tuple[str, ...] = (), start: int = 0) -> PartView:
    views = tuple(PromptView(text=text, position=number) for number, text in enumerate(prompts))
    return PartView(slot=0, session_id="s1", agent="Bare", created=0.0, prompts=views, files=files, start=start)


def checkpoint(one: PartView, *lines: FileView) -> CheckpointView:
    return CheckpointView(id="0" * 12, strategy="manual-commit", branch="main", created=0.0, files=one.files,
                          tokens=None, parts=(one,), lines=lines or None)  # fmt: skip


def said(*calls: ToolCall | str) -> list[MessageView]:
    return [
        MessageView(who="user", text=call, at=at)
        if isinstance(call, str)
        else MessageView(who="tool", text=call.command, at=at, call=call)
        for at, call in enumerate(calls)
    ]


def ran(command: str, output: str = "", *, fails: bool = False) -> ToolCall:
    return ToolCall(command=command, output=output, has_failed=fails)


def wrote(path: str, new: str) -> ToolCall:
    return ToolCall(edits=(Edit(path=path, new=new, is_whole=True),), output="ok")


def edited(path: str, old: str, new: str) -> ToolCall:
    return ToolCall(edits=(Edit(path=path, old=old, new=new),), output="ok")


def of(*calls: ToolCall | str, files: tuple[str, ...] = (), committed: digest.Committed = digest.NOTHING) -> PartDigest:
    one = part("Do it well", files=files)
    return digest.of_part(checkpoint(one), one, said(*calls), lambda _: committed)


# ---------------------------------------------------------------- intent


def test_the_first_prompt_that_says_something_is_the_intent() -> None:
    one = part("yes, continue", "Add a greeting", "Greet in French instead")
    found = digest.of_part(checkpoint(one), one, ())
    assert (found.intent, found.later_prompts, found.prompts) == ("Add a greeting", ("Greet in French instead",), 3)


def test_a_part_that_only_goes_on_has_the_earlier_intent() -> None:
    one = part("ok, go on", start=2)
    found = digest.of_part(checkpoint(one), one, said("Add a greeting", "Thanks!"))
    assert (found.intent, found.later_prompts) == ("Add a greeting", ("ok, go on",))


def test_without_prompts_nothing_is_said() -> None:
    one = part()
    assert digest.of_part(checkpoint(one), one, ()) == PartDigest(session_id="s1", agent="Bare")


# ---------------------------------------------------------------- files


def test_files_have_the_commits_figures_and_the_tools_edits() -> None:
    one = part("Do it well", files=("src/a.py", "gone.txt"))
    lines = (
        FileView(path="src/a.py", status="M", added=(RangeView(first=1, last=3, session_id="s1", turn="t"),
                 RangeView(first=9, last=9)), removed=(RemovedView(count=2),)),
        FileView(path="gone.txt", status="D", removed=(RemovedView(count=4, session_id="s1", turn="t"),)),
    )  # fmt: skip
    calls = said(edited("/elsewhere/repo/src/a.py", "1", "2"), edited("src/a.py", "2", "3"))
    found = digest.of_part(checkpoint(one, *lines), one, calls)
    assert found.files == (
        FileDigest(path="src/a.py", status="M", added=4, removed=2, by_session=3, edits=2),
        FileDigest(path="gone.txt", status="D", added=0, removed=4, by_session=0),
    )


def test_without_a_record_of_lines_the_figures_are_unknown() -> None:
    assert of(wrote("a.py", "1\n"), files=("a.py",)).files == (FileDigest(path="a.py", edits=1),)


# ---------------------------------------------------------------- failures


def test_a_failed_command_and_the_files_that_fixed_it() -> None:
    found = of(
        wrote("a.py", "x = 1\n"),
        ran("cd src && pytest -q 2>&1 | tail -5", "Exit code 1\n\nE   NameError: no y\n1 failed in 0.1s", fails=True),
        edited("/r/src/b.py", "y", "x"),
        ran("ls"),
        ran("FOO=1 pytest -q", "1 failed in 0.1s"),
        edited("a.py", "x", "y"),
        ran("pytest -q", "3 passed in 0.1s"),
        files=("src/b.py",),
    )  # fmt: skip
    assert found.failures == (
        FailureDigest(command="cd src && pytest -q 2>&1 | tail -5", at=1, times=2, is_fixed=True,
                      error="E NameError: no y", files=("src/b.py", "a.py")),
    )  # fmt: skip
    results = [(run.result, run.passed, run.failed) for run in found.tests]
    assert results == [("failed", None, 1), ("failed", None, 1), ("passed", 3, None)]


def test_a_command_may_be_what_fixed_it() -> None:
    found = of(ran("npm test", "Error: Cannot find module 'left-pad'", fails=True), ran("cat package.json", "{}"),
               ran("npm install", "added 1 package"), ran("npm test", "ok"))  # fmt: skip
    (failure,) = found.failures
    assert (failure.is_fixed, failure.files, failure.commands) == (True, (), ("npm install",))


def test_another_command_fixes_nothing() -> None:
    (failure,) = of(ran("make lint", "lint: error: bad", fails=True), edited("a", "1", "2"), ran("make build")).failures
    assert (failure.is_fixed, failure.error, failure.files) == (False, "lint: error: bad", ())


def test_a_failure_after_the_fix_is_another() -> None:
    found = of(ran("make", "no", fails=True), ran("make", "ok"), ran("make", "fatal: again", fails=True)).failures
    assert [(failure.at, failure.is_fixed, failure.error) for failure in found] == [
        (0, True, "no"), (2, False, "fatal: again"),
    ]  # fmt: skip


def test_a_search_that_finds_nothing_is_no_failure() -> None:
    assert of(ran("grep -rn nothing .", "", fails=True), ran("git diff --quiet", "", fails=True)).failures == ()
    (failure,) = of(ran("cat x", "cat: x: No such file or directory", fails=True)).failures
    assert failure.error == "cat: x: No such file or directory"


def test_what_a_failed_tool_was_asked_to_write_is_not_counted() -> None:
    call = ToolCall(edits=(Edit(path="a.py", old="1", new="2"),), output="no match", has_failed=True)
    found = of(call, files=("a.py",), committed={"a.py": "other\n"})
    assert (found.files[0].edits, found.attempts) == (0, ())


def test_a_command_that_failed_reverted_nothing() -> None:
    assert of(wrote("a.py", "one\n"), ran("git checkout -- a.py", "fatal: no", fails=True)).attempts == ()


def test_earlier_parts_are_not_repeated() -> None:
    one = part("Go further", start=1)
    calls = said(ran("make", "fatal: no", fails=True), ran("make", "ok"))
    assert digest.of_part(checkpoint(one), one, calls).failures == ()


# ---------------------------------------------------------------- captured transcripts


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_captured_transcript_has_a_digest(path: Path) -> None:
    messages = [MessageView(**message.__dict__) for message in readings.messages(None, path.read_bytes())]
    prompts = [message for message in messages if message.who == "user"]
    one = replace(part(), prompts=tuple(PromptView(text=one.text, position=one.at) for one in prompts))
    found = digest.of_part(checkpoint(one), one, messages)
    assert found.prompts == len(prompts)
    assert bool(found.intent) == bool(prompts)
    failed = [message.call for message in messages if message.call and message.call.has_failed and message.call.command]
    assert sum(failure.times for failure in found.failures) == len(failed)
    assert digest.of_part(checkpoint(one), one, messages) == found


def test_the_transcripts_are_found() -> None:
    assert len(TRANSCRIPTS) > 40


# ---------------------------------------------------------------- properties

WORDS = st.sampled_from(["alpha", "beta", "gamma", "x = 1", "}", "", "  delta  ", "日本", "\x1b[31mred"])
TEXTS = st.lists(WORDS, max_size=4).map("\n".join)
PATHS = st.sampled_from(["a.py", "src/b.py", "/abs/repo/a.py", "../out", ""])
CALLS = st.one_of(
    st.builds(wrote, PATHS, TEXTS),
    st.builds(edited, PATHS, TEXTS, TEXTS),
    st.builds(lambda command, output, fails: ran(command, output, fails=fails),
              st.sampled_from(["pytest", "pytest -q | tail", "git checkout .", "rm a.py", "make test", "", "'", "a && b"
                               ]) | st.text(max_size=20),
              TEXTS | st.text(max_size=40), st.booleans()),
)  # fmt: skip


@given(st.lists(CALLS, max_size=12), st.dictionaries(PATHS, st.none() | TEXTS))
def test_a_digest_says_nothing_that_did_not_happen(calls: list[ToolCall], committed: dict[str, str | None]) -> None:
    found = of(*calls, files=("a.py", "src/b.py"), committed=committed)
    assert found == of(*calls, files=("a.py", "src/b.py"), committed=committed)
    failed = [call for call in calls if call.has_failed and call.command.strip()]
    tests = [run for run in found.tests if run.result == "failed"]
    assert sum(failure.times for failure in found.failures) <= len(failed) + len(tests)
    for failure in found.failures:
        assert not failure.files or failure.is_fixed
        assert not (failure.files and failure.commands)
    lines = [line.strip() for call in calls for edit in call.edits for line in edit.new.splitlines()]
    for attempt in found.attempts:
        assert attempt.lines >= 1
        assert attempt.text
        if attempt.fate == "not in the commit":
            assert attempt.path in committed
    assert sum(attempt.lines for attempt in found.attempts) <= max(1, len(lines)) * max(1, len(calls))


@given(st.text(max_size=60))
def test_any_command_and_output_can_be_read(text: str) -> None:
    of(ran(text, text, fails=True), ran(text, text), wrote(text, text), edited(text, text, text[::-1]))


@given(st.lists(st.sampled_from(["one", "two", "three", "four"]), max_size=5, unique=True), st.data())
def test_what_the_commit_has_was_not_taken_back(lines: list[str], data: st.DataObject) -> None:
    """However the session came there: of the lines that its last whole write left, none is said to be lost."""
    drafts = data.draw(st.lists(st.permutations(["one", "two", "three", "four"]), max_size=3))
    final = "".join(line + "\n" for line in lines)
    calls = [*(wrote("a.py", "\n".join(draft)) for draft in drafts), wrote("a.py", final)]
    found = of(*calls, committed={"a.py": final})
    assert not {attempt.text for attempt in found.attempts} & set(lines)
