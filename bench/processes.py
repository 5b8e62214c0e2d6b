"""Starts the measured programs as whole processes in a clean environment, and reads the kernel's accounting."""

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
# A process inherits the peak memory of its parent, so a small process must start the measured one.
PEAK = """
import os, sys
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
with open(sys.argv[1], "w") as file:
    file.write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""
INHERITED = ("PATH", "TMPDIR", "LD_LIBRARY_PATH", "SSL_CERT_FILE")


_PEAK_UNIT = 1 if os.uname().sysname == "Darwin" else 1024


@dataclass(frozen=True)
class Spent:
    """Resources used by a process and its children; ``peak``: memory of the largest in bytes, 0 if not measured."""

    seconds: float
    cpu: float
    peak: int
    status: int
    output: bytes


class Programs:
    """Starts programs: ``entire`` and Python of an environment, and git."""

    def __init__(self, bin_folder: Path, home: Path, *, cpu: bool = False) -> None:
        """``cpu``: measure CPU time, which other programs on the machine disturb less than wall time."""
        self._cpu = cpu
        self._peak_file = home / "peak"
        self.bin = bin_folder
        self.python = str(bin_folder / "python")
        self.entire = str(bin_folder / "entire")
        self.own_bin = home / "bin"  # for further programs, first on PATH
        self.own_bin.mkdir(parents=True, exist_ok=True)
        (home / ".gitconfig").write_text(GIT_CONFIG)
        inherited = {name: value for name, value in os.environ.items() if name in INHERITED}
        self.env = inherited | {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
            "GIT_EDITOR": "false",
            "GIT_TERMINAL_PROMPT": "0",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "PATH": os.pathsep.join((str(self.own_bin), str(bin_folder), inherited["PATH"])),
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
        """Run a program and return its measurement; raises RuntimeError for a status not in ``ok``."""
        if peak:
            argv = [self.python, "-I", "-S", "-c", PEAK, str(self._peak_file), *argv]
        with tempfile.TemporaryFile() as input_, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            input_.write(stdin)
            input_.seek(0)
            began = time.perf_counter()
            child = subprocess.Popen(
                argv,
                cwd=cwd,
                env=self.env | dict(env or {}),
                stdin=input_,
                stdout=out if output else subprocess.DEVNULL,
                stderr=errors,
            )
            _, raw, usage = os.wait4(child.pid, 0)
            seconds = time.perf_counter() - began
            child.returncode = os.waitstatus_to_exitcode(raw)
            out.seek(0)
            errors.seek(0)
            if child.returncode not in ok:
                raise RuntimeError(f"{' '.join(argv[:6])}: {errors.read().decode(errors='replace')}")
            cpu = usage.ru_utime + usage.ru_stime
            return Spent(
                seconds=cpu if self._cpu else seconds,
                cpu=cpu,
                peak=int(self._peak_file.read_text()) * _PEAK_UNIT if peak else 0,
                status=child.returncode,
                output=out.read() if output else b"",
            )

    def bare(self) -> float:
        """Return P: the seconds the same interpreter takes to start and do nothing."""
        return self.run([self.python, "-I", "-c", "pass"]).seconds


def count_git(trace: Path) -> int:
    """Return the number of git processes in a trace in git's event format, and delete the trace."""
    lines = trace.read_text().splitlines() if trace.exists() else []
    trace.unlink(missing_ok=True)
    return sum(json.loads(line)["event"] == "start" for line in lines)
