"""The wait for events that Copilot writes while the hook of a turn's end already runs."""

from __future__ import annotations

from pathlib import Path

from entire.agents.copilot.agent import Copilot
from entire.model.events import Event, EventType
from entire.model.positions import START, Position
from tests.agents.copilot.writer import Events


class Clock:
    """Tells a time that only waiting moves on, and appends an event at each of its steps."""

    def __init__(self, *later: tuple[Events, str]) -> None:
        self.now = 0.0
        self.later = list(later)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.later:
            events, kind = self.later.pop(0)
            events.hook(kind) if kind == "agentStop" else events.say(kind)


def wait(path: Path, clock: Clock, since: Position = START, kind: EventType = EventType.TURN_END) -> float:
    agent = Copilot(env={}, clock=clock, sleep=clock.sleep)
    agent.prepare_transcript(Event(type=kind, session_id="s1", session_ref=str(path)), since)
    return clock.now


def test_it_waits_for_the_hook_itself(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    events = Events(path, "s1", "/p")
    events.prompt("go")
    assert wait(path, Clock((events, "one"), (events, "two"), (events, "agentStop"))) == 3 * 0.02
    end = Copilot(env={}).transcript(str(path)).end()
    assert wait(path, Clock()) == 0.0
    assert wait(path, Clock((events, "three"), (events, "agentStop")), since=end) == 2 * 0.02


def test_the_hook_of_a_subagent_is_another_one(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    Events(path, "s1", "/p", agent="helper").hook("agentStop")
    assert wait(path, Clock()) >= 2.5


def test_it_gives_up(tmp_path: Path) -> None:
    assert 2.5 <= wait(tmp_path / "missing.jsonl", Clock()) < 2.6
    assert wait(tmp_path / "missing.jsonl", Clock(), kind=EventType.COMPACTION) == 0.0
