"""The digest of a checkpoint, from sessions that were really recorded: shown by ``explain`` where no summary is."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from entire import Workspace
from entire.model.digests import AttemptDigest, FailureDigest, FileDigest, TestRunDigest
from tests import golden
from tests.integration.commandline import Repo
from tests.integration.story import Session, Story


def run(session: Session, command: str, output: str, *, fails: bool = False) -> None:
    """Let the agent run a command in its shell."""
    tool_id = f"toolu_{uuid.uuid4().hex[:20]}"
    session.answer({"type": "tool_use", "id": tool_id, "name": "Bash", "input": {"command": command}})
    result = {"tool_use_id": tool_id, "type": "tool_result", "content": output, "is_error": fails}
    session.record("user", message={"role": "user", "content": [result]})


@pytest.fixture
def worked(story: Story, monkeypatch: pytest.MonkeyPatch) -> Story:
    """A session that tried, failed, fixed, took back and committed only a part."""
    monkeypatch.chdir(story.root)
    session = story.started()
    with session.turn("Add a greeting"):
        session.write("src/hello.py", "def hello():\n    return 'helo'\n")
        session.write("scratch.txt", "only notes\n")
        run(
            session,
            "cd src && python -m pytest -q 2>&1 | tail -3",
            "E   AssertionError: helo\n1 failed in 0.1s",
            fails=True,
        )
        session.edit("src/hello.py", "helo", "hello")
        run(session, "pytest -q", "2 passed in 0.1s")
    with session.turn("And now say it in French"):
        session.write("french.py", "bonjour\n")
        run(session, "rm french.py", "")
        story.path("french.py").unlink()
    story.git("add", "src")
    story.commit("Add a greeting", add=False)
    return story


def test_what_was_asked_and_how_it_went(worked: Story) -> None:
    (found,) = Workspace.find().checkpoints.digest(worked.ids()[0]).parts
    assert (found.intent, found.later_prompts, found.prompts) == ("Add a greeting", ("And now say it in French",), 2)
    assert found.files == (FileDigest(path="src/hello.py", status="A", added=2, removed=0, by_session=2, edits=2),)
    (failure,) = found.failures
    assert failure == FailureDigest(
        command="cd src && python -m pytest -q 2>&1 | tail -3", at=failure.at, error="E AssertionError: helo",
        is_fixed=True, files=("src/hello.py",),
    )  # fmt: skip
    assert [(test.runner, test.result, test.passed, test.failed) for test in found.tests] == [
        ("pytest", "failed", None, 1),
        ("pytest", "passed", 2, None),
    ]
    assert [(tried.path, tried.fate, tried.text, tried.instead) for tried in found.attempts] == [
        ("src/hello.py", "replaced", "return 'helo'", "return 'hello'"),
        ("scratch.txt", "not in the commit", "only notes", ""),
        ("french.py", "reverted", "bonjour", ""),
    ]


def test_explain_shows_it_where_no_summary_is(worked: Story, capsys: pytest.CaptureFixture[str]) -> None:
    repo = Repo(worked.root, capsys)
    shown = repo.ok("explain", "HEAD")
    assert (
        """\
  Changed     src/hello.py (added, +2 -0)
  Failed      cd src && python -m pytest -q 2>&1 | tail -3: E AssertionError: helo; fixed in src/hello.py
  Tests       cd src && python -m pytest -q 2>&1 | tail -3: failed (1 failed)
              pytest -q: passed (2 passed)
  Taken back  src/hello.py: return 'helo', replaced by return 'hello'
              scratch.txt: only notes, not in the commit
              french.py: bonjour, reverted
"""
        in shown
    )
    assert "  Intent  Add a greeting\n" in repo.ok("explain", "--short", "HEAD")
    (part,) = repo.json("explain", "HEAD")["checkpoints"][0]["parts"]
    assert part["digest"]["failures"][0]["files"] == ["src/hello.py"]
    assert part["digest"]["tests"][1]["passed"] == 2
    assert repo.json("explain", worked.ids()[0])["parts"][0]["digest"] == part["digest"]


def test_a_written_summary_is_shown_instead(worked: Story, capsys: pytest.CaptureFixture[str]) -> None:
    repo = Repo(worked.root, capsys)
    path = f"{worked.ids()[0].path}/0/metadata.json"
    repo.put(path, worked.show(path).replace('"strategy"', '"summary": {"intent": "Greet"},\n  "strategy"', 1))
    shown = repo.ok("explain", "HEAD")
    assert "Intent  Greet\n" in shown
    assert "Taken back" not in shown
    assert repo.json("explain", "HEAD")["checkpoints"][0]["parts"][0]["digest"]["intent"] == "Add a greeting"


def test_secrets_are_in_no_digest(
    story: Story, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(story.root)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    session = story.started()
    with session.turn(f"Use the token {secret}"):
        session.write("a.py", "1\n")
        run(session, f"TOKEN={secret} make", f"fatal: {secret} is wrong", fails=True)
        session.write("b.py", f"token = '{secret}'\n")
        session.write("b.py", "token = env\n")
    story.commit("Add a")
    repo = Repo(story.root, capsys)
    for words in (["explain", "HEAD"], ["explain", "HEAD", "--json"], ["explain", "HEAD", "--short"]):
        assert secret not in repo.ok(*words)


def test_an_amended_commit_decides_what_is_in_it(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(story.root)
    session = story.started()
    with session.turn("Write"):
        session.write("a.py", "one\ntwo\n")
    story.commit("Add a")
    assert Workspace.find().checkpoints.digest(story.ids()[0]).parts[0].attempts == ()
    story.write("a.py", "one\n")
    story.git("commit", "-q", "-a", "--amend", "--no-edit")
    (tried,) = Workspace.find().checkpoints.digest(story.ids()[0]).parts[0].attempts
    assert tried == AttemptDigest(path="a.py", at=tried.at, fate="not in the commit", text="two")


def test_what_a_turn_writes_after_its_commit_was_not_taken_back(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(story.root)
    session = story.started()
    with session.turn("Write two files"):
        session.write("one.txt", "the first file\n")
        session.commit("One")
        session.write("two.txt", "the second file\n")
        session.edit("one.txt", "first", "very first")
    (found,) = Workspace.find().checkpoints.digest(story.ids()[0]).parts
    assert found.attempts == ()


def test_formatted_lines_are_in_the_commit(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(story.root)
    story.write(".gitattributes", "* text=auto eol=crlf\n")
    story.commit("Attributes")
    session = story.started()
    with session.turn("Write"):
        session.write("a.py", "one = 'x'\r\ntwo\r\n")
    story.write("a.py", 'one = "x"\r\n    two\r\n')
    story.commit("Add a")
    assert Workspace.find().checkpoints.digest(story.ids()[0]).parts[0].attempts == ()


@pytest.mark.parametrize("stage", golden.STAGES)
def test_every_checkpoint_that_the_go_cli_wrote_has_one(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for top in golden.repositories(golden.unpack(stage, tmp_path)):
        monkeypatch.chdir(top)
        workspace = Workspace.find(top)
        for name in workspace.checkpoints.ids():
            view = workspace.checkpoints.find(name)
            found = workspace.checkpoints.digest(view)
            assert [part.session_id for part in found.parts] == [part.session_id for part in view.parts]
            for part, of in zip(found.parts, view.parts, strict=True):
                assert bool(part.intent) == bool(of.prompts)
                assert [file.path for file in part.files] == list(of.files)
                assert all(isinstance(test, TestRunDigest) for test in part.tests)
