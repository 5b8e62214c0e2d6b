"""Back to before a prompt: the files as the turn found them, the conversation without it."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from entire.errors import EntireError
from entire.model.requests import BEFORE_LAST_PROMPT
from entire.model.views.points import PointView
from entire.ui.screens import rewinding
from entire.workspace import Workspace
from tests.integration.rewinding import rewind, undo
from tests.integration.story import Session, Story


@pytest.fixture
def session(story: Story, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(story.projects))
    a = story.started()
    with a.turn("Create greeting"):
        a.write("hello.py", "print(1)\n")
    return a


def points(story: Story) -> list[PointView]:
    return Workspace.find(story.root).points.listing()


def listed(story: Story, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert story.entire("rewind", "--list") == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_before_the_last_prompt_and_back(story: Story, session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    """What a person did before the prompt stays: it was there then."""
    story.write("hello.py", "print(1)\n# mine\n")
    story.write("mine.txt", "mine\n")
    before = session.file.read_bytes()
    with session.turn("Break it"):
        session.edit("hello.py", "print(1)", "raise SystemExit")
        session.write("new.py", "new\n")
    now = session.file.read_bytes()
    capsys.readouterr()
    assert story.entire("rewind", "--before-last-prompt", "--preview") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("rewind to before-")
    assert ", before its prompt: Break it\n" in shown
    assert story.path("new.py").exists()
    assert story.entire("rewind", "--before-last-prompt") == 0
    assert story.read("hello.py") == "print(1)\n# mine\n"
    assert story.read("mine.txt") == "mine\n"
    assert not story.path("new.py").exists()
    assert session.file.read_bytes() == before
    assert points(story)[0].prompt == "Break it"  # its step stays, for the way forward
    undo(story)
    assert (story.read("new.py"), session.file.read_bytes()) == ("new\n", now)
    assert story.log_errors() == []


def test_the_session_continues_before_the_prompt(story: Story, session: Session) -> None:
    with session.turn("Break it"):
        session.write("hello.py", "broken\n")
    rewind(story, BEFORE_LAST_PROMPT)
    with session.turn("Improve it"):
        session.write("hello.py", "print(2)\n")
    story.commit("Hello")
    slot = story.linked()["slots"][session.id]
    assert slot["prompts"] == ["Create greeting", "Improve it"]
    assert slot["initial_attribution"]["agent_lines"] == 1


def test_a_conversation_alone(story: Story, session: Session) -> None:
    before = session.file.read_bytes()
    with session.turn("Just talk"):
        pass
    view = rewind(story, BEFORE_LAST_PROMPT)
    assert (view.edits, [change.what for change in view.conversations]) == ((), ["cut"])
    assert session.file.read_bytes() == before


def test_before_the_first_prompt(story: Story, session: Session) -> None:
    """Nothing remains of the conversation, and an agent cannot continue an empty file."""
    now = session.file.read_bytes()
    view = rewind(story, BEFORE_LAST_PROMPT)
    assert [(change.what, change.command) for change in view.conversations] == [("removed", "")]
    assert not session.file.exists()
    assert not story.path("hello.py").exists()
    undo(story)
    assert (session.file.read_bytes(), story.read("hello.py")) == (now, "print(1)\n")
    rewind(story, BEFORE_LAST_PROMPT)
    session.parent = None
    with session.turn("Another way"):
        session.write("hi.py", "hi\n")
    story.commit("Hi")
    assert story.linked()["slots"][session.id]["prompts"] == ["Another way"]
    assert story.log_errors() == []


def test_what_the_agent_did_by_itself_since_goes_too(story: Story, session: Session) -> None:
    before = session.file.read_bytes()
    with session.turn("In the background"):
        session.write("a.py", "a\n")
    notice = "<task-notification>\n<task-id>a1b2c3</task-id>\n</task-notification>"
    session.prompt_id = str(uuid.uuid4())
    session.hook("user-prompt-submit", prompt=notice)
    session.record("user", promptId=session.prompt_id, promptSource="system", origin={"kind": "task-notification"},
                   message={"role": "user", "content": notice})  # fmt: skip
    session.write("b.py", "b\n")
    session.stop()
    rewind(story, BEFORE_LAST_PROMPT)
    assert not story.path("a.py").exists()
    assert not story.path("b.py").exists()
    assert session.file.read_bytes() == before


def test_the_last_prompt_of_one_session(story: Story, session: Session) -> None:
    other = story.started()
    with other.turn("Work too"):
        other.write("other.py", "o\n")
    view = rewind(story, BEFORE_LAST_PROMPT, session_id=session.id)
    assert view.point is not None
    assert view.point.session_id == session.id
    assert not story.path("hello.py").exists()
    assert story.read("other.py") == "o\n"
    undo(story)
    rewind(story, BEFORE_LAST_PROMPT)
    assert (story.path("hello.py").exists(), story.path("other.py").exists()) == (True, False)


def test_a_turn_whose_end_was_lost(story: Story, session: Session) -> None:
    session.prompt("Killed")
    session.write("half.py", "h\n")
    session.end()
    rewind(story, BEFORE_LAST_PROMPT)
    assert not story.path("half.py").exists()


def test_every_end_of_a_turn_names_its_start(
    story: Story, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    first = session.file.read_bytes()
    with session.turn("Talk"):
        pass
    with session.turn("Improve it"):
        session.write("hello.py", "print(2)\n")
    story.commit("Hello")
    found = listed(story, capsys)
    assert [(point["kind"], point["is_before_prompt"], bool(point["before_prompt"])) for point in found] == [
        ("checkpoint", False, False), ("step", False, True), ("turn", False, True), ("step", False, True),
    ]  # fmt: skip
    assert len({point["before_prompt"] for point in found}) == 4
    view = rewind(story, found[2]["before_prompt"], logs_only=True)
    assert view.point is not None
    assert (view.point.prompt, view.point.is_before_prompt) == ("Talk", True)
    assert session.file.read_bytes() == first


def test_the_first_choice_is_before_the_last_prompt(story: Story, session: Session) -> None:
    with session.turn("Improve it"):
        session.write("hello.py", "print(2)\n")
    found = points(story)
    start, *rest = rewinding.with_last_start(found)
    assert rest == found
    assert (start.id, start.prompt, start.is_before_prompt) == (found[0].before_prompt, "Improve it", True)
    assert start.time < found[0].time
    rewind(story, start.id)
    assert story.read("hello.py") == "print(1)\n"


def test_there_is_no_prompt(story: Story) -> None:
    with pytest.raises(EntireError, match="no start of a turn is recorded here"):
        rewind(story, BEFORE_LAST_PROMPT)
    with pytest.raises(EntireError, match="no such point: before-0123456789ab"):
        rewind(story, "before-0123456789ab")


@pytest.mark.parametrize("other", [("--to", "abcd"), ("--list",), ("--undo",), ("--reset",)])
def test_the_flag_chooses_the_point(story: Story, other: tuple[str, ...]) -> None:
    assert story.entire("rewind", "--before-last-prompt", *other) == 2
