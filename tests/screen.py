"""A program on a pseudo-terminal of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time

# A test run in the background ignores Ctrl-C, and so would its children.
_HEARS_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


class Screen:
    """A Python program on a terminal, and what it shows there: the few sequences that we write are understood."""

    def __init__(self, program: str, env: dict[str, str], columns: int = 40, rows: int = 12) -> None:
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (rows, columns))
        self.before = termios.tcgetattr(self.slave)
        self.seen = ""
        self.process = subprocess.Popen(
            [sys.executable, "-c", _HEARS_CTRL_C + program],
            stdin=self.slave,
            stderr=self.slave,
            stdout=subprocess.PIPE,
            env=os.environ | {"TERM": "xterm"} | env,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # Ctrl-C and a new size come as signals
            text=True,
        )

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        os.close(self.master)
        os.close(self.slave)

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def wait_for(self, pattern: str, seconds: float = 20.0) -> str:
        """Return the lines on the screen as soon as they match."""
        end = time.monotonic() + seconds
        while not re.search(pattern, self.shown, re.DOTALL):
            assert time.monotonic() < end, f"{pattern!r} never came: {self.shown!r}"
            self._read(0.1)
        return self.shown

    def end(self) -> str:
        """Wait for the end of the program; return what it printed as its result."""
        out, _ = self.process.communicate(timeout=20)
        while self._read(0.1):  # what was written just before the end comes a little later
            pass
        return out.strip()

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self.master], [], [], seconds)
        if ready:
            self.seen += os.read(self.master, 65536).decode()
        return bool(ready)

    def is_as_before(self) -> bool:
        return termios.tcgetattr(self.slave) == self.before and "\033[?7h\033[?25h" in self.seen

    @property
    def shown(self) -> str:
        lines, row, column = [""], 0, 0
        for token in re.findall(r"\033\[[?0-9;]*[A-Za-z]|\r|\n|[^\033\r\n]+", self.seen):
            if token == "\r":
                column = 0
            elif token == "\n":
                row += 1
                lines += [""] * (row + 1 - len(lines))
            elif token.endswith("A") and token.startswith("\033["):
                row = max(0, row - int(token[2:-1]))
            elif token == "\033[J":
                lines[row:] = [lines[row][:column]]
            elif not token.startswith("\033"):
                lines[row] = lines[row].ljust(column)[:column] + token
                column += len(token)
        return "\n".join(lines)
