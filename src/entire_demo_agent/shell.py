"""Runs shell commands: ``run`` instructions and hooks."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Finished:
    """How a command ended; ``code`` is 124 if it took too long."""

    code: int
    output: bytes
    errors: bytes


def run(command: str, *, workdir: Path, env: dict[str, str], stdin: bytes = b"", timeout: float) -> Finished:
    """Run a command without a terminal. Ctrl-C and the timeout (in seconds) stop it and its children."""
    child = subprocess.Popen(
        ["/bin/sh", "-c", command],
        cwd=workdir,
        env={**os.environ, **env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        output, errors = child.communicate(stdin, timeout)
    except subprocess.TimeoutExpired:
        _stop(child)
        return Finished(code=124, output=b"", errors=b"took too long\n")
    except BaseException:
        _stop(child)
        raise
    return Finished(code=child.returncode, output=output, errors=errors)


def _stop(child: subprocess.Popen[bytes]) -> None:
    """Stop a command and everything it started; it has two seconds to clean up before it is killed."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)
        with suppress(subprocess.TimeoutExpired):
            child.communicate(timeout=2)
            return
