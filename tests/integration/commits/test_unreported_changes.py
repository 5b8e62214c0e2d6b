"""Changes that no tool reports: a turn's only if one of its tools can have made them (linking.md section 1)."""

from __future__ import annotations

import pytest

from tests.integration import story as stories
from tests.integration.interrupting import PERSON, attribution, call
from tests.integration.story import Session, Story, story
from tests.integration.turn_commits import session

__all__ = ["session", "story"]


def test_a_commit_in_a_turn_whose_tools_only_write_is_split(story: Story, session: Session) -> None:
    session.prompt("write")
    session.write("agent.txt", "agent\n")
    story.write("mine.txt", "mine\nmine\n")
    story.commit("both", env=PERSON)
    assert attribution(story) == (1, 2, 3)
    story.write("more.txt", "mine\n")
    session.write("more-agent.txt", "agent\n")
    session.stop()
    story.commit("rest")
    assert attribution(story) == (1, 1, 2)


def test_a_shell_whose_call_was_not_written_down_yet(story: Story, session: Session) -> None:
    """When another session's event takes a snapshot, the transcript does not have the call yet."""
    other = story.started()
    session.prompt("run")
    story.write("by-shell.txt", "agent\n")
    other.prompt("look")
    other.stop()
    call(session)
    session.stop()
    story.commit("by-shell", env=PERSON)
    assert attribution(story) == (1, 0, 1)


def test_a_change_after_the_shell_has_ended_is_a_persons(
    story: Story, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    story.write("old.txt", "old\n")
    story.write("folder/gone.txt", "gone\n")
    story.commit("old")
    session.prompt("run")
    with monkeypatch.context() as earlier:
        earlier.setattr(stories, "stamp", lambda moment, stamp=stories.stamp: stamp(moment - 3.0))
        with session.shell():
            pass
    story.write("mine.txt", "mine\n")
    story.write("old.txt", "mine\n")
    story.path("folder/gone.txt").unlink()
    session.stop()
    story.commit("all", env=PERSON)
    assert story.ids() == []


def test_of_two_turns_the_one_with_a_tool_at_work_made_it(story: Story, session: Session) -> None:
    writer = story.started()
    writer.prompt("write")
    writer.write("written.txt", "writer\n")
    session.prompt("run")
    with session.shell():
        story.write("by-shell.txt", "runner\n")
    writer.stop()
    session.stop()
    story.commit("both", env=PERSON)
    slots = story.linked()["slots"]
    assert {name: slot["files_touched"] for name, slot in slots.items()} == {
        writer.id: ["written.txt"],
        session.id: ["by-shell.txt"],
    }
