"""Plugins made of scripts, and whether what they started still runs."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from entire.plugin_host.programs.program import Program

SHELL = "#!/bin/sh"
PYTHON = f"#!{sys.executable} -I"
NODE = "#!/usr/bin/env node"

Make = Callable[..., Program]


def plugins(folder: Path) -> Iterator[Make]:
    """Yield what makes a plugin of a script; then close them all, and find no child left."""
    made: list[Program] = []

    def make(script: str, *, head: str = SHELL, **options: object) -> Program:
        path = folder / "entire-agent-strange"
        path.write_text(f"{head}\n{script}\n")
        path.chmod(0o755)
        made.append(Program(str(path), **{"root": str(folder), "in_hook": True, **options}))  # type: ignore[arg-type]
        return made[-1]

    open_files = len(os.listdir("/dev/fd"))
    yield make
    for plugin in made:
        plugin.close()
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        pass
    else:
        raise AssertionError("a plugin was left running, or not waited for")
    assert len(os.listdir("/dev/fd")) == open_files


def pids(path: Path, count: int) -> list[int]:
    """Return the process ids that a script writes to a file, when all are there."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        found = path.read_text().split() if path.exists() else []
        if len(found) >= count:
            return [int(pid) for pid in found]
        time.sleep(0.01)
    raise AssertionError(f"{path} has no {count} process ids")


def stopped_until(path: Path, count: int) -> Callable[[], float]:
    """Return a clock that stands still until a script has written its process ids, and then goes fast.

    A limit of 30 seconds comes a third of a second later, however slow the machine is.
    """
    ready: list[float] = []

    def clock() -> float:
        if not ready and path.exists() and len(path.read_text().split()) >= count:
            ready.append(time.monotonic())
        return (time.monotonic() - ready[0]) * 90 if ready else 0.0

    return clock


def survivors(numbers: list[int]) -> list[int]:
    """Return which processes still run; what was killed may be seen for a moment."""
    end = time.monotonic() + 5
    while left := [pid for pid in numbers if _runs(pid)]:
        if time.monotonic() > end:
            break
        time.sleep(0.01)
    return left


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
