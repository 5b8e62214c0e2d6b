"""A session whose tools write in another worktree of the repository (linking.md section 1)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from entire.workspace import Workspace
from tests.integration.commits.test_places import linked_worktree, session
from tests.integration.kept import input_tokens, lines, slot_of
from tests.integration.story import Session, Story
from tests.integration.why.test_why_properties import names

PERSON = {"ENTIRE_TEST_TTY": "1"}


def side_worktree(story: Story, path: str = "../side", *args: str) -> Story:
    """Return a story in a new linked worktree."""
    story.git("worktree", "add", "-q", *args, path)
    twin = Story.__new__(Story)
    twin.__dict__.update(story.__dict__)
    twin.root = Path(os.path.normpath(story.root / path))
    return twin


def write(a: Session, side: Story, name: str, text: str) -> None:
    """Write a file of another worktree with the agent's tool."""
    path = str(side.root / name)
    side.write(name, text)
    result: dict[str, object] = {"type": "create", "filePath": path, "structuredPatch": [], "originalFile": None}
    a.tool("Write", {"file_path": path, "content": text}, result)


def commit(a: Session, story: Story, message: str, *args: str) -> str:
    """Commit in another worktree as the agent does: its shell is in the session's own."""
    with a.shell(f"git -C ../side commit -m '{message}'"):
        story.git("add", "-A")
        return story.commit(message, *args, add=False, env={"CLAUDE_CODE_SESSION_ID": a.id, "CLAUDECODE": "1"})


def markers(story: Story) -> list[str]:
    """Return the markers by which git's hooks know that there is something to do."""
    return sorted(path.name for name in ("live", "running") for path in story.path(".git").rglob(f"entire/{name}"))


def test_a_tool_that_writes_in_another_worktree_counts_there(story: Story) -> None:
    other = linked_worktree(story)
    a = session(story)
    with a.turn("Write here and there"):
        a.write("here.txt", "here\n")
        there = str(other.root / "there.txt")
        other.write("there.txt", "one\ntwo\n")
        result: dict[str, object] = {"type": "create", "filePath": there, "structuredPatch": [], "originalFile": None}
        a.tool("Write", {"file_path": there, "content": "one\ntwo\n"}, result)
    other.write("mine.txt", "mine\n")
    other.commit("There")
    record = slot_of(other, a)
    assert (record["files_touched"], other.linked()["files_touched"]) == (["there.txt"], ["there.txt"])
    assert lines(record) == (2, 1, 0, 0, 3)
    assert a.state()["files_touched"] == ["here.txt"]
    story.commit("Here")
    assert slot_of(story, a)["files_touched"] == ["here.txt"]
    assert lines(slot_of(story, a)) == (1, 0, 0, 0, 1)
    total = [one["token_usage"]["input_tokens"] for one in (record, slot_of(story, a)) if "token_usage" in one]
    assert sum(total) == 2**a.answers - 1
    other.write("later.txt", "later\n")
    other.commit("Mine alone")
    assert other.ids() == []
    assert story.log_errors() + other.log_errors() == []


def test_only_what_its_tools_reported_is_the_sessions(story: Story) -> None:
    other = linked_worktree(story)
    a = session(story)
    with a.turn("Write there by shell"), a.shell():
        other.write("shell.txt", "one\n")
    other.commit("There")
    assert other.ids() == []
    assert story.log_errors() + other.log_errors() == []


# ---------------------------------------------------------------- commits of the agent in its turn


@pytest.mark.parametrize("path", ["../side", ".claude/worktrees/side"])
def test_the_agent_commits_in_a_worktree_that_it_added(story: Story, path: str) -> None:
    a = session(story)
    a.prompt("Work in a worktree")
    with a.shell(f"git worktree add {path}"):
        side = side_worktree(story, path)
    write(a, side, "tool.txt", "one\ntwo\n")
    with a.shell("generate"):
        side.write("shell.txt", "three\n")
    commit(a, side, "There")
    record = slot_of(side, a)
    assert (record["files_touched"], record["branch"]) == (["shell.txt", "tool.txt"], "side")
    assert lines(record) == (3, 0, 0, 0, 3)
    a.answer({"type": "text", "text": "more"})
    a.stop()
    record = slot_of(side, a)
    assert record["prompts"] == ["Work in a worktree"]
    assert "Done." in record["transcript"]
    assert input_tokens(record) == 2**a.answers - 1
    assert (a.state().get("files_touched", []), a.state().get("turn_checkpoint_ids", [])) == ([], [])
    assert a.state()["worktree_path"] == str(story.root)
    assert markers(story) == []
    side.write("mine.txt", "mine\n")
    side.commit("Mine", env=PERSON)
    assert side.ids() == []
    story.git("worktree", "remove", "--force", path)
    with a.turn("Go on"):
        a.write("here.txt", "here\n")
    story.commit("Here")
    assert slot_of(story, a)["files_touched"] == ["here.txt"]
    assert input_tokens(slot_of(story, a)) + input_tokens(record) == 2**a.answers - 1
    assert story.log_errors() == []


def test_two_commits_in_one_turn_and_one_at_home(story: Story) -> None:
    a = session(story)
    a.prompt("Work in a worktree")
    with a.shell("git worktree add"):
        side = side_worktree(story)
    with a.shell("generate"):
        side.write("one.txt", "1\n")
    first = commit(a, side, "One")
    write(a, side, "two.txt", "2\n")
    with a.shell("generate"):
        side.write("one.txt", "1\nagain\n")
    second = commit(a, side, "Two")
    a.write("home.txt", "home\n")
    a.commit("Home")
    a.stop()
    slots = [slot_of(side, a, first), slot_of(side, a, second), slot_of(story, a)]
    assert [slot["files_touched"] for slot in slots] == [["one.txt"], ["one.txt", "two.txt"], ["home.txt"]]
    assert [lines(slot)[0] for slot in slots] == [1, 2, 1]
    assert [slot.get("branch") for slot in slots] == ["side", "side", "main"]
    assert sum(map(input_tokens, slots)) == 2**a.answers - 1
    assert story.log_errors() + side.log_errors() == []


def test_the_worktree_is_removed_before_the_turn_ends(story: Story) -> None:
    a = session(story)
    a.prompt("Work in a worktree")
    with a.shell("git worktree add"):
        side = side_worktree(story)
    write(a, side, "tool.txt", "one\n")
    made = commit(a, side, "There")
    story.git("worktree", "remove", "--force", "../side")
    a.stop()
    record = slot_of(story, a, made)
    assert (record["files_touched"], input_tokens(record)) == (["tool.txt"], 2**a.answers - 1)
    assert a.state().get("turn_checkpoint_ids", []) == []
    assert markers(story) == []
    assert story.log_errors() == []


def test_work_of_a_person_that_was_there_before_the_turn(story: Story) -> None:
    side = side_worktree(story)
    side.write("mine.txt", "mine\n")
    side.write("README.md", "start\nmine\n")
    a = session(story)
    a.prompt("Work over there")
    write(a, side, "tool.txt", "one\n")
    with a.shell("generate"):
        side.write("shell.txt", "two\n")
    commit(a, side, "All of it")
    record = slot_of(side, a)
    assert record["files_touched"] == ["shell.txt", "tool.txt"]
    assert lines(record) == (2, 2, 0, 0, 4)
    a.stop()
    assert story.log_errors() + side.log_errors() == []


def test_only_a_persons_work_committed_by_the_agent(story: Story) -> None:
    side = side_worktree(story)
    side.write("mine.txt", "mine\n")
    a = session(story)
    a.prompt("Commit over there")
    commit(a, side, "Theirs")
    record = slot_of(side, a)
    assert (record["files_touched"], lines(record)) == ([], (0, 1, 0, 0, 1))
    a.stop()
    assert story.log_errors() + side.log_errors() == []


def test_a_deletion_and_a_move_by_the_agent(story: Story) -> None:
    story.write("gone.txt", "gone\n")
    story.write("old.txt", "a\nb\nc\n")
    story.commit("Two files")
    side = side_worktree(story)
    a = session(story)
    a.prompt("Tidy up over there")
    with a.shell("git rm, git mv"):
        side.git("rm", "-q", "gone.txt")
        side.git("mv", "old.txt", "new.txt")
    commit(a, side, "Tidy")
    assert slot_of(side, a)["files_touched"] == ["gone.txt", "new.txt", "old.txt"]
    a.stop()
    assert story.log_errors() + side.log_errors() == []


def test_from_a_linked_worktree_into_the_main_one(story: Story) -> None:
    side = side_worktree(story)
    a = Session(side, story.session().id)
    a.start()
    a.prompt("Work at home")
    write(a, story, "home.txt", "home\n")
    commit(a, story, "Home")
    assert slot_of(story, a)["files_touched"] == ["home.txt"]
    assert slot_of(story, a)["branch"] == "main"
    a.stop()
    assert input_tokens(slot_of(story, a)) == 2**a.answers - 1
    assert story.log_errors() + side.log_errors() == []


def test_an_amend_over_there(story: Story) -> None:
    side = side_worktree(story)
    a = session(story)
    a.prompt("Work over there")
    write(a, side, "one.txt", "1\n")
    commit(a, side, "One")
    (one,) = side.ids()
    write(a, side, "two.txt", "2\n")
    commit(a, side, "Both", "--amend")
    assert side.ids() == [one]
    a.stop()
    record = slot_of(side, a)
    assert (record["files_touched"], input_tokens(record)) == (["one.txt", "two.txt"], 2**a.answers - 1)
    assert story.log_errors() + side.log_errors() == []


# ---------------------------------------------------------------- commits of a person during the turn


def test_a_person_commits_over_there_during_the_turn(story: Story) -> None:
    side = side_worktree(story)
    a = session(story)
    a.prompt("Work here")
    a.write("here.txt", "here\n")
    side.write("mine.txt", "mine\n")
    side.commit("Mine", env=PERSON)
    assert side.ids() == []
    assert side.reasons() == {}
    write(a, side, "tool.txt", "one\n")
    side.write("mine.txt", "mine\nmore\n")
    side.commit("Both", env=PERSON)
    assert slot_of(side, a)["files_touched"] == ["tool.txt"]
    assert lines(slot_of(side, a)) == (1, 1, 0, 0, 2)
    a.stop()
    side.write("mine.txt", "mine\n")
    side.commit("Mine again", env=PERSON)
    assert side.ids() == []
    assert a.state()["files_touched"] == ["here.txt"]
    assert story.log_errors() + side.log_errors() == []


def test_a_session_over_there_keeps_its_own(story: Story) -> None:
    side = side_worktree(story)
    a, b = session(story), Session(side, story.session().id)
    b.start()
    a.prompt("Work over there")
    b.prompt("Work here")
    with b.shell("generate"):
        side.write("b.txt", "b\n")
    write(a, side, "a.txt", "a\na\n")
    commit(a, side, "Both")
    b.stop()
    a.stop()
    slots = side.linked()["slots"]
    assert {name: slot["files_touched"] for name, slot in slots.items()} == {a.id: ["a.txt"], b.id: ["b.txt"]}
    assert story.log_errors() + side.log_errors() == []


# ---------------------------------------------------------------- the agent's shell goes there


def test_hooks_that_come_from_over_there_belong_to_the_sessions_own_worktree(story: Story) -> None:
    a = session(story)
    a.prompt("Work over there")
    with a.shell("git worktree add ../side && cd ../side"):
        side = side_worktree(story)
    a.cwd = side.root
    write(a, side, "there.txt", "there\n")
    a.write("here.txt", "here\n")
    commit(a, side, "There")
    a.stop()
    assert a.state()["worktree_path"] == str(story.root)
    assert a.state()["files_touched"] == ["here.txt"]
    with a.turn("Go on"):
        a.write("here.txt", "here\nagain\n")
    assert a.state()["worktree_path"] == str(story.root)
    story.commit("Here")
    slots = [slot_of(side, a), slot_of(story, a)]
    assert [slot["files_touched"] for slot in slots] == [["there.txt"], ["here.txt"]]
    assert sum(map(input_tokens, slots)) == 2**a.answers - 1
    assert story.log_errors() + side.log_errors() == []


def test_why_names_the_running_turn_where_it_has_written_and_no_snapshot_was_ever_taken(story: Story) -> None:
    other = linked_worktree(story)
    a = session(story)
    with a.turn("Write there"):
        write(a, other, "there.txt", "one\n")
        other.write("mine.txt", "two\n")
        workspace = Workspace.find(other.root)
        assert [names(workspace, name) for name in ("there.txt", "mine.txt")] == [["Write there"], ["person"]]
