"""What a session's own texts held without its name is redacted once it is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.layout import Place
from entire.model.session import Session, SubagentTask, Turn
from entire.recording import late_redaction
from entire.redact import Redactor, Sources
from entire.store import turnlog
from entire.store.turnlog import TurnNote

PASSWORD = "tr0ub4dor&3-xK"
BARE = f"use {PASSWORD} here"
GONE = "use [REDACTED:generic-quoted] here"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(top=str(tmp_path), git_dir=str(tmp_path / ".git"), common_dir=str(tmp_path / ".git"))


@pytest.fixture
def redactor(tmp_path: Path) -> Redactor:
    return Redactor(Sources(memory=str(tmp_path / "known")))


def session() -> Session:
    found = Session("s")
    found.first_prompt = BARE
    found.turn = Turn(id="t", started=1.0, prompt=BARE)
    task = found.tasks["toolu_1"] = SubagentTask(description=BARE)
    task.increments = {"1.json": {"data": {"command": BARE, "number": 1}}}
    return found


def test_every_text_of_a_session_is_redacted_with_what_is_known_by_now(place: Place, redactor: Redactor) -> None:
    mine = session()
    turnlog.append(
        place, "s", [TurnNote(turn="t", prompt=BARE, position=3), TurnNote(turn="u", prompt="more")], redactor
    )
    redactor.redact(f"password = '{PASSWORD}'".encode())
    late_redaction.redact_again(place, mine, redactor, in_transcript=False)
    assert mine.turn is not None
    assert [mine.first_prompt, mine.turn.prompt, mine.tasks["toolu_1"].description] == [GONE] * 3
    assert mine.tasks["toolu_1"].increments == {"1.json": {"data": {"command": GONE, "number": 1}}}
    assert turnlog.read(place, "s") == [TurnNote(turn="t", prompt=GONE, position=3), TurnNote(turn="u", prompt="more")]
    assert PASSWORD not in Path(turnlog.path(place, "s")).read_text()
    assert Path(turnlog.path(place, "s")).stat().st_mode & 0o777 == 0o600


def test_without_a_new_secret_nothing_changes(place: Place, redactor: Redactor) -> None:
    mine = session()
    turnlog.append(place, "s", [TurnNote(turn="t", prompt=BARE)], redactor)
    before = Path(turnlog.path(place, "s")).read_bytes()
    late_redaction.redact_again(place, mine, redactor, in_transcript=False)
    assert mine.__dict__ == session().__dict__
    assert Path(turnlog.path(place, "s")).read_bytes() == before


def test_a_session_without_a_turn_has_nothing_to_redact(place: Place, redactor: Redactor) -> None:
    mine = Session("s")
    late_redaction.redact_again(place, mine, redactor, in_transcript=False)
    assert mine.__dict__ == Session("s").__dict__
    assert not Path(turnlog.path(place, "s")).exists()
