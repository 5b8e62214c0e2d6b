"""Count how often a hook or command switches between modules: ``python -m bench.switches [--json]``.

It plays a small session of Claude Code in scratch repositories: the end of a turn (``stop``), a commit
(``prepare-commit-msg`` and ``post-commit``), and a rewind by one turn. Each process runs under ``sys.setprofile``,
which sees every call of a Python function:

- **modules**: modules of ``entire`` of which at least one function ran. Importing a module does not count.
- **switches**: calls from one module of ``entire`` straight into a function of another. A generator counts when it
  starts, not when it is resumed. Calls into ``entire.model`` and ``entire.errors`` are not switches, because values are
  used everywhere; they have a column of their own, **values**.
- **down, level, up**: the direction of the switches, by the floors that ``pyproject.toml`` gives to import-linter.
  Level: within one floor, mostly within one room. Up: from a lower floor to a higher one, which is a callback.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import sys
import sysconfig
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.installed import ROOT
from bench.play import Session
from bench.processes import Programs
from bench.worlds import World

VALUES = ("model", "errors")
# Started as the launcher starts a hook. Appends a line to the report: the command, the modules, the calls between them.
PROBE = """
import sys
report, source, packages, *argv = sys.argv[1:]
sys.path += [source, packages]
from entire.cli import main

FUNCTION = 2  # inspect.CO_OPTIMIZED: neither a module's nor a class's body
modules, calls, starts = set(), {}, {}

def profile(frame, event, _):
    if event != "call" or not frame.f_code.co_flags & FUNCTION:
        return
    called = frame.f_globals.get("__name__", "")
    if called.partition(".")[0] != "entire":
        return
    modules.add(called)
    if frame.f_lasti > starts.setdefault(frame.f_code, frame.f_lasti):
        return  # a resumed generator: it started at a lower instruction
    caller = frame.f_back.f_globals.get("__name__", "") if frame.f_back else ""
    if caller != called and caller.partition(".")[0] == "entire":
        calls[caller, called] = calls.get((caller, called), 0) + 1

sys.setprofile(profile)
status = main(argv)
sys.setprofile(None)
import json
with open(report, "a") as file:
    between = [[*pair, count] for pair, count in calls.items()]
    file.write(json.dumps({"argv": argv, "modules": sorted(modules), "calls": between}) + "\\n")
sys.stdout.flush()
sys.exit(status)
"""


@dataclass(frozen=True)
class Row:
    """The counts of a process; ``upward``: the calls from a lower to a higher floor, by pair of modules."""

    name: str
    modules: int
    switches: int
    down: int
    level: int
    up: int
    values: int
    upward: dict[str, int]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.switches", description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--checkout", type=Path, default=ROOT, metavar="FOLDER", help="count in another checkout of this project"
    )
    options = parser.parse_args()
    rows = count(options.checkout.resolve())
    print(json.dumps([asdict(row) for row in rows], indent=2) if options.json else table(rows))
    return 0


def count(checkout: Path) -> list[Row]:
    """Play the session with the sources of a checkout; return a row for each counted process."""
    floors = floors_of(checkout)
    folder = Path(tempfile.mkdtemp(prefix="entire-switches-")).resolve()
    try:
        report = folder / "report"
        programs = Programs(_profiled(folder, checkout / "src", report), folder / "home")
        return [row(process, floors) for process in _play(folder, programs, report)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def floors_of(checkout: Path) -> dict[str, int]:
    """Return the floor of each room and module below ``entire``, counted from the top."""
    contracts = tomllib.loads((checkout / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return {name.strip(" ()"): number for number, layer in enumerate(layers) for name in layer.split("|")}


def row(process: dict[str, Any], floors: dict[str, int]) -> Row:
    """Sum the calls of a process by direction. Modules without a floor (``entire`` itself) are above all others."""
    directions = {"down": 0, "level": 0, "up": 0, "values": 0}
    upward: dict[str, int] = {}
    for caller, called, times in process["calls"]:
        fall = floors.get(_room(called), -1) - floors.get(_room(caller), -1)
        if fall < 0:
            direction = "up"
            upward[f"{caller} -> {called}"] = times
        elif _room(called) in VALUES:
            direction = "values"
        else:
            direction = "down" if fall else "level"
        directions[direction] += times
    argv = process["argv"]
    name = argv[2] if argv[0] == "hooks" else argv[0]
    switches = sum(directions.values()) - directions["values"]
    return Row(name=name, modules=len(process["modules"]), switches=switches, upward=upward, **directions)


def _room(module: str) -> str:
    return module.removeprefix("entire").strip(".").partition(".")[0]


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a table, followed by the upward calls."""
    columns = ("modules", "switches", "down", "level", "up", "values")
    lines = [f"{'':20}" + "".join(f"{column:>10}" for column in columns)]
    lines += [f"{row.name:20}" + "".join(f"{getattr(row, column):10}" for column in columns) for row in rows]
    upward = [f"  {row.name}: {pair} ({times})" for row in rows for pair, times in sorted(row.upward.items())]
    return "\n".join([*lines, "", "up:", *(upward or ["  none"])])


def _profiled(folder: Path, source: Path, report: Path) -> Path:
    """Return a folder for PATH whose ``entire`` runs under the profile function."""
    probe = folder / "probe.py"
    probe.write_text(PROBE)
    words = [sys.executable, "-I", "-S", str(probe), str(report), str(source), sysconfig.get_path("purelib")]
    program = folder / "bin" / "entire"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    program.chmod(0o755)
    return program.parent


def _play(folder: Path, programs: Programs, report: Path) -> Iterator[dict[str, Any]]:
    """Yield the counts for the end of a turn, a commit and a rewind."""
    world = _world(folder / "commit", programs)
    session = Session(world)
    yield from _counted(report, _turn(session, "first"))
    world.git("add", "-A")
    yield from _counted(report, lambda: world.commit("Commit the turn"))
    world.linked()
    _check(world)

    world = _world(folder / "rewind", programs)
    session = Session(world)
    _turn(session, "first")()
    _turn(session, "second")()
    oldest = json.loads(world.entire("rewind", "--list", "--json").output)[-1]["id"]
    yield from _counted(report, lambda: world.entire("rewind", "--to", oldest))
    if world.read("file.txt") != "first\n":
        raise RuntimeError("the rewind did not undo the second turn")
    _check(world)


def _world(folder: Path, programs: Programs) -> World:
    world = World(folder, programs)
    world.enable()
    world.git("add", "-A")
    world.git("commit", "-q", "-m", "Enable entire")
    return world


def _turn(session: Session, text: str) -> Callable[[], object]:
    """Play a turn that writes a file; return the function that ends it."""
    session.prompt()
    session.world.write("file.txt", f"{text}\n")
    answer = session.finish()
    return lambda: session.stop(answer)


def _counted(report: Path, act: Callable[[], object]) -> Iterator[dict[str, Any]]:
    report.unlink(missing_ok=True)
    act()
    yield from map(json.loads, report.read_text().splitlines())


def _check(world: World) -> None:
    if world.complaints():
        raise RuntimeError(f"hooks failed: {world.complaints()[:3]}")


if __name__ == "__main__":
    sys.exit(main())
