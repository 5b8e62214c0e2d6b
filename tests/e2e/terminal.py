"""A program on a pseudo-terminal, and waiting for facts: what the drivers of all agents share."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 60.0
"""Seconds until a fact that does not come fails the test; it bounds a failure, it is not a measure of speed."""


def wait_for(fact: Callable[[], T], what: str, patience: float = PATIENCE) -> T:
    """Return the fact once it is true; fail with its name after `patience` seconds."""
    end = time.monotonic() + patience
    while True:
        value = fact()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {patience:.0f} s for {what}")
        time.sleep(0.02)


def search_path(entire: Path, folder: Path) -> str:
    """Return a PATH with the command under test, as an installer links it, and the system's programs; nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "entire").symlink_to(entire)
    git = shutil.which("git") or "git"
    return os.pathsep.join(dict.fromkeys([str(folder), str(Path(git).parent), "/usr/bin", "/bin"]))


class Terminal:
    """A program with a terminal of its own."""

    patience = PATIENCE
    ESCAPE = "\x1b"
    ENTER = "\r"

    def __init__(self, arguments: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> None:
        """Start the program."""
        self._output = bytearray()
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *arguments],  # its own controlling terminal; same process id
            cwd=cwd,
            env=environment,
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def screen(self) -> str:
        """Return everything the terminal was sent."""
        return self._output.decode(errors="replace")

    def wait(self, fact: Callable[[], T], what: str) -> T:
        """Wait for a fact; the end of the screen is in the message if it does not come."""
        try:
            return wait_for(fact, what, self.patience)
        except AssertionError as error:
            raise AssertionError(f"{error}\nscreen: {self.screen[-3000:]!r}") from None

    def type(self, keys: str) -> None:
        """Send keys."""
        os.write(self._master, keys.encode())

    def submit(self, line: str) -> None:
        """Type a line and press enter; apart, since agents take enter inside pasted text for a new line."""
        self.type(line)
        time.sleep(0.3)
        self.type(self.ENTER)

    def close(self) -> None:
        """End the process if it still runs, and the terminal."""
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait(timeout=PATIENCE)
        self._reader.join(timeout=5)
        os.close(self._master)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:  # how a terminal whose other side is gone says so
                return
            if not data:
                return
            self._output += data
