"""What a person writes into the files of a turn after it was interrupted (linking.md section 7)."""

from __future__ import annotations

import time

from tests.integration.interrupting import attribution
from tests.integration.story import Session, Story, story
from tests.integration.turn_commits import session

__all__ = ["session", "story"]


def test_lines_that_a_person_adds_to_the_turns_files(story: Story, session: Session) -> None:
    story.write("a.txt", "one\ntwo\n")
    story.commit("a")
    session.prompt("write")
    session.edit("a.txt", "two\n", "two\nagent\n")
    session.write("b.txt", "agent\n")
    session.interrupt()
    time.sleep(0.01)
    story.write("a.txt", "mine\none\ntwo\nagent\n")
    story.write("b.txt", "agent\nmine\nmine\n")
    story.commit("both")
    assert attribution(story) == (2, 3, 5)
    assert story.log_errors() == []


def test_what_cannot_be_carried_out_again_stays_the_turns(story: Story, session: Session) -> None:
    """A shell changed the file before the edit: what the edit found there is in no transcript."""
    session.prompt("write")
    with session.shell():
        story.write("a.txt", "by the shell\n")
    session.edit("a.txt", "by the shell\n", "by the shell\nby the tool\n")
    session.interrupt()
    time.sleep(0.01)
    story.write("a.txt", "by the shell\nby the tool\nmine\n")
    story.commit("a")
    assert attribution(story) == (3, 0, 3)
    assert story.log_errors() == []


def test_a_failed_edit_is_not_carried_out(story: Story, session: Session) -> None:
    session.prompt("write")
    session.write("a.txt", "agent\n")
    name = f"toolu_{time.time_ns()}"
    given = {"file_path": str(story.path("a.txt")), "content": "never written\n"}
    session.answer({"type": "tool_use", "id": name, "name": "Write", "input": given})
    session.interrupt(name)
    time.sleep(0.01)
    story.write("a.txt", "agent\nmine\n")
    story.commit("a")
    assert attribution(story) == (1, 1, 2)
