"""What a rewind leaves alone: each guard that protects people's files has a test that fails without it."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest

from entire.errors import EntireError
from entire.model.requests import RewindRequest
from entire.rewind import plan
from entire.store import sessions
from entire.undo import backups, transaction
from entire.workspace import Workspace
from tests.integration.rewinding import points, rewind, undo
from tests.integration.story import Session, Story


@pytest.fixture
def a(story: Story, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(story.projects))
    return story.started()


def left(view: Any) -> dict[str, str]:
    return {entry.path: entry.reason for entry in view.left}


def place(story: Story) -> Any:
    return Workspace.find(story.root).place


# ---------------------------------------------------------------- files that stay


def test_a_file_that_existed_when_a_session_started(story: Story, a: Session) -> None:
    """The journal is lost: only what the next session found on its start says that the file is not its own."""
    with a.turn("First"):
        a.write("a.txt", "one\n")
    first = points(story)[0]
    for name in ("journal.json", "snapshot.json"):
        story.path(f".git/entire/{name}").unlink()
    story.write("mine.txt", "mine\n")
    b = story.started()
    with b.turn("Second"):
        b.write("mine.txt", "mine\nand yours\n")
        b.write("b.txt", "b\n")
    view = rewind(story, first)
    assert left(view) == {"mine.txt": "it existed when a session started"}
    assert story.read("mine.txt") == "mine\nand yours\n"
    assert not story.path("b.txt").exists()


def test_a_file_that_was_too_large_for_a_while(story: Story, a: Session) -> None:
    """The point lacks it, and the agent that made it small enough seems to have created it."""
    story.write(".entire/entire.json", '{"max_untracked_bytes": 1000}')
    story.write("data.csv", "x" * 1001)
    with a.turn("First"):
        a.write("a.txt", "one\n")
    with a.turn("Second"):
        a.write("data.csv", "small\n")
        a.write("b.txt", "b\n")
    view = rewind(story, points(story)[-1])
    assert left(view) == {"data.csv": "it was too large to be tracked for a while"}
    assert story.read("data.csv") == "small\n"
    assert not story.path("b.txt").exists()


def test_a_file_of_a_commit_on_another_branch(story: Story, a: Session) -> None:
    """HEAD lacks it, but reaches a commit that has it."""
    with a.turn("First"):
        a.write("a.txt", "one\n")
    first = points(story)[0]
    story.commit("One")
    story.git("checkout", "-q", "-b", "other")
    with a.turn("On the other branch"):
        a.write("x.txt", "x\n")
    story.commit("Other")
    story.git("checkout", "-q", "main")
    story.git("merge", "-q", "-s", "ours", "--no-edit", "other")
    with a.turn("Take it from there"), a.shell():
        story.write("x.txt", story.git("show", "other:x.txt"))
        story.write("b.txt", "b\n")
    view = rewind(story, first)
    assert left(view) == {"x.txt": "a commit contains it"}
    assert story.read("x.txt") == "x\n"
    assert not story.path("b.txt").exists()


def test_a_file_of_an_older_commit(story: Story, a: Session) -> None:
    """The branch of the point lacks it, and the present one has it from a commit before the point."""
    story.git("checkout", "-q", "-b", "other")
    with a.turn("On the other branch"):
        a.write("x.txt", "x\n")
        a.write("b.txt", "one\n")
    story.commit("Other", env={"GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z"})
    story.git("checkout", "-q", "main")
    with a.turn("First"):
        a.write("b.txt", "two\n")
    first = points(story)[0]
    story.path("b.txt").unlink()
    story.git("checkout", "-q", "other")
    view = rewind(story, first)
    assert left(view) == {"x.txt": "a commit contains it"}
    assert (story.read("x.txt"), story.read("b.txt")) == ("x\n", "two\n")


def test_a_file_that_git_ignores_now(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("a.log", "one\n")
        a.write("b.txt", "one\n")
    with a.turn("Second"):
        a.write("b.txt", "two\n")
    story.write(".git/info/exclude", "*.log\n")
    story.write("a.log", "mine\n")
    view = rewind(story, points(story)[-1])
    assert left(view) == {"a.log": "git ignores it"}
    assert (story.read("a.log"), story.read("b.txt")) == ("mine\n", "one\n")


def test_the_agents_own_folder(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write(".claude/commands/fix.md", "one\n")
        a.write("a.txt", "one\n")
    with a.turn("Second"):
        a.write(".claude/commands/fix.md", "two\n")
        a.write(".claude/commands/new.md", "new\n")
        a.write("a.txt", "two\n")
    view = rewind(story, points(story)[-1])
    assert left(view) == dict.fromkeys(
        (".claude/commands/fix.md", ".claude/commands/new.md"), "it belongs to the agent"
    )
    assert (story.read(".claude/commands/fix.md"), story.read(".claude/commands/new.md")) == ("two\n", "new\n")
    assert story.read("a.txt") == "one\n"


def test_a_submodule_that_the_agent_committed(story: Story, a: Session, tmp_path: Path) -> None:
    other = Story(tmp_path / "other", enable=False)
    story.git("submodule", "add", "-q", str(other.root), "sub")
    story.commit("Submodule")
    with a.turn("First"):
        a.write("a.txt", "one\n")
    with a.turn("Second"):
        story.write("sub/new.txt", "new\n")
        story.git("-C", "sub", "add", "-A")
        story.git("-C", "sub", "commit", "-q", "-m", "In the submodule")
        a.commit("Newer submodule")
        a.write("a.txt", "two\n")
    now = story.git("-C", "sub", "rev-parse", "HEAD")
    view = rewind(story, points(story)[-1])
    assert left(view) == {"sub": "it is a submodule"}
    assert (story.read("a.txt"), story.git("-C", "sub", "rev-parse", "HEAD")) == ("one\n", now)


def test_a_file_that_the_commit_deleted_does_not_come_back(story: Story, a: Session) -> None:
    """It was there, and not as any commit has it, when the worktree was last recorded before the commit."""
    with a.turn("First"):
        a.write("gone.txt", "one\n")
        a.write("b.txt", "one\n")
    story.commit("One")
    with a.turn("Second"):
        a.write("gone.txt", "two\n")
        a.write("b.txt", "two\n")
    story.git("rm", "-q", "-f", "gone.txt")
    commit = story.commit("Two")
    with a.turn("Third"):
        a.write("b.txt", "three\n")
    view = rewind(story, commit)
    assert [(edit.path, edit.what) for edit in view.edits] == [("b.txt", "write")]
    assert not story.path("gone.txt").exists()
    assert story.read("b.txt") == "two\n"


# ---------------------------------------------------------------- all or nothing


def test_a_full_disk_while_planning_changes_nothing(story: Story, a: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    with a.turn("First"):
        a.write("a.txt", "one\n")
        a.write("b.txt", "one\n")
    with a.turn("Second"):
        a.write("a.txt", "two\n")
        a.write("b.txt", "two\n")
    duplicate = backups.duplicate

    def full(source: str, target: str, mode: int) -> None:
        if source.endswith("/b.txt"):
            raise OSError(errno.ENOSPC, "No space left on device", target)
        duplicate(source, target, mode)

    monkeypatch.setattr(backups, "duplicate", full)
    with pytest.raises(EntireError, match=r"No space left on device.*nothing was changed"):
        rewind(story, points(story)[-1])
    assert (story.read("a.txt"), story.read("b.txt")) == ("two\n", "two\n")
    assert transaction.count(place(story)) == 0


def test_a_turn_that_begins_while_the_plan_is_shown(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("a.txt", "one\n")
    with a.turn("Second"):
        a.write("a.txt", "two\n")
    b = story.started()
    with Workspace.find(story.root).points.rewind(RewindRequest(to=points(story)[-1])) as planned:
        b.prompt("Third")
        with pytest.raises(EntireError, match="in the middle of a turn"):
            planned.carry_out()
    assert story.read("a.txt") == "two\n"


# ---------------------------------------------------------------- the branch


def test_reset_during_a_merge(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("m", "base\n")
    first = story.commit("One")
    story.git("checkout", "-q", "-b", "other")
    story.write("m", "theirs\n")
    story.commit("Theirs")
    story.git("checkout", "-q", "main")
    story.write("m", "ours\n")
    ours = story.commit("Ours")
    story.git("merge", "other", ok=False)
    conflict = story.read("m")
    with pytest.raises(EntireError, match="a merge is in progress"):
        rewind(story, first, reset=True)
    assert (story.head(), story.read("m")) == (ours, conflict)
    assert story.path(".git/MERGE_HEAD").exists()


def test_reset_takes_along_what_people_committed(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("a.txt", "one\n")
    first = story.commit("One")
    story.write("README.md", "mine\n")
    second = story.commit("Mine")
    rewind(story, first, reset=True)
    assert story.head() == first
    assert story.git("status", "--porcelain") == ""
    undo(story)
    assert (story.head(), story.read("README.md")) == (second, "mine\n")
    assert story.git("status", "--porcelain") == ""


# ---------------------------------------------------------------- what is remembered


def test_undo_points_are_pruned(story: Story, a: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "_MAX_UNDO", 2)
    with a.turn("First"):
        a.write("a.txt", "one\n")
    with a.turn("Second"):
        a.write("a.txt", "two\n")
    rewind(story, points(story)[-1])
    for _ in range(plan._PRUNED_EVERY - 1):
        undo(story)
    assert transaction.count(place(story)) == 2


def test_a_file_that_is_as_committed_again_is_not_open(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("a.txt", "one\n")
    first = story.commit("One")
    with a.turn("Second"):
        a.write("a.txt", "two\n")
        a.write("b.txt", "b\n")
    assert a.state()["files_touched"] == ["a.txt", "b.txt"]
    rewind(story, first)
    assert "files_touched" not in a.state()
    undo(story)
    assert a.state()["files_touched"] == ["a.txt", "b.txt"]


def test_tasks_after_the_point_are_forgotten(story: Story, a: Session) -> None:
    def task(number: int) -> None:
        given = {"description": "d", "prompt": "p", "subagent_type": "t"}
        a.hook("pre-task", tool_name="Agent", tool_use_id=f"toolu_{number}", tool_input=given)
        a.hook("post-task", tool_name="Agent", tool_use_id=f"toolu_{number}", tool_input=given, tool_response={})

    with a.turn("First"):
        task(1)
        a.write("a.txt", "one\n")
    with a.turn("Second"):
        task(2)
        a.write("a.txt", "two\n")
    rewind(story, points(story)[-1])
    assert list(tasks_of(story, a)) == ["toolu_1"]
    story.commit("One")
    (checkpoint_id,) = story.ids()
    names = story.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1", f"{checkpoint_id.path}/tasks/")
    assert {name.split("/")[3] for name in names.split()} == {"toolu_1"}


def tasks_of(story: Story, session: Session) -> dict[str, Any]:
    value = json.loads(Path(sessions.own_path(place(story), session.id)).read_text())
    return dict(value["tasks"])


@pytest.mark.parametrize("committed", [True, False])
def test_the_turn_that_was_cut_does_not_go_on(story: Story, a: Session, committed: bool) -> None:
    """The hook of the next prompt is missed: its turn is a new one, and its prompt is in the checkpoint, once."""
    with a.turn("First"):
        a.write("a.txt", "one\n")
    first = story.commit("One") if committed else points(story)[0]
    with a.turn("Second"):
        a.write("a.txt", "two\n")
    rewind(story, first)
    a.record("user", promptSource="sdk", message={"role": "user", "content": "Without a hook"})
    a.write("b.txt", "b\n")
    a.prompt_id = "another"
    a.stop()
    story.commit("Two")
    slot = story.linked()["slots"][a.id]
    assert slot["prompts"] == ["First", "Without a hook"]
    assert slot["files_touched"] == (["b.txt"] if committed else ["a.txt", "b.txt"])
