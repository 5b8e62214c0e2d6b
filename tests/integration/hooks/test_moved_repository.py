"""A repository that is renamed while a turn runs: its session is found by what it is, not by where it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.kept import PERSON, lines, slot_of
from tests.integration.story import Session, Story


def moved(story: Story, session: Session) -> Path:
    """Rename the repository; the agent's folder goes along."""
    target = story.root.with_name("renamed")
    story.root.rename(target)
    former, story.root = story.root, target
    session.cwd = target
    return former


@pytest.mark.parametrize("by_agent", [True, False], ids=["agent", "person"])
def test_a_repository_renamed_while_a_turn_runs(story: Story, *, by_agent: bool) -> None:
    session = story.started()
    session.prompt("Work")
    session.write("before.txt", "before\n")  # its tool reports the path of then
    moved(story, session)
    session.write("after.txt", "after\n")
    if by_agent:
        session.commit("Both")
    else:
        story.commit("Both", env=PERSON)
    session.stop()
    slot = slot_of(story, session)
    assert (slot["files_touched"], lines(slot)) == (["after.txt", "before.txt"], (2, 0, 0, 0, 2))
    assert session.state().get("files_touched", []) == []
    assert story.log_errors() == []


def test_a_repository_renamed_between_turns(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    session = story.started()
    with session.turn("Work"):
        session.write("a.txt", "a\n")
    former = moved(story, session)
    former.mkdir()  # another folder takes its place
    capsys.readouterr()
    assert story.entire("status") == 0
    assert "a.txt" in capsys.readouterr().out
    story.commit("Add a", env=PERSON)
    assert slot_of(story, session)["files_touched"] == ["a.txt"]
    with session.turn("More"):
        session.write("b.txt", "b\n")
    story.commit("Add b", env=PERSON)
    assert slot_of(story, session)["files_touched"] == ["b.txt"]
    assert story.log_errors() == []


def test_a_linked_worktree_that_was_moved(story: Story) -> None:
    story.git("worktree", "add", "-q", "-b", "side", "../side")
    side = Story(story.root.parent / "side", enable=False, first_commit=False)
    session = side.started()
    session.prompt("Work")
    session.write("a.txt", "a\n")
    story.git("worktree", "move", "../side", "../elsewhere")
    side.root = session.cwd = story.root.parent / "elsewhere"
    side.commit("Add a", env=PERSON)
    session.stop()
    assert slot_of(side, session)["files_touched"] == ["a.txt"]
    assert side.log_errors() == []
