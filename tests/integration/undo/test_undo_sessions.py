"""Every answer is counted once over all checkpoints of a session, whatever was rewound and undone in between."""

from __future__ import annotations

import json
from typing import Any

import pytest

from entire.model.requests import RewindRequest
from entire.workspace import Workspace
from tests.integration.kept import PERSON, answers, tokens
from tests.integration.rewinding import rewind, undo
from tests.integration.story import Session, Story


def point(story: Story, prompt: str) -> str:
    return next(
        point.id
        for point in Workspace.find(story.root).points.listing()
        if (point.kind, point.prompt) == ("step", prompt)
    )


def slot(story: Story, session: Session) -> Any:
    return story.linked()["slots"][session.id]


def go_on(session: Session) -> None:
    """Let the next record follow the last one that is there, as the agent does when it is started anew."""
    session.parent = json.loads(session.file.read_bytes().splitlines()[-1])["uuid"]


@pytest.fixture
def session(story: Story, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(story.projects))
    a = story.session()
    a.start()
    with a.turn("First"):  # answers 0, 1
        a.write("a.py", "a\n")
    with a.turn("Second"):  # answers 2, 3
        a.write("b.py", "b\n")
    return a


def test_the_common_beginning_is_not_counted_again_after_the_undo(story: Story, session: Session) -> None:
    rewind(story, point(story, "First"))
    go_on(session)
    with session.turn("Third"):  # answers 4, 5
        session.write("c.py", "c\n")
    story.commit("Add a and c", env=PERSON)
    assert tokens(slot(story, session)) == answers(0, 1, 4, 5)
    undo(story)
    go_on(session)
    with session.turn("Fourth"):  # answers 6, 7
        session.write("d.py", "d\n")
    story.commit("Add b and d", env=PERSON)
    kept = slot(story, session)
    assert kept["files_touched"] == ["b.py", "d.py"]
    assert tokens(kept) == answers(2, 3, 6, 7)
    assert kept["prompts"] == ["First", "Second", "Fourth"]
    undo(story)
    go_on(session)
    with session.turn("Fifth"):  # answers 8, 9
        session.write("a.py", "a5\n")
    story.commit("Change a", env=PERSON)
    assert tokens(slot(story, session)) == answers(8, 9)
    assert slot(story, session)["prompts"] == ["First", "Third", "Fifth"]
    assert story.log_errors() == []


def test_a_session_that_worked_on_after_the_rewind_keeps_what_it_knows(story: Story, session: Session) -> None:
    """The rewind takes the other session's open file away; the undo brings the file back, and not its old state."""
    other = story.session()
    other.start()
    with other.turn("Change the text"):  # answers 0, 1
        other.write("README.md", "by the other\n")
    rewind(story, point(story, "Second"))
    assert story.read("README.md") == "start\n"
    with other.turn("Something else"):  # answers 2, 3
        other.write("else.py", "else\n")
    story.git("add", "else.py")
    story.git("commit", "-q", "-m", "Add else", "--", "else.py", env=PERSON)
    assert tokens(slot(story, other)) == answers(0, 1, 2, 3)
    undo(story)
    assert story.read("README.md") == "by the other\n"
    story.git("commit", "-q", "-m", "Change the text", "--", "README.md", env=PERSON)
    kept = slot(story, other)
    assert kept["files_touched"] == ["README.md"]
    assert tokens(kept) == answers()
    with other.turn("More"):  # answers 4, 5
        other.write("more.py", "more\n")
    story.git("add", "more.py")
    story.git("commit", "-q", "-m", "More", "--", "more.py", env=PERSON)
    assert tokens(slot(story, other)) == answers(4, 5)
    assert story.log_errors() == []


def test_a_conversation_that_did_not_go_back_is_not_taken_back(story: Story, session: Session) -> None:
    """A rewind of files only: the session goes on before the undo, which concerns the files alone."""
    with Workspace.find(story.root).points.rewind(RewindRequest(to=point(story, "First"), files_only=True)) as planned:
        planned.carry_out()
    with session.turn("Third"):  # answers 4, 5
        session.write("c.py", "c\n")
    undo(story)
    with session.turn("Fourth"):  # answers 6, 7
        session.write("d.py", "d\n")
    story.commit("Add all", env=PERSON)
    kept = slot(story, session)
    assert kept["prompts"] == ["First", "Second", "Third", "Fourth"]
    assert kept["files_touched"] == ["a.py", "b.py", "c.py", "d.py"]
    assert tokens(kept) == answers(0, 1, 2, 3, 4, 5, 6, 7)
    assert story.log_errors() == []


def test_back_further_after_a_turn_since_the_rewind(story: Story, session: Session) -> None:
    """The first rewind leaves the session without a turn: what it made before is still its own."""
    with session.turn("Third"):
        session.write("c.py", "c\n")
    rewind(story, point(story, "Second"))
    go_on(session)
    with session.turn("Another third"):
        session.write("c.py", "another c\n")
    rewind(story, point(story, "First"))
    assert not story.path("b.py").exists()
    assert not story.path("c.py").exists()
    assert story.read("a.py") == "a\n"


def test_the_fork_of_a_session_does_not_make_it_a_copy(story: Story, session: Session) -> None:
    fork = story.session()
    fork.file.write_bytes(session.file.read_bytes())
    fork.parent, fork.answers = session.parent, session.answers
    fork.start()
    with fork.turn("Fork"):  # answers 4, 5
        fork.write("fork.py", "f\n")
    rewind(story, point(story, "First"))
    go_on(session)
    with session.turn("Third"):  # answers 4, 5
        session.write("c.py", "c\n")
    story.commit("Add all", env=PERSON)
    assert tokens(slot(story, session)) == answers(0, 1, 4, 5)
    assert story.log_errors() == []


def test_forward_to_what_a_commit_counted_in_another_past(story: Story, session: Session) -> None:
    story.commit("Add a and b", env=PERSON)
    assert tokens(slot(story, session)) == answers(0, 1, 2, 3)
    rewind(story, point(story, "First"))
    go_on(session)
    with session.turn("Third"):  # answers 4, 5
        session.write("c.py", "c\n")
    rewind(story, point(story, "Second"))
    go_on(session)
    with session.turn("Fourth"):  # answers 6, 7
        session.write("d.py", "d\n")
    story.commit("Add d", env=PERSON)
    kept = slot(story, session)
    assert kept["prompts"] == ["First", "Second", "Fourth"]
    assert tokens(kept) == answers(6, 7)
    assert kept["files_touched"] == ["d.py"]
    assert story.log_errors() == []
