"""Runs the real command line in a child and hurts it there: killed, or failing, at its n-th call to the system.

Counted are the calls by which files and folders change and programs are started (``tests.faults``), in our process: a
kill leaves the git programs that it started to end as they do when their caller is gone.
"""

from __future__ import annotations

import builtins
import errno
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

import entire
from entire.cli import main
from tests import faults, forks

BIN = Path(sys.executable).parent
NEVER = 1 << 30
_FAULT = "ENTIRE_TESTS_FAULT"
_IN = "ENTIRE_TESTS_FAULT_IN"
_REPORT = "ENTIRE_TESTS_FAULT_REPORT"


@dataclass(frozen=True)
class Fault:
    """What happens at call number ``count`` (from 0; NEVER: nothing does)."""

    kind: str = "kill"  # a key of KINDS
    count: int = NEVER

    def __str__(self) -> str:
        return f"{self.kind} at {self.count}" if self.count != NEVER else "nothing"


UNHURT = Fault()


@dataclass(frozen=True)
class Ended:
    """How a call ended: ``status`` is None if it was killed; ``calls`` is how many it made."""

    status: int | None
    out: bytes
    err: bytes
    calls: int

    @property
    def killed(self) -> bool:
        """Tell whether the fault was a kill, and came."""
        return self.status is None


def _kill() -> None:
    os._exit(faults.KILLED)


def _errors(number: int, *, for_good: bool) -> Callable[[int], Any]:
    return lambda count: faults.at_call(count, faults.fail(number), and_later=for_good)


@contextmanager
def _git_fails(count: int) -> Iterator[list[int]]:
    """Let program number ``count`` be one that is killed at once."""
    seen = [0]
    spawn = os.posix_spawnp

    def spawned(name: str, argv: list[Any], env: Mapping[str, str], **how: Any) -> int:
        number, seen[0] = seen[0], seen[0] + 1
        if number == count:
            return spawn("sh", ["sh", "-c", "kill -9 $$"], env, **how)
        return spawn(name, argv, env, **how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "posix_spawnp", spawned)
        yield seen


@contextmanager
def _unreadable(count: int) -> Iterator[list[int]]:
    """Let the n-th file that is opened to be read fail with EIO, as a failing disk does."""
    seen = [0]
    real = builtins.open

    def opened(file: Any, mode: str = "r", *args: Any, **named: Any) -> Any:
        if "r" in mode and not str(file).startswith(("/proc", sys.prefix, sys.base_prefix)):
            number, seen[0] = seen[0], seen[0] + 1
            if number == count:
                raise OSError(errno.EIO, os.strerror(errno.EIO), file)
        return real(file, mode, *args, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "open", opened)
        yield seen


LEVELS: Mapping[str, tuple[int, ...]] = {
    "small files": (0, 1, 60, 300, 700, 1500, 4000, 9000),  # bytes
    "full tmpfs": (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64),  # free pages
    "clock back": (2, 3600, 86400, 400 * 86400),  # seconds
}
"""Faults that are not calls that fail, and how bad they can be."""
TMPFS = "ENTIRE_TESTS_TMPFS"  # a small file system that may be filled


@contextmanager
def _small_files(count: int) -> Iterator[list[int]]:
    """Let no file become bigger than so many bytes, whoever writes it: git too."""
    if count != NEVER:
        resource.setrlimit(resource.RLIMIT_FSIZE, (LEVELS["small files"][count], resource.RLIM_INFINITY))
    try:
        yield [0]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


@contextmanager
def _full_tmpfs(count: int) -> Iterator[list[int]]:
    """Fill a file system but for some pages."""
    ballast = Path(os.environ[TMPFS]) / "ballast"
    if count != NEVER:
        with ballast.open("wb", buffering=0) as file:
            try:
                while file.write(b"x" * 65536) == 65536:
                    pass
                file.write(b"x")
            except OSError:
                pass
            page = os.sysconf("SC_PAGE_SIZE")
            file.truncate(max(0, file.tell() // page - LEVELS["full tmpfs"][count]) * page)
    try:
        yield [0]
    finally:
        ballast.unlink(missing_ok=True)


@contextmanager
def _clock_back(count: int) -> Iterator[list[int]]:
    """Let the clock tell an earlier time than before."""
    with pytest.MonkeyPatch.context() as patch:
        if count != NEVER:
            real, back = time.time, LEVELS["clock back"][count]
            patch.setattr(time, "time", lambda: real() - back)
        yield [0]


KINDS: dict[str, Callable[[int], Any]] = {
    "kill": lambda count: faults.at_call(count, _kill),
    "disk full": _errors(errno.ENOSPC, for_good=True),
    "disk full once": _errors(errno.ENOSPC, for_good=False),
    "no permission": _errors(errno.EACCES, for_good=True),
    "no permission once": _errors(errno.EACCES, for_good=False),
    "disk error": _errors(errno.EIO, for_good=False),
    "unreadable": _unreadable,
    "git killed": _git_fails,
    "small files": _small_files,
    "full tmpfs": _full_tmpfs,
    "clock back": _clock_back,
}
"""Name of a fault: what is done to a process, given a number."""
COUNTED_APART = ("git killed", "unreadable")
"""Faults of other calls than those that a kill comes before."""


def call(args: tuple[str, ...], where: Path, stdin: bytes = b"", fault: Fault = UNHURT) -> Ended:
    """Run ``entire`` in a child, by its own ``main``, with a fault."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as report:
        pid = os.fork()
        if not pid:
            _be_child(args, where, stdin, fault, out.fileno(), err.fileno(), report.fileno())
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        for file in (out, err, report):
            file.seek(0)
        said = report.read()
        if not said:
            assert status == faults.KILLED, (status, err.read().decode("utf-8", "replace"))
            return Ended(None, out.read(), err.read(), 0)
        result, calls = json.loads(said)
        return Ended(result, out.read(), err.read(), calls)


def _be_child(args: tuple[str, ...], where: Path, stdin: bytes, fault: Fault, out: int, err: int, report: int) -> None:
    """End as the process of a command does. Never returns."""
    try:
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdout = io.TextIOWrapper(open(1, "wb", closefd=False))
        sys.stderr = io.TextIOWrapper(open(2, "wb", closefd=False))
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
        os.chdir(where)
        with KINDS[fault.kind](fault.count) as calls:
            status = main(list(args))
        sys.stdout.flush()  # not hurt: what was said went nowhere that matters
        sys.stderr.flush()
        os.write(report, json.dumps([status, calls[0]]).encode())
        os._exit(0)
    except BaseException:
        import traceback

        traceback.print_exc(file=sys.__stderr__)
    finally:
        os._exit(1)


# ---------------------------------------------------------------- inside git's hooks

_SCRIPT = """#!/bin/sh
case " $* " in
    *" ${in_} "*) exec "{hurt}" "$@" ;;
esac
exec "{entire}" "$@"
"""
_PATHS = (str(Path(__file__).parents[2]), str(Path(entire.__file__).parents[1]))
_HURT = f"""\
import sys
sys.path += {[*_PATHS, sysconfig.get_path("purelib")]!r}
from tests.campaign.hurt import inside
sys.exit(inside())
"""


def in_git_hook(hook: str, fault: Fault, folder: Path) -> tuple[dict[str, str], Callable[[], Ended]]:
    """Return an environment in which git's ``hook`` finds an ``entire`` that has the fault, and what tells how it
    ended.
    """
    folder.mkdir(parents=True, exist_ok=True)
    script, hurt, report = folder / "entire", folder / "hurt", folder / "report"
    forks.write(hurt, _HURT)
    script.write_text(_SCRIPT.format(in_=_IN, hurt=hurt, entire=shutil.which("entire", path=forks.path())))
    script.chmod(0o755)
    report.unlink(missing_ok=True)
    env = {
        "PATH": f"{folder}{os.pathsep}{forks.path()}",
        _IN: hook,
        _FAULT: json.dumps(asdict(fault)),
        _REPORT: str(report),
    }

    def ended() -> Ended:
        if not report.exists():
            return Ended(None, b"", b"", 0)
        status, calls = json.loads(report.read_text())
        return Ended(status, b"", b"", calls)

    return env, ended


def inside() -> int:
    """Be the ``entire`` of ``in_git_hook``."""
    fault = Fault(**json.loads(os.environ.pop(_FAULT)))
    report = os.environ.pop(_REPORT)
    with KINDS[fault.kind](fault.count) as calls:
        status = main(sys.argv[1:])
    Path(report).write_text(json.dumps([status, calls[0]]))
    return status


# ---------------------------------------------------------------- real kills


def killed_after(args: tuple[str, ...], where: Path, stdin: bytes, seconds: float, *, group: bool) -> Ended:
    """Start the real command and kill it after some time; with ``group`` the programs that it started too."""
    child = subprocess.Popen(
        [str(BIN / "entire"), *args], cwd=where, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    try:
        out, err = child.communicate(stdin, timeout=seconds)
    except subprocess.TimeoutExpired:
        (os.killpg if group else os.kill)(child.pid, signal.SIGKILL)
        out, err = child.communicate()
    killed = child.returncode == -signal.SIGKILL
    return Ended(None if killed else child.returncode, out, err, 0)
