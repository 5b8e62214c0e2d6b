"""The table of the scenarios in which one call is hurt, and how one of them is played."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.campaign import commands, hooks, hurt, turn_commits
from tests.campaign.hurt import COUNTED_APART, LEVELS, NEVER, Fault
from tests.campaign.scenario import Scenario, Views
from tests.campaign.truth import picture
from tests.campaign.worlds import World

SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario for scenario in (*hooks.SCENARIOS, *turn_commits.SCENARIOS, *commands.SCENARIOS)
}


@dataclass
class Result:
    """What came of one scenario with one kind of fault."""

    name: str
    kind: str
    calls: int = 0  # that the act makes when nothing goes wrong
    points: int = 0  # at which it was hurt
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


class Stage:
    """A prepared scenario, that can be played again and again."""

    def __init__(self, scenario: Scenario, folder: Path) -> None:
        self.scenario = scenario
        self.world = World(folder)
        self.world.notes["scenario"] = scenario.name
        scenario.prepare(self.world)
        self.world.save()
        self._before = picture(self.world), scenario.own(self.world)
        self._after = self._before
        self.calls: dict[str, int] = {}
        self.took = 0.0  # seconds, of the last real process

    def count(self, kind: str) -> int:
        """Return how many calls the act makes, as this kind of fault counts them, when nothing goes wrong."""
        counted = kind if kind in COUNTED_APART else "kill"
        if counted not in self.calls:
            self.world.restore()
            ended = self.scenario.act(self.world, Fault(counted, NEVER))
            assert ended.status == 0, (ended.out, ended.err)
            self._after = picture(self.world), self.scenario.own(self.world)
            self.calls[counted] = ended.calls
        return 0 if kind in LEVELS else self.calls[counted]

    def play(self, fault: Fault) -> str:
        """Hurt the act, and check what must be true; return a word for the outcome."""
        self.count(fault.kind)
        self.world.restore()
        return self.scenario.then(self.world, self.scenario.act(self.world, fault), self.views(fault.kind))

    def play_killed(self, seconds: float, *, group: bool) -> str:
        """The same with the real command, killed after some time."""
        self.count("kill")
        self.world.restore()
        assert self.scenario.words is not None
        words, stdin = self.scenario.words(self.world), self.scenario.stdin(self.world)
        began = time.monotonic()
        ended = hurt.killed_after(words, self.world.story.root, stdin, seconds, group=group)
        self.took = time.monotonic() - began
        said: str = self.scenario.then(self.world, ended, self.views("kill"))
        return said if ended.killed else "in time"

    def views(self, kind: str) -> Views:
        """Return how everything looked before and after."""
        (before, own_before), (after, own_after) = self._before, self._after
        return Views(before=before, after=after, own_before=own_before, own_after=own_after, kind=kind)


def spread(count: int, most: int | None) -> Iterable[int]:
    """Return up to ``most`` of the numbers below ``count``, evenly spread, the first and the last among them."""
    if most is None or most >= count:
        return range(count)
    return sorted({round(number * (count - 1) / max(1, most - 1)) for number in range(most)})


def limits(kind: str, calls: int) -> int:
    """Return how many points there are for a kind of fault; the last one is behind the last call."""
    return len(LEVELS[kind]) if kind in LEVELS else calls + 1
