"""Kills hooks in the middle: a process that ends, as by kill -9, before its n-th write or git command."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from entire import files, process

STATUS = 9
_SCRIPT = """#!/bin/sh
case " $* " in
    *" $ENTIRE_TESTS_DIE_IN "*) exec "{dying}" "$@" ;;
esac
exec "{entire}" "$@"
"""
_DYING = f"""\
import sys
sys.path += {[str(Path(__file__).parents[2]), str(Path(process.__file__).parents[1])]!r}
from tests.integration.dying import main
sys.exit(main())
"""


def watch(act: Callable[[], None]) -> None:
    """Let this process do ``act`` before each of its writes and programs."""

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **named: Any) -> Any:
            act()
            return call(*args, **named)

        return wrapped

    for module, names in ((files, ("write", "append", "remove")), (process, ("run",)), (os, ("rename", "replace"))):
        for name in names:
            setattr(module, name, watched(getattr(module, name)))


def arm(count: int) -> None:
    """Let this process die before its write or program number ``count`` (from 0)."""
    left = [count]

    def die() -> None:
        if left[0] == 0:
            os._exit(STATUS)
        left[0] -= 1

    watch(die)


def moments(folder: Path, work: Callable[[], None]) -> list[Path]:
    """Do ``work`` in a child; return copies of a folder, as a kill before each of its writes and programs would leave
    it, and as it is at the end.
    """
    import shutil

    found: list[Path] = []

    def keep() -> None:
        found.append(folder.with_name(f"{folder.name}-{len(found)}"))
        shutil.copytree(folder, found[-1], symlinks=True)

    pid = os.fork()
    if not pid:
        try:
            watch(keep)
            work()
            keep()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    return sorted(folder.parent.glob(f"{folder.name}-*"), key=lambda path: int(path.name.rpartition("-")[2]))


def in_child(count: int, work: Callable[[], None]) -> bool:
    """Do ``work`` in a child that dies before its write number ``count``; tell whether it came to its end."""
    pid = os.fork()
    if not pid:
        try:
            arm(count)
            work()
            os._exit(0)
        finally:
            os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status in (0, STATUS)
    return status == 0


def environment(folder: Path, hook: str, count: int) -> dict[str, str]:
    """Return an environment in which git's ``hook`` finds an ``entire`` that dies; a file tells whether it did."""
    import shutil

    from tests import forks  # not in a process that dies: it loads much

    script, dying = folder / "entire", folder / "dying"
    if not folder.exists():
        folder.mkdir()
        forks.write(dying, _DYING)
        script.write_text(_SCRIPT.format(dying=dying, entire=shutil.which("entire", path=forks.path())))
        script.chmod(0o755)
    path = f"{folder}{os.pathsep}{forks.path()}"
    return {"PATH": path, "ENTIRE_TESTS_DIE_IN": hook, "ENTIRE_TESTS_DIE_AT": str(count),
            "ENTIRE_TESTS_LIVED": str(folder / "lived")}  # fmt: skip


def main() -> int:
    """Be an ``entire`` that dies."""
    from entire.cli import main

    arm(int(os.environ["ENTIRE_TESTS_DIE_AT"]))
    status = main(sys.argv[1:])
    Path(os.environ["ENTIRE_TESTS_LIVED"]).touch()
    return status
