"""What counts as a turn's final text, in files that hold it at once or never: the clock runs only in sleep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire.agents.claude_code import transcript_wait
from entire.model.events import Event, EventType


class Clock:
    """Time that passes only in sleep."""

    def __init__(self) -> None:
        self.time = 100.0

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds


def record(kind: str, text: str, **more: object) -> bytes:
    """Make a record as the agent writes it: the parent's id first."""
    value = {"parentUuid": None, "type": kind, "message": {"id": "m1", "content": [{"type": "text", "text": text}]}}
    return json.dumps(value | more, separators=(",", ":")).encode() + b"\n"


def waited(path: Path | str, final: str = "Done.", *, turn: str = "t2", start: int = 0) -> float:
    """Return how long the wait took."""
    clock = Clock()
    event = Event(type=EventType.TURN_END, session_id="s", session_ref=str(path), final_text=final, turn_ref=turn)
    transcript_wait.wait(event, start, clock.now, clock.sleep)
    return round(clock.time - 100.0, 6)


PROMPT = record("user", "Go", promptId="t2")
FORK = [record("assistant", "Done."), record("user", "Again", promptId="t2", promptSource="sdk")]


@pytest.mark.parametrize(
    ("records", "there"),
    [
        ([record("assistant", "Done.")], True),
        ([record("assistant", "  Do\nne. ")], True),  # white space does not matter
        ([record("assistant", "Done. Not.")], False),
        ([record("user", "Done.")], False),
        ([record("assistant", "Done.", isSidechain=True)], False),  # a subagent in a file of the old form
        ([record("assistant", "Done.", isSidechain=False)], True),
        ([record("user", "Next", promptId="t3"), record("assistant", "Done.")], False),  # the turn after
        ([record("user", "ok", toolUseResult="x"), record("assistant", "Done.")], True),  # no prompt's id: as before
        ([record("user", "Next", promptId="t3"), record("user", "ok"), record("assistant", "Done.")], False),
        ([record("user", "ok", promptId="t2"), record("assistant", "Done.")], True),  # a tool's result of the turn
        # A fork: what it copied has the new prompt's id (2.1.332), and an old answer may say the same.
        (FORK, False),
        ([*FORK, record("assistant", "Done.")], True),
        ([*FORK, record("assistant", "Done."), record("user", "Next", promptId="t3", promptSource="queued")], True),
        ([b"not JSON\n", b"[1]\n", b"\xff\n", record("assistant", "Done.")], True),
        ([record("assistant", "Do")[:-9] + record("assistant", "Done.")], True),  # glued to a line that was cut
        ([record("assistant", "Done.")[:-1]], True),  # whole but for its newline
        ([record("assistant", "Done.")[:-4]], False),
    ],
)
def test_what_counts_as_the_final_text(tmp_path: Path, records: list[bytes], there: bool) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(PROMPT + b"".join(records))
    took = waited(path)
    assert (took == 0) if there else (transcript_wait.LIMIT <= took < transcript_wait.LIMIT + 2 * transcript_wait.STEP)


def test_blocks_of_different_answers_are_not_joined(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first, second = record("assistant", "Do"), record("assistant", "ne.")
    path.write_bytes(PROMPT + first + second)
    assert waited(path) == 0
    path.write_bytes(PROMPT + first + second.replace(b'"m1"', b'"m2"'))
    assert waited(path) >= transcript_wait.LIMIT


def test_what_lies_before_the_start_is_not_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    old = record("assistant", "Done.")
    path.write_bytes(old)
    assert waited(path, turn="") == 0
    assert waited(path, turn="", start=len(old)) >= transcript_wait.LIMIT
    assert waited(path, turn="", start=len(old) + 1000) >= transcript_wait.LIMIT  # the file was cut meanwhile


@pytest.mark.parametrize("name", ["missing.jsonl", "a\0b", ""])
def test_a_path_that_leads_nowhere_costs_half_a_second(tmp_path: Path, name: str) -> None:
    took = waited(str(tmp_path / name) if name else "")
    assert transcript_wait.NO_FILE <= took < transcript_wait.NO_FILE + 2 * transcript_wait.STEP


def test_an_empty_file_is_no_missing_one(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.touch()
    assert transcript_wait.STABLE <= waited(path, "") < transcript_wait.STABLE + 2 * transcript_wait.STEP
    assert waited(path) >= transcript_wait.LIMIT
