"""Run the campaign: ``python -m tests.campaign [--quick] [--seconds N] [--only TEXT]``.

A row is named ``scenario / fault``; ``--only`` may be given several times, and all must be in the name.

Every hook and every command that changes something is hurt at each of its calls, with each kind of fault; real
processes are killed at random times; what is kept is damaged; several work at once. A model that knows git, the files
and the transcripts says what must be true. A table is printed at the end; the exit code is 1 if anything was not.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.campaign import hurt
from tests.campaign.crowds import CROWDS
from tests.campaign.damage import FILES, OTHERS, WAYS, damage_file, damage_other, with_undo_point
from tests.campaign.hurt import KINDS, Fault
from tests.campaign.scenarios import SCENARIOS, Result, Stage, limits, spread
from tests.campaign.worlds import World
from tests.conftest import GIT_CONFIG, sealed_environment

RANDOM, DAMAGE, CROWD = "random kills", "damage", "at once"
_KILLS = 40  # real ones, of each scenario
_QUICK = 3


class Campaign:
    """What was asked for, and what came of it."""

    def __init__(self, asked: argparse.Namespace, folder: Path) -> None:
        self.asked = asked
        self.folder = folder
        self.results: list[Result] = []

    def run(self) -> None:
        """Play everything."""
        for name in SCENARIOS:
            for kind in (*KINDS, RANDOM):
                if self._is_wanted(name, kind):
                    self._play(name, kind)
        for name in (*FILES, *OTHERS):
            if self._is_wanted(name, DAMAGE):
                self._damage(name)
        for name in CROWDS:
            if self._is_wanted(name, CROWD):
                self._crowd(name)

    def _is_wanted(self, name: str, kind: str) -> bool:
        return all(text in f"{name} / {kind}" for text in self.asked.only)

    def _new(self, name: str, kind: str) -> tuple[Result, Path]:
        result = Result(name, kind)
        self.results.append(result)
        return result, self.folder / f"{len(self.results)}"

    def _play(self, name: str, kind: str) -> None:
        scenario = SCENARIOS[name]
        if kind == RANDOM and scenario.words is None:
            return
        with _disk(self.folder, small=kind == "full tmpfs") as disk:
            if disk is None:
                return
            result, folder = self._new(name, kind)
            with _quiet():
                stage = Stage(scenario, disk / folder.name)
                if kind == RANDOM:
                    self._kill(stage, result)
                else:
                    result.calls = stage.count(kind)
                    most = _QUICK if self.asked.quick else None
                    points = list(spread(limits(kind, result.calls), most))
                    random.Random(self.asked.seed).shuffle(points)  # so that --seconds takes them from everywhere
                    self._each(result, [(str(at), functools.partial(stage.play, Fault(kind, at))) for at in points])
            shutil.rmtree(disk / folder.name)
        _say(result)

    def _kill(self, stage: Stage, result: Result) -> None:
        stage.play_killed(60, group=False)
        seconds = stage.took
        chance = random.Random(self.asked.seed)
        moments = [chance.uniform(0, seconds) for _ in range(_QUICK if self.asked.quick else _KILLS)]
        self._each(result, [
            (f"{at:.3f} s", functools.partial(stage.play_killed, at, group=number % 2 == 1))
            for number, at in enumerate(moments)
        ])  # fmt: skip

    def _damage(self, name: str) -> None:
        result, folder = self._new(name, DAMAGE)
        with _quiet():
            world = World(folder)
            with_undo_point(world)
            world.save()

            def play(way: str) -> str:
                world.restore()
                return damage_file(world, name, way) if name in FILES else damage_other(world, name)

            self._each(result, [(way, functools.partial(play, way)) for way in (WAYS if name in FILES else ("",))])
        shutil.rmtree(folder)
        _say(result)

    def _crowd(self, name: str) -> None:
        result, folder = self._new(name, CROWD)
        with _quiet():
            world = World(folder)
            world.save()

            def play() -> str:
                world.restore()
                return CROWDS[name](world)

            self._each(result, [(str(number), play) for number in range(1 if self.asked.quick else 5)])
        shutil.rmtree(folder)
        _say(result)

    def _each(self, result: Result, plays: list[tuple[str, Callable[[], str]]]) -> None:
        until = time.monotonic() + self.asked.seconds
        for at, play in plays:
            if time.monotonic() > until:
                result.outcomes["not played: no time"] += 1
                continue
            result.points += 1
            try:
                result.outcomes[play()] += 1
            except (AssertionError, OSError, ValueError, LookupError, subprocess.SubprocessError):
                result.outcomes["WRONG"] += 1
                result.failures.append(f"{result.name} / {result.kind} at {at}\n{traceback.format_exc()}")


@contextlib.contextmanager
def _disk(folder: Path, *, small: bool) -> Iterator[Path | None]:
    """Give a folder; with ``small`` on a file system of its own that may be filled, None where none can be made."""
    if not small:
        yield folder
        return
    disk = folder / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(disk)], capture_output=True, check=False
    )
    try:
        os.environ[hurt.TMPFS] = str(disk)
        yield disk if done.returncode == 0 else None
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", "-l", str(disk)], check=True)
        disk.rmdir()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Let what hooks say in this process go nowhere."""
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        yield


def _say(result: Result) -> None:
    print(f"{result.name} / {result.kind}: {_outcomes(result)}", file=sys.stderr, flush=True)


def _outcomes(result: Result) -> str:
    return ", ".join(f"{count} {word}" for word, count in sorted(result.outcomes.items()))


def table(results: list[Result]) -> str:
    """Return the results: a line for each scenario and kind of fault."""
    rows = [("scenario", "fault", "points", "outcomes")]
    rows += [(result.name, result.kind, str(result.points), _outcomes(result)) for result in results]
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    lines = ["  ".join([*(row[at].ljust(widths[at]) for at in range(3)), row[3]]) for row in rows]
    wrong = sum(len(result.failures) for result in results)
    return "\n".join([*lines, "", f"{sum(result.points for result in results)} points, {wrong} wrong"])


def main() -> int:
    """Run what is asked for and print the table."""
    asked = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # nothing stays mounted
    folder = Path(tempfile.mkdtemp(prefix="entire-campaign-")).resolve()
    home = folder / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(GIT_CONFIG)
    environment = sealed_environment(home)
    os.environ.clear()
    os.environ.update(environment)
    campaign = Campaign(asked, folder)
    try:
        campaign.run()
    finally:
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)
    failures = [failure for result in campaign.results for failure in result.failures]
    print("\n".join(failures[:20]) + ("\n" if failures else "") + table(campaign.results))
    return 1 if failures else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{_QUICK} points of each scenario and kind of fault")
    parser.add_argument("--seconds", type=float, default=1e9, metavar="N", help="of each row, at most")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="rows whose name contains this")
    parser.add_argument("--seed", type=int, default=1, help="of the order, and of the random kills")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
