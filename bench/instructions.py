"""Count the instructions of each hook's own process: ``python -m bench.instructions``.

It plays a small session of Claude Code in a scratch repository, with each hook under ``valgrind``, and prints the
instructions next to those of the same interpreter that starts and does nothing. A busy machine does not change them.
Processes that a hook starts, git among them, are not counted.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.installed import ROOT
from bench.play import Session
from bench.processes import Programs
from bench.worlds import World

COUNT = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--trace-children=no")
TRANSCRIPT = 15_000
"""Bytes that the turn adds to the transcript."""


def main() -> int:
    if shutil.which(COUNT[0]) is None:
        print("valgrind is not installed.", file=sys.stderr)
        return 2
    folder = Path(tempfile.mkdtemp(prefix="entire-instructions-")).resolve()
    try:
        for name, count, times in rows(folder):
            print(f"{name:20}{count / 1e6:8.1f} M{times:8.2f} x", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def rows(folder: Path) -> Iterator[tuple[str, int, float]]:
    """Yield each process, its instructions, and how many times as many these are as those of the bare interpreter."""
    logs = folder / "logs"
    programs = Programs(_counted(folder, logs), folder / "home")
    for path in (ROOT / "src/entire/__pycache__").glob("*.bundle"):  # it may be of other hooks than those played here
        path.unlink()
    _play(Session(_world(folder / "warm", programs)))  # fills the caches of bytecode
    logs.mkdir()
    programs.run([*COUNT, f"--log-file={logs}/bare", sys.executable, "-I", "-S", "-c", "pass"])
    bare = _instructions(logs / "bare")
    yield "python", bare, 1.0
    world = _world(folder / "world", programs)
    for path in logs.glob("*"):
        path.unlink()
    _play(Session(world))
    for path in sorted(logs.iterdir(), key=lambda path: path.stat().st_mtime_ns):
        if count := _instructions(path):  # else a child that became another program
            yield path.name.rpartition(".")[0], count, count / bare


def _counted(folder: Path, logs: Path) -> Path:
    """Return a folder for PATH whose ``entire`` counts instructions once the folder for the logs is there."""
    begin = shlex.join([sys.executable, "-I", "-S", str(ROOT / "src" / "entire" / "launch.py")])
    program = folder / "bin" / "entire"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\n[ "$1" = hooks ] || exec {sys.executable} -I -m entire "$@"\n[ -d {logs} ] || exec {begin} "$@"\n'
        f'exec {shlex.join(COUNT)} --log-file="{logs}/$3.%p" {begin} "$@" 2>/dev/null\n'
    )
    program.chmod(0o755)
    return program.parent


def _world(folder: Path, programs: Programs) -> World:
    world = World(folder, programs)
    world.enable()
    world.write("d0/f0.txt", "first\n")
    world.git("add", "-A")
    world.git("commit", "-q", "-m", "Enable entire")
    return world


def _play(session: Session) -> None:
    """Play a turn that changes two files, then a commit of them, and an event that a hook ignores."""
    session.prompt()
    session.work(TRANSCRIPT)
    session.stop(session.finish())
    session.world.git("add", "-A")
    session.world.commit("Commit the turn")
    session.hook("notification", {"message": "waiting"})


def _instructions(log: Path) -> int:
    found = re.search(r"I *refs: *([\d,]+)", log.read_text())
    return int(found.group(1).replace(",", "")) if found is not None else 0


if __name__ == "__main__":
    sys.exit(main())
