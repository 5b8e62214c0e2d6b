"""The wait at a turn's end, with a clock of the test's own: the file changes while the hook sleeps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from entire.agents.claude_code.agent import ClaudeCode
from entire.model.events import Event, EventType
from entire.model.positions import START, Position
from tests.agents.claude_code import oracle

EARLY = Path(oracle.path_of("stop-hook-start")).read_bytes()
LATE = Path(oracle.path_of("stop-hook-start-plus-3s")).read_bytes()
TURN = "0dbbbaff-27ad-4359-9155-5fad2a2bf932"
FINAL = "Created hello.py and ran it."


class World:
    """Time that passes only in sleep; ``plan`` says what is written when."""

    def __init__(self, path: Path, plan: dict[float, bytes]) -> None:
        self.path = path
        self.time = 0.0
        self.plan = dict(sorted(plan.items()))
        self.sleeps = 0
        self._write()

    def sleep(self, seconds: float) -> None:
        assert 0 < seconds <= 0.02
        self.sleeps += 1
        self.time += seconds
        self._write()

    def _write(self) -> None:
        while self.plan and next(iter(self.plan)) <= self.time:
            self.path.write_bytes(self.plan.pop(next(iter(self.plan))))

    def wait(self, since: Position = START, *, final_text: str = "", turn_ref: str = "") -> float:
        agent = ClaudeCode(clock=lambda: self.time, sleep=self.sleep, now=lambda: 0.0)
        event = Event(
            type=EventType.TURN_END,
            session_id="s",
            session_ref=str(self.path),
            final_text=final_text,
            turn_ref=turn_ref,
        )
        agent.prepare_transcript(event, since)
        return self.time


@pytest.fixture
def world(tmp_path: Path) -> Callable[[dict[float, bytes]], World]:
    return lambda plan: World(tmp_path / "s.jsonl", plan)


def record(kind: str, text: str, turn: str = "") -> bytes:
    more = {"promptId": turn} if turn else {}
    content: object = text if kind == "user" else [{"type": "text", "text": text}]
    return json.dumps({"type": kind, "message": {"id": "m", "content": content}, **more}).encode() + b"\n"


def test_it_waits_until_the_final_text_is_there(world: Callable[[dict[float, bytes]], World]) -> None:
    assert 0.1 <= world({0: EARLY, 0.1: LATE}).wait(turn_ref=TURN, final_text=FINAL) <= 0.12


def test_it_does_not_wait_when_all_is_there(world: Callable[[dict[float, bytes]], World]) -> None:
    there = world({0: LATE})
    assert there.wait(turn_ref=TURN, final_text=FINAL) == 0.0
    assert there.sleeps == 0


def test_it_gives_up_after_two_and_a_half_seconds(world: Callable[[dict[float, bytes]], World]) -> None:
    assert 2.5 <= world({0: EARLY}).wait(turn_ref=TURN, final_text=FINAL) <= 2.53


def test_a_file_that_never_appears_costs_half_a_second(world: Callable[[dict[float, bytes]], World]) -> None:
    assert 0.5 <= world({}).wait(turn_ref=TURN, final_text=FINAL) <= 0.53


def test_the_file_may_appear_late(world: Callable[[dict[float, bytes]], World]) -> None:
    assert 0.2 <= world({0.2: LATE}).wait(turn_ref=TURN, final_text=FINAL) <= 0.22


def test_a_half_written_line_is_waited_for(world: Callable[[dict[float, bytes]], World]) -> None:
    cut = LATE[: LATE.rindex(FINAL.encode()) + 10]
    assert 0.3 <= world({0: EARLY, 0.1: cut, 0.3: LATE}).wait(turn_ref=TURN, final_text=FINAL) <= 0.32


def test_the_same_words_of_an_earlier_turn_do_not_count(world: Callable[[dict[float, bytes]], World]) -> None:
    before = record("user", "one", "t1") + record("assistant", "Hi there.")
    after = before + record("user", "two", "t2") + record("assistant", "Hi there.")
    assert 0.1 <= world({0: before, 0.1: after}).wait(turn_ref="t2", final_text="Hi there.") <= 0.12
    since = Position(count=2, byte=len(before))
    assert 0.1 <= world({0: before, 0.1: after}).wait(since, final_text="Hi there.") <= 0.12


def test_the_end_of_an_earlier_turn_behind_the_start_does_not_count(
    world: Callable[[dict[float, bytes]], World],
) -> None:
    first = record("user", "one", "t1")
    before = first + record("assistant", "Hi there.")
    after = before + record("user", "two", "t2") + record("assistant", "Hi there.")
    since = Position(count=1, byte=len(first))
    assert 0.1 <= world({0: before, 0.1: after}).wait(since, turn_ref="t2", final_text="Hi there.") <= 0.12


def test_a_text_in_several_blocks(world: Callable[[dict[float, bytes]], World]) -> None:
    turn = record("user", "one", "t1")
    parts = turn + record("assistant", "First.") + record("assistant", "Second.\n")
    assert world({0: parts}).wait(turn_ref="t1", final_text="First.\n\nSecond.") == 0.0
    assert world({0: parts}).wait(turn_ref="t1", final_text="Second.") == 0.0


def test_the_old_short_form_does_not_tell_turns_apart(world: Callable[[dict[float, bytes]], World]) -> None:
    assert world({0: record("user", "x") + record("assistant", "y")}).wait(turn_ref="t1", final_text="y") == 0.0


def test_without_a_final_text_it_waits_until_nothing_moves(world: Callable[[dict[float, bytes]], World]) -> None:
    assert 0.15 <= world({0: EARLY}).wait(turn_ref=TURN) <= 0.18
    moving = {at / 100: LATE[: 5000 + at * 10] for at in range(0, 60, 10)}
    assert 0.65 <= world(moving).wait(turn_ref=TURN) <= 0.7


def test_only_the_end_of_a_turn_is_waited_for(tmp_path: Path) -> None:
    def sleep(_seconds: float) -> None:
        raise AssertionError("slept")

    agent = ClaudeCode(sleep=sleep)
    path = str(tmp_path / "none.jsonl")
    for kind in set(EventType) - {EventType.TURN_END}:
        agent.prepare_transcript(Event(type=kind, session_id="s", session_ref=path, final_text="x"), START)
    agent.prepare_transcript(Event(type=EventType.TURN_END, session_id="s", final_text="x"), START)


def test_a_long_file_is_read_near_its_end_only(world: Callable[[dict[float, bytes]], World]) -> None:
    filler = record("user", "x" * 1_000_000, "t1")
    there = world({0: filler * 20 + record("assistant", "Done.")})
    assert there.wait(turn_ref="t1", final_text="Done.") == 0.0
