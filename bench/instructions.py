"""Count the instructions of each hook's own process, and compare them with budgets: ``make instructions``.

It plays sessions in scratch repositories, with each hook under ``valgrind``, and prints the instructions next to those
of the same interpreter that starts and does nothing. A busy machine does not change them. Processes that a hook starts,
git among them, are not counted. A hook that takes more than its budget in ``instructions.json`` allows is an error.
``ENTIRE_ACCEPT=1`` writes the figures there as the new budgets; a later change that makes a hook dearer does so in its
own commit.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.agents import CLAUDE_CODE, GEMINI_CLI
from bench.installed import ROOT
from bench.play import Session
from bench.processes import Programs
from bench.worlds import Kind, World

COUNT = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--trace-children=no")
BUDGETS = Path(__file__).with_suffix(".json")
ALLOWED = 1.03
"""How many times its budget a hook may take: other builds of Python differ a little."""

TRANSCRIPT = 15_000
"""Bytes that a turn adds to the transcript."""

SEED = 7
"""Of the counted sessions: all have the same texts, so what is kept of one serves all."""

SMALL = Kind("", files=1, growth=TRANSCRIPT)
GEMINI = Kind("", files=1, growth=TRANSCRIPT, agent=GEMINI_CLI)
FULL = Kind("much stored", files=1, growth=TRANSCRIPT, sessions=500, checkpoints=10_000, transcript=100_000_000)
PARTS = (
    Kind("500 sessions", files=1, growth=TRANSCRIPT, sessions=500),
    Kind("10,000 checkpoints", files=1, growth=TRANSCRIPT, checkpoints=10_000),
    Kind("100 MB transcript", files=1, growth=TRANSCRIPT, transcript=100_000_000),
)
"""What is stored in ``FULL``, one by one: tells which of them makes a hook dearer."""
ALL = (SMALL, GEMINI, FULL, *PARTS)

_TASK: dict[str, object] = {"description": "look", "prompt": "look at it", "subagent_type": "general-purpose"}
_CALL: dict[str, object] = {"tool_name": "Task", "tool_use_id": "toolu_01", "tool_input": _TASK}
_HELPER: dict[str, object] = {
    "tool_name": "invoke_agent",
    "tool_input": {"agent_name": "generalist", "prompt": "look at it"},
}
_SHELL: dict[str, object] = {
    "tool_name": "run_shell_command",
    "tool_input": {"command": "ls"},
    "tool_response": {"llmContent": "a.txt"},
}
OTHERS: dict[str, tuple[tuple[str, dict[str, object]], ...]] = {
    CLAUDE_CODE.name: (
        ("pre-task", {**_CALL}),
        ("post-todo", {"tool_name": "TodoWrite", "agent_id": "a1", "tool_input": {"todos": [{"content": "look"}]}}),
        ("subagent-stop", {"agent_id": "a1", "agent_type": "general-purpose", "last_assistant_message": "Done."}),
        ("post-task", {**_CALL, "tool_response": {"status": "completed", "agentId": "a1"}}),
        ("pre-compact", {"trigger": "manual"}),
        ("stop-failure", {"last_assistant_message": ""}),
    ),
    GEMINI_CLI.name: (
        ("after-tool shell", _SHELL),
        ("before-tool", {**_HELPER}),
        ("after-tool", {**_HELPER, "tool_response": {"llmContent": "Done."}}),
        ("pre-compress", {"trigger": "manual"}),
    ),
}
"""The hooks of each agent within a turn, with their payloads."""

IGNORED: tuple[str, dict[str, object]] = ("notification", {"message": "waiting"})


@dataclass(frozen=True)
class Row:
    """A hook, the instructions of its process, and those of the bare interpreter."""

    name: str
    count: int
    bare: int

    @property
    def times(self) -> float:
        return self.count / self.bare


@dataclass(frozen=True)
class Budget:
    """What a hook takes at most, and what it should, in starts of the bare interpreter; 0 if no one said."""

    budget: float
    target: float = 0


class Meter:
    """Programs of which the hooks are counted, while that is wanted. They run from a copy of the sources, since other
    hooks change what is kept beside the sources: compiled modules and patterns.
    """

    def __init__(self, folder: Path) -> None:
        self._logs = folder / "logs"
        self._kept = re.compile(r"(.*)\.\d+")
        for package in ("entire", "entire_secrets"):
            kept_apart = shutil.ignore_patterns("*.bundle", "*.forms", "*.new")
            shutil.copytree(ROOT / "src" / package, folder / "src" / package, ignore=kept_apart)
        begin = shlex.join([sys.executable, "-I", "-S", str(folder / "src" / "entire" / "launch.py")])
        program = folder / "bin" / "entire"
        program.parent.mkdir()
        program.write_text(
            f'#!/bin/sh\n[ "$1" = hooks ] || exec {sys.executable} -I -m entire "$@"\n'
            f'[ -d {self._logs} ] || exec {begin} "$@"\n'
            f'exec {shlex.join(COUNT)} --log-file="{self._logs}/$2 $3.%p" {begin} "$@" 2>/dev/null\n'
        )
        program.chmod(0o755)
        self.programs = Programs(program.parent, folder / "home")

    def bare(self) -> int:
        """Return the instructions of an interpreter that does nothing."""
        self._logs.mkdir()
        log = self._logs / "bare"
        self.programs.run([*COUNT, f"--log-file={log}", sys.executable, "-I", "-S", "-c", "pass"])
        count = _instructions(log)
        shutil.rmtree(self._logs)
        return count

    @contextmanager
    def counting(self, counts: dict[str, int]) -> Iterator[None]:
        """Add the hooks that run meanwhile to ``counts``, by agent and verb."""
        self._logs.mkdir()
        yield
        for log in sorted(self._logs.iterdir(), key=lambda path: path.stat().st_mtime_ns):
            name = self._kept.sub(r"\1", log.name)
            if count := _instructions(log):  # else a child that became another program
                counts[name] = count
        shutil.rmtree(self._logs)


def main() -> int:
    """Print the table; return 1 if a hook exceeds its budget."""
    parser = argparse.ArgumentParser(prog="python -m bench.instructions", description=__doc__)
    parser.add_argument("--all", action="store_true", help="also what is stored, one by one")
    options = parser.parse_args()
    if shutil.which(COUNT[0]) is None:
        print("valgrind is not installed: install it (Debian: apt-get install valgrind)", file=sys.stderr)
        return 2
    version, budgets = load(BUDGETS)
    is_compared = version == python_version()
    found: list[Row] = []
    folder = Path(tempfile.mkdtemp(prefix="entire-instructions-")).resolve()
    try:
        for row in rows(folder, ALL if options.all else (SMALL, GEMINI, FULL)):
            if not found:
                print(f"{'bare interpreter':48}{row.bare / 1e6:8.1f} M")
            found.append(row)
            print(line(row, budgets.get(row.name) if is_compared else None), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if os.environ.get("ENTIRE_ACCEPT") == "1":
        BUDGETS.write_text(accepted(found, budgets))
        return 0
    if not is_compared:
        print(f"Not compared: the budgets are those of Python {version}, this is {python_version()}.", file=sys.stderr)
        return 0
    wrong = problems(found, budgets)
    for problem in wrong:
        print(problem, file=sys.stderr)
    return 1 if wrong else 0


# ---------------------------------------------------------------- budgets


def python_version() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def load(path: Path) -> tuple[str, dict[str, Budget]]:
    """Return the version of Python that the budgets are of, and the budgets by row."""
    value = json.loads(path.read_text())
    return value["python"], {name: Budget(**each) for name, each in value["rows"].items()}


def line(row: Row, budget: Budget | None) -> str:
    """Return the row of the printed table."""
    told = f"{row.name:48}{row.count / 1e6:8.1f} M{row.times:8.2f} x"
    if budget is None:
        return told
    target = f"{budget.target:8.2f}" if budget.target else " " * 8
    return f"{told}   budget {budget.budget:.2f}   target {target}{'' if is_within(row, budget) else '   OVER'}"


def is_within(row: Row, budget: Budget) -> bool:
    return row.times <= budget.budget * ALLOWED


def problems(found: list[Row], budgets: Mapping[str, Budget]) -> list[str]:
    """Say which hooks exceed their budgets, and what to do."""
    wrong = []
    if unknown := [row.name for row in found if row.name not in budgets]:
        wrong.append(f"No budget for {'; '.join(unknown)}: store one with ENTIRE_ACCEPT=1 make instructions")
    for row in found:
        budget = budgets.get(row.name)
        if budget is not None and not is_within(row, budget):
            wrong.append(
                f"{row.name} takes {row.times:.2f} times the instructions of a bare interpreter; its budget is"
                f" {budget.budget:.2f}, and 3 % more are allowed. Make it cheaper. If what it does now is worth that,"
                f" run ENTIRE_ACCEPT=1 make instructions, commit bench/{BUDGETS.name} with the change, and say why."
            )
    return wrong


def accepted(found: list[Row], budgets: Mapping[str, Budget]) -> str:
    """Return the file with what was found as the budgets; rows that were not counted, and targets, stay."""
    new = dict(budgets)
    for row in found:
        known = budgets.get(row.name)
        new[row.name] = Budget(round(row.times, 2), known.target if known else 0)
    lines = [f"  {json.dumps(name)}: {json.dumps(vars(each))}" for name, each in new.items()]
    return f'{{\n "python": "{python_version()}",\n "rows": {{\n' + ",\n".join(lines) + "\n }\n}\n"


# ---------------------------------------------------------------- counting


def rows(folder: Path, kinds: tuple[Kind, ...]) -> Iterator[Row]:
    """Yield each hook of the agents of these repositories."""
    meter = Meter(folder)
    bare = meter.bare()
    for number, kind in enumerate(kinds):
        is_small = not kind.name
        counted = _counted_small if is_small else _counted_full
        for name, count in counted(meter, folder / str(number), kind):
            yield Row(name, count, bare)
        shutil.rmtree(folder / str(number))


def _counted_small(meter: Meter, folder: Path, kind: Kind) -> Iterator[tuple[str, int]]:
    """Count each hook in a new repository, then a second turn; before, all of it is played once, for what is kept
    beside the sources.
    """
    counts: tuple[dict[str, int], ...] = ()
    for name in ("first", "counted"):
        world = World(folder / name, meter.programs, kind.agent)
        world.fill(kind)
        counts = _played(meter if name == "counted" else None, world, kind)
    once, later = counts
    agent = "" if kind.agent is CLAUDE_CODE else f", {kind.agent.name}"
    for hook, count in once.items():
        yield (f"{hook}{agent}" if hook.startswith("git ") else hook), count
    for hook, count in later.items():
        yield f"{hook}, later turn", count


def _played(meter: Meter | None, world: World, kind: Kind) -> tuple[dict[str, int], dict[str, int]]:
    """Play two turns with their commits, then a turn with a subagent; return what was counted, of the second turn
    apart.
    """
    once: dict[str, int] = {}
    later: dict[str, int] = {}
    with _counting(meter, once):
        session = Session(world, seed=SEED)
        _turn(session, kind.growth)
        session.hook(*IGNORED)
    if kind.agent is CLAUDE_CODE:  # as ``FULL``, whose rows are to be compared
        with _counting(meter, later):
            _turn(session, kind.growth)
    session.prompt()
    for verb, payload in OTHERS[kind.agent.name]:
        session.work(kind.growth)
        counts: dict[str, int] = {}
        with _counting(meter, counts):
            session.hook(verb.partition(" ")[0], payload)
        once |= {f"{kind.agent.name} {verb}": count for count in counts.values()}
    session.stop(session.finish())
    with _counting(meter, once):
        session.end()
    _check(world)
    return once, later


def _counted_full(meter: Meter, folder: Path, kind: Kind) -> Iterator[tuple[str, int]]:
    """Count a later turn, its commit, and the start and end of a session, where much is stored."""
    world = World(folder, meter.programs, kind.agent)
    world.git("config", "core.compression", "0")  # of what is built here, and no hook's own process compresses
    world.fill(kind)
    past = Session(world)
    _turn(past, 0)
    if kind.sessions:
        world.multiply_sessions(past.id, kind.sessions)
    if kind.checkpoints:
        world.multiply_checkpoints(kind.checkpoints)
    past.end()
    session = Session(world, history=kind.transcript, seed=SEED)
    _turn(session, kind.growth)
    counts: dict[str, int] = {}
    with meter.counting(counts):
        _turn(session, kind.growth)
        other = Session(world, seed=SEED + 1)
        other.hook(*IGNORED)
        other.end()
    _check(world)
    for hook, count in counts.items():
        yield f"{hook}, {kind.name}", count


@contextmanager
def _counting(meter: Meter | None, counts: dict[str, int]) -> Iterator[None]:
    if meter is None:
        yield
    else:
        with meter.counting(counts):
            yield


def _turn(session: Session, growth: int) -> None:
    """Play a turn that changes two files, then a commit of them."""
    session.prompt()
    session.work(growth)
    session.stop(session.finish())
    session.world.git("add", "-A")
    session.world.commit("Commit the turn")
    session.world.linked()


def _check(world: World) -> None:
    """Raise RuntimeError if hooks failed: such a hook takes few instructions."""
    if complaints := world.complaints():
        raise RuntimeError(f"hooks failed: {complaints[:3]}")


def _instructions(log: Path) -> int:
    found = re.search(r"I *refs: *([\d,]+)", log.read_text())
    return int(found.group(1).replace(",", "")) if found is not None else 0


if __name__ == "__main__":
    sys.exit(main())
