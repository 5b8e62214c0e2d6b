"""Turns and prompts that no hook announced: enabled in the middle, or with a hook that was killed."""

from __future__ import annotations

import uuid

import pytest

from tests.integration.kept import answers, journal, lines, sole, tokens
from tests.integration.story import Session, Story


@pytest.fixture
def session(story: Story) -> Session:
    return story.started()


def unannounced(session: Session, text: str) -> None:
    """Write a prompt into the transcript whose hook never ran."""
    session.prompt_id = str(uuid.uuid4())
    session.record("user", promptId=session.prompt_id, promptSource="sdk", message={"role": "user", "content": text})


def test_prompts_from_before_the_session_was_seen(story: Story) -> None:
    """They are shown with the first checkpoint."""
    session = story.session()
    unannounced(session, "Before")
    session.answer({"type": "text", "text": "Done."})  # 0
    unannounced(session, "Before too")
    session.answer({"type": "text", "text": "Done."})  # 1
    with session.turn("Now"):
        session.write("a.py", "a\n")  # 2, 3
    with session.turn("Next"):
        session.write("a.py", "b\n")  # 4, 5
    story.commit("a")
    record = sole(story, session, ["a.py"])
    assert record["prompts"] == ["Before", "Before too", "Now", "Next"]
    assert tokens(record) == answers(0, 1, 2, 3, 4, 5)
    assert story.log_errors() == []


def test_a_turn_after_another_whose_beginning_no_hook_saw(story: Story, session: Session) -> None:
    """What a person did since the last turn is not its own; what its tools report is."""
    with session.turn("First"):
        session.write("a.py", "a\n")  # 0, 1
    story.write("mine.py", "p\n")
    unannounced(session, "Second")
    session.write("b.py", "b\n")  # 2
    session.stop()  # 3
    assert session.state()["files_touched"] == ["a.py", "b.py"]
    story.commit("all")
    record = sole(story, session, ["a.py", "b.py"])
    assert lines(record) == (2, 1, 0, 0, 3)
    assert record["prompts"] == ["First", "Second"]
    assert tokens(record) == answers(0, 1, 2, 3)
    turns = {entry["turn"] for entry in story.linked()["lineage"]["turns"][session.id]}
    assert len(turns) == 2
    assert journal(story)["live"] is False
    assert story.log_errors() == []


def test_what_lay_there_in_the_middle_of_the_first_turn(story: Story) -> None:
    """Only what the tools report is the session's: a person may have written the rest."""
    session = story.session()
    unannounced(session, "Before enable")
    session.write("a.py", "a\n")
    story.write("mine.py", "p\n")
    session.stop()
    assert session.state()["files_touched"] == ["a.py"]
    story.commit("all")
    assert lines(sole(story, session, ["a.py"])) == (1, 1, 0, 0, 2)
    assert story.log_errors() == []


def test_what_lay_there_where_the_transcript_tells_no_times(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a turn whose beginning was seen is the window of all that nobody reports; this one's was not."""
    monkeypatch.setattr("tests.integration.story.stamp", lambda moment: "")
    story.write("mine.py", "p\n")
    session = story.session()
    unannounced(session, "Before enable")
    session.write("a.py", "a\n")
    session.stop()
    assert session.state()["files_touched"] == ["a.py"]
    story.commit("all")
    assert lines(sole(story, session, ["a.py"])) == (1, 1, 0, 0, 2)
    assert story.log_errors() == []
