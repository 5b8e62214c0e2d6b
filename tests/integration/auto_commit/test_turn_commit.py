"""The auto-commit strategy: what a turn changed is committed when it ends, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration import turn_commits
from tests.integration.story import Session, Story
from tests.integration.turn_commits import committing, hook, left_behind, status, subjects, uncommitted

story, session = turn_commits.story, turn_commits.session


def test_a_turn_becomes_a_commit_with_its_checkpoint(story: Story, session: Session) -> None:
    with session.turn("please create greeting file"):
        session.write("hello.py", "print('hello')\n")
        with session.shell("touch more"):
            story.write("more.txt", "more\n")

    assert subjects(story) == ["Create greeting file", "Enable entire", "init"]
    (checkpoint,) = story.ids()
    assert story.git("log", "-1", "--format=%B").rstrip() == f"Create greeting file\n\nEntire-Checkpoint: {checkpoint}"
    assert story.git("show", "--name-only", "--format=").split() == ["hello.py", "more.txt"]
    assert status(story) == ""
    found = story.linked()
    assert found["strategy"] == "auto-commit"
    assert found["files_touched"] == ["hello.py", "more.txt"]
    assert story.git("for-each-ref", "refs/heads/entire").count("\n") == 1, "the step is condensed"
    assert "Ephemeral-branch" not in story.git("log", "-1", "--format=%B", "entire/checkpoints/v1")
    assert story.git("log", "-g", "-1", "--format=%gs").strip() == "commit: Create greeting file"
    assert story.log_errors() == []


def test_every_token_is_counted_once(story: Story, session: Session) -> None:
    with session.turn("one"):
        session.write("a.txt", "a\n")
    with session.turn("two"):
        session.write("b.txt", "b\n")
        session.commit("By the agent")
        session.write("c.txt", "c\n")
    tokens = [story.linked(commit)["token_usage"]["input_tokens"] for commit in ("HEAD~2", "HEAD~1", "HEAD")]
    assert subjects(story)[:3] == ["Two", "By the agent", "One"]
    assert sum(tokens) == 2**session.answers - 1
    assert tokens == [0b11, 0b1100, 0b110000]


def test_a_turn_that_the_agent_committed_gets_no_second_commit(story: Story, session: Session) -> None:
    with session.turn("one"):
        session.write("a.txt", "a\n")
        session.commit("By the agent")
    assert subjects(story) == ["By the agent", "Enable entire", "init"]


def test_what_a_person_staged_and_typed_stays(story: Story, session: Session) -> None:
    story.write("staged.txt", "staged\n")
    story.git("add", "staged.txt")
    story.write("staged.txt", "typed\n")
    story.write("README.md", "typed\n")
    with session.turn("one"):
        session.write("a.txt", "a\n")
    assert story.git("show", "--name-only", "--format=").split() == ["a.txt"]
    assert status(story) == " M README.md\nAM staged.txt\n"
    assert story.git("show", ":staged.txt") == "staged\n"


def test_a_file_that_was_staged_stays_staged_and_uncommitted(story: Story, session: Session) -> None:
    story.write("README.md", "staged\n")
    story.git("add", "README.md")
    with session.turn("one"):
        session.write("README.md", "staged\nagent\n")
        session.write("a.txt", "a\n")
    assert story.git("show", "--name-only", "--format=").split() == ["a.txt"]
    assert story.git("show", ":README.md") == "staged\n"
    assert "README.md (it was staged before the turn)" in uncommitted(session)
    steps = story.git("for-each-ref", "--format=%(refname:short)", "refs/heads/entire").split()
    (shadow,) = [name for name in steps if name != "entire/checkpoints/v1"]
    assert story.git("show", f"{shadow}:README.md") == "staged\nagent\n"


@pytest.mark.parametrize("mark", ["MERGE_HEAD", "rebase-merge", "CHERRY_PICK_HEAD", "BISECT_LOG", "index.lock"])
def test_nothing_is_committed_while_git_is_in_the_middle_of_something(
    story: Story, session: Session, mark: str
) -> None:
    marked = story.root / ".git" / mark
    before = story.head()
    session.prompt("one")
    session.write("a.txt", "a\n")
    if mark == "rebase-merge":
        marked.mkdir()
    else:
        marked.write_text(f"{before}\n")
    session.stop()
    assert story.head() == before
    assert uncommitted(session)
    marked.rmdir() if mark == "rebase-merge" else marked.unlink()
    with session.turn("two"):
        session.write("b.txt", "b\n")
    assert story.git("show", "--name-only", "--format=").split() == ["a.txt", "b.txt"]
    assert uncommitted(session) == ""


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo too long >&2; exit 1", "the pre-commit hook failed: too long"),
        ("echo more >>a.txt; git add a.txt", "the pre-commit hook changes what is committed"),
        ("echo more >>a.txt", "a.txt was changed while the pre-commit hook ran"),
    ],
)
def test_a_hook_that_fails_or_changes_files_keeps_the_turn_as_a_step(
    story: Story, session: Session, script: str, reason: str
) -> None:
    hook(story, "pre-commit", script)
    before = story.head()
    index = (story.root / ".git/index").read_bytes()
    with session.turn("one"):
        session.write("a.txt", "a\n")
    assert story.head() == before
    assert uncommitted(session) == reason
    assert (story.root / ".git/index").read_bytes() == index
    assert left_behind(story) == []


def test_on_a_detached_head_the_user_is_told(
    story: Story, session: Session, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    story.git("checkout", "-q", "--detach")
    with session.turn("one"):
        session.write("a.txt", "a\n")
    assert subjects(story)[0] == "One"
    assert b"detached HEAD" in capsysbinary.readouterr().out


def test_the_first_commit(tmp_path: Path) -> None:
    story = committing(tmp_path / "repo", first_commit=False)
    session = story.started()
    with session.turn("one"):
        session.write("a.txt", "a\n")
    assert subjects(story) == ["One"]
    assert story.git("show", "--name-only", "--format=").split() == ["a.txt"]
    assert story.linked()["files_touched"] == ["a.txt"]
