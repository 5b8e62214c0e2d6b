"""Turns of a session that goes on elsewhere: told by the record beside the checkpoint and by the transcript."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from entire.conversation.records import Prompt
from entire.model.positions import Position
from entire.model.times import parse_time
from entire.resume import restore
from entire.resume.targets import StoredSession, _keep_latest
from entire.store.turnlog import TurnNote

END = Position(count=1000, byte=5000)
WHEN = "2026-03-01T10:00:00Z"


def turn(name: str, position: int, **more: Any) -> dict[str, Any]:
    return {"turn": name, "prompt_position": position, "started_at": WHEN, **more}


def prompt(text: str, position: int) -> Prompt:
    return Prompt(text=text, position=position)


def told(notes: list[TurnNote]) -> list[tuple[str, int, str]]:
    return [(note.turn, note.position, note.prompt) for note in notes]


def test_words_come_from_the_transcript_and_the_rest_from_the_record() -> None:
    turns = [turn("t1", 0, model="m", token_usage={"input_tokens": 3}, ended_at=WHEN), turn("t2", 9)]
    notes = restore.notes_of(turns, [prompt("first", 2), prompt("second", 9)], [], END)
    assert told(notes) == [("t1", 0, "first"), ("t2", 9, "second")]
    assert (notes[0].model, notes[0].tokens) == ("m", {"input_tokens": 3})
    assert notes[0].time == notes[0].ended == notes[1].time == parse_time(WHEN)
    assert (notes[1].ended, notes[1].tokens) == (0.0, {})


def test_without_a_record_each_prompt_is_a_turn_that_nobody_saw() -> None:
    notes = restore.notes_of([], [prompt("first", 2), prompt("second", 9)], [], END)
    assert told(notes) == [("", 0, "first"), ("", 9, "second")]


def test_a_turn_without_a_prompt_takes_none_of_its_neighbours() -> None:
    turns = [turn("t1", 0), turn("t2", 5), turn("t3", 9)]
    notes = restore.notes_of(turns, [prompt("first", 2), prompt("third", 9), prompt("more", 11)], [], END)
    assert told(notes) == [("t1", 0, "first"), ("t2", 5, ""), ("t3", 9, "third"), ("", 11, "more")]


def test_what_was_noted_here_wins_and_what_lies_behind_the_end_goes() -> None:
    noted = [TurnNote(turn="t1", prompt="as noted here", position=0), TurnNote(turn="t9", prompt="cut", position=50)]
    notes = restore.notes_of([turn("t1", 0), turn("t2", 9)], [prompt("first", 2), prompt("second", 9)], noted,
                          Position(count=20, byte=100))  # fmt: skip
    assert told(notes) == [("t1", 0, "as noted here"), ("t2", 9, "second")]


scalars = st.none() | st.integers() | st.text(max_size=3) | st.floats()
anything = scalars | st.lists(scalars, max_size=2) | st.dictionaries(st.text(max_size=3), scalars, max_size=2)
keys = st.sampled_from(["turn", "prompt_position", "started_at", "ended_at", "model", "token_usage"])


@given(st.lists(st.dictionaries(keys, anything), max_size=4), st.lists(st.integers(0, 30), max_size=5, unique=True))
def test_whatever_the_record_holds_no_prompt_is_lost(turns: list[dict[str, Any]], at: list[int]) -> None:
    prompts = [prompt(f"prompt {position}", position) for position in sorted(at)]
    notes = restore.notes_of(turns, prompts, [], END)
    assert [note.prompt for note in notes if note.prompt] == [asked.text for asked in prompts]
    assert [note.position for note in notes] == sorted(note.position for note in notes)


def piece(data: bytes, created: float = 0.0, checkpoint: str = "") -> StoredSession:
    return StoredSession(session_id="s", agent_type="Claude Code", data=data, created=created, checkpoint_id=checkpoint)


def test_of_several_transcripts_of_a_session_the_one_that_went_on_longest_counts() -> None:
    early = piece(b'{"timestamp": "2026-01-01T00:00:00Z"}\n', 9.0, "early")
    late = piece(b'{"timestamp": "2026-01-02T00:00:00Z"}\n', 5.0, "late")
    without = piece(b"{}\n", 7.0, "without")
    for order in ((early, late, without), (late, without, early), (without, early, late)):
        found: dict[str, StoredSession] = {}
        for stored in (*order, None):
            _keep_latest(found, stored)
        assert found["s"] is late
    step = piece(bytes(late.data))
    found = {"s": late}
    _keep_latest(found, step)
    assert found["s"] is late
