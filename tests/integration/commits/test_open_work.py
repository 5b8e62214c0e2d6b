"""Whose work is not committed yet, while it is not: the open files of sessions."""

from __future__ import annotations

import pytest

from tests.integration.kept import PERSON, shadows
from tests.integration.story import Session, Story


@pytest.fixture
def session(story: Story) -> Session:
    return story.started()


def open_files(session: Session) -> list[str]:
    return list(session.state().get("files_touched", []))


def test_a_file_that_another_turn_reports_at_its_end(story: Story, session: Session) -> None:
    """It lay there when the first of two turns ended, which could not know whose it is."""
    other = story.started()
    session.prompt("One")
    other.prompt("Two")
    with session.shell():
        story.write("b.py", "b\n")
    session.write("a.py", "a\n")
    session.stop()
    assert open_files(session) == ["a.py", "b.py"]
    other.write("b.py", "b\n")
    other.stop()
    assert (open_files(session), open_files(other)) == (["a.py"], ["b.py"])
    assert story.log_errors() == []


def test_a_person_commits_a_part_of_their_own_file_during_a_turn(story: Story, session: Session) -> None:
    story.write("mine.py", "one\n")
    story.git("add", "mine.py")
    story.write("mine.py", "one\ntwo\n")
    session.prompt("Work")
    session.write("a.py", "a\n")
    story.git("add", "a.py")
    story.commit("Both", add=False, env=PERSON)
    session.stop()
    assert story.ids() != []
    assert open_files(session) == []
    assert story.log_errors() == []


def test_our_own_settings_are_no_work(story: Story, session: Session) -> None:
    settings = story.read(".entire/settings.json")
    session.prompt("Work")
    story.write(".entire/settings.json", settings.rstrip("\n") + "\n\n")
    session.stop()
    assert open_files(session) == []
    assert shadows(story) == []
    assert story.log_errors() == []
