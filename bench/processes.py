"""Starts the programs that are measured: whole processes, in a clean environment, with what the kernel counted."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

GIT_CONFIG = """\
[user]
    name = Bench
    email = bench@example.com
[init]
    defaultBranch = main
[commit]
    gpgSign = false
[gc]
    auto = 0
[maintenance]
    auto = false
"""
# A process begins with the peak of the one that started it, so a small one must start what is measured.
PEAK = """
import os, sys
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
with open(sys.argv[1], "w") as file:
    file.write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""
KEPT = ("PATH", "TMPDIR", "LD_LIBRARY_PATH", "SSL_CERT_FILE")


_PEAK_UNIT = 1 if os.uname().sysname == "Darwin" else 1024


@dataclass(frozen=True)
class Spent:
    """What one process and those it waited for needed; ``peak``: memory of the largest, in bytes, if asked for."""

    seconds: float
    cpu: float
    peak: int
    status: int
    output: bytes


class Programs:
    """Starts programs: ``entire`` of one environment, its Python, and git."""

    def __init__(self, bin_folder: Path, home: Path, *, cpu: bool = False) -> None:
        """``cpu``: measure the processor's time, which other programs on the machine disturb less than the clock's."""
        self._cpu = cpu
        self._peak_file = home / "peak"
        self.bin = bin_folder
        self.python = str(bin_folder / "python")
        self.entire = str(bin_folder / "entire")
        home.mkdir(parents=True, exist_ok=True)
        (home / ".gitconfig").write_text(GIT_CONFIG)
        kept = {name: value for name, value in os.environ.items() if name in KEPT}
        self.env = kept | {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
            "GIT_EDITOR": "false",
            "GIT_TERMINAL_PROMPT": "0",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "PATH": f"{bin_folder}{os.pathsep}{kept['PATH']}",
        }

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        output: bool = False,
        peak: bool = False,
        ok: Sequence[int] = (0,),
    ) -> Spent:
        """Run a program to its end and tell what it cost; a status not in ``ok`` is an error."""
        if peak:
            argv = [self.python, "-I", "-S", "-c", PEAK, str(self._peak_file), *argv]
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as errors:
            given.write(stdin)
            given.seek(0)
            began = time.perf_counter()
            child = subprocess.Popen(
                argv,
                cwd=cwd,
                env=self.env | dict(env or {}),
                stdin=given,
                stdout=said if output else subprocess.DEVNULL,
                stderr=errors,
            )
            _, raw, usage = os.wait4(child.pid, 0)
            seconds = time.perf_counter() - began
            child.returncode = os.waitstatus_to_exitcode(raw)
            said.seek(0)
            errors.seek(0)
            if child.returncode not in ok:
                raise RuntimeError(f"{' '.join(argv[:6])}: {errors.read().decode(errors='replace')}")
            cpu = usage.ru_utime + usage.ru_stime
            return Spent(
                seconds=cpu if self._cpu else seconds,
                cpu=cpu,
                peak=int(self._peak_file.read_text()) * _PEAK_UNIT if peak else 0,
                status=child.returncode,
                output=said.read() if output else b"",
            )

    def bare(self) -> float:
        """Return P: the seconds that the same interpreter takes to start and do nothing."""
        return self.run([self.python, "-I", "-c", "pass"]).seconds


def count_git(trace: Path) -> int:
    """Return how many git processes a trace in git's own event format tells of; the trace is removed."""
    lines = trace.read_text().splitlines() if trace.exists() else []
    trace.unlink(missing_ok=True)
    return sum(json.loads(line)["event"] == "start" for line in lines)
