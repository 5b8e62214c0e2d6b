"""The log of turns: appended, redacted, read in spite of what a crash left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entire.layout import Place
from entire.redact import Redactor
from entire.store import turnlog
from entire.store.turnlog import TurnNote

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

note = st.builds(
    TurnNote,
    turn=st.text("abc123", max_size=3),
    prompt=st.text(st.characters(exclude_categories=["Cs"]), max_size=10),
    position=st.integers(0, 9),
    time=st.floats(0, 2e9),
    model=st.sampled_from(["", "claude-x"]),
    tokens=st.dictionaries(st.sampled_from(["input_tokens", "output_tokens"]), st.integers(0, 99)),
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(top=str(tmp_path), git_dir=str(tmp_path / ".git"), common_dir=str(tmp_path / ".git"))


@given(st.lists(note, max_size=8))
@settings(max_examples=40)
def test_notes_come_back_in_order_the_last_of_each(place: Place, notes: list[TurnNote]) -> None:
    log = Path(turnlog.path(place, "s"))
    log.unlink(missing_ok=True)
    turnlog.append(place, "s", notes[:3], Redactor())
    turnlog.append(place, "s", notes[3:], Redactor())
    expected = {(note.turn, note.position, note.prompt): note for note in notes}
    assert turnlog.read(place, "s") == list(expected.values())


def test_a_cut_line_costs_only_itself(place: Place) -> None:
    first, second = TurnNote(turn="a", prompt="one"), TurnNote(turn="b", prompt="two")
    turnlog.append(place, "s", [first], Redactor())
    with open(turnlog.path(place, "s"), "ab") as file:
        file.write(b'{"turn": "c", "prom\n[1, 2]\n"x"\n\xff\n{}\n{"turn": "x", "prompt": "newer", "unknown": 1}\n')
    turnlog.append(place, "s", [second], Redactor())
    assert [note.prompt for note in turnlog.read(place, "s")] == ["one", "newer", "two"]


@pytest.mark.parametrize(
    ("name", "value"), [("position", []), ("time", "x"), ("turn", None), ("tokens", 1), ("end", {})]
)
def test_a_note_with_a_value_of_another_kind_costs_only_itself(place: Place, name: str, value: object) -> None:
    good = TurnNote(turn="a", prompt="p")
    turnlog.append(place, "s", [good], Redactor())
    with Path(turnlog.path(place, "s")).open("a") as file:
        file.write(json.dumps({"turn": "b", "prompt": "q", name: value}) + "\n")
    assert turnlog.read(place, "s") == [good]


def test_a_line_cut_by_a_kill_does_not_swallow_the_next(place: Place) -> None:
    turnlog.append(place, "s", [TurnNote(turn="a", prompt="one")], Redactor())
    with open(turnlog.path(place, "s"), "ab") as file:
        file.write(b'{"turn": "b", "prom')
    turnlog.append(place, "s", [TurnNote(turn="c", prompt="three")], Redactor())
    assert [note.prompt for note in turnlog.read(place, "s")] == ["one", "three"]


def test_prompts_are_redacted_before_they_are_kept(place: Place) -> None:
    turnlog.append(place, "s", [TurnNote(turn="a", prompt=f"use {SECRET}"), TurnNote(turn="b", prompt="")], Redactor())
    assert SECRET.encode() not in Path(turnlog.path(place, "s")).read_bytes()
    assert len(turnlog.prompts(turnlog.read(place, "s"))) == 1


def test_without_a_log_there_are_no_notes(place: Place) -> None:
    turnlog.append(place, "s", [], Redactor())
    assert turnlog.read(place, "s") == []
    assert not Path(turnlog.path(place, "s")).exists()
