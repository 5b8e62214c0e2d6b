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

from rich.cells import cell_len

# A test run in the background ignores Ctrl-C, and so would its children.
_HEARS_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
_MODES = frozenset({"7", "25"})  # of an unused terminal: long lines go on in the next row, the cursor is shown


class Screen:
    """A Python program on a terminal, and what it shows there."""

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

    def wait_for(self, pattern: str, seconds: float = 60.0) -> str:
        """Return the lines on the screen as soon as they match; fail early if the program has ended."""
        end = time.monotonic() + seconds
        while not re.search(pattern, self.shown, re.DOTALL):
            has_ended = self.process.poll() is not None
            has_read = self._read(0.1)
            assert has_read or not (has_ended or time.monotonic() > end), f"{pattern!r} never came: {self.shown!r}"
        return self.shown

    def end(self) -> str:
        """Wait for the end of the program; return what it printed as its result."""
        out, _ = self.process.communicate(timeout=60)
        while self._read(0.1):  # what was written just before the end comes a little later
            pass
        return out.strip()

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self.master], [], [], seconds)
        if ready:
            self.seen += os.read(self.master, 65536).decode(errors="replace")
        return bool(ready)

    def is_as_before(self) -> bool:
        """Tell whether the terminal behaves and looks as at the start: its settings, its modes, no colour left on."""
        colours = re.findall(r"\033\[([0-9;]*)m", self.seen)
        return (
            termios.tcgetattr(self.slave) == self.before
            and Picture(self.seen).modes == _MODES
            and colours[-1:] in ([], ["0"], [""])
        )

    @property
    def shown(self) -> str:
        """The lines on the screen, and those that moved off its top."""
        return str(Picture(self.seen))


class Picture:
    """What a terminal shows for the text and the control sequences that were written to it."""

    def __init__(self, written: str) -> None:
        self._lines: list[list[str]] = [[]]  # the character of each cell; '' beside a wide one
        self._main: list[list[str]] = []  # the lines, while the other screen is shown
        self._row = self._column = 0
        self.modes = set(_MODES)
        for token in re.findall(r"\033\[[?0-9;]*[A-Za-z]|\033[^\[]|[\r\n\b\a]|[^\033\r\n\b\a]+", written):
            if token.startswith("\033"):
                self._obey(token[2:-1], token[-1])
            elif token == "\r":
                self._column = 0
            elif token == "\b":
                self._column = max(0, self._column - 1)
            elif token == "\n":
                self._row += 1
            elif token != "\a":
                self._write(token)

    def __str__(self) -> str:
        return "\n".join("".join(line).rstrip() for line in self._lines)

    def _line(self) -> list[str]:
        self._lines += [[] for _ in range(self._row + 1 - len(self._lines))]
        return self._lines[self._row]

    def _write(self, text: str) -> None:
        line = self._line()
        line += [" "] * (self._column - len(line))
        for character in text:
            cells = [character, ""][: cell_len(character)]
            line[self._column : self._column + len(cells)] = cells
            self._column += len(cells)

    def _obey(self, words: str, verb: str) -> None:
        count = int(words) if words.isdigit() else 1
        if verb == "A":
            self._row = max(0, self._row - count)
        elif verb == "B":
            self._row += count
        elif verb == "C":
            self._column += count
        elif verb == "D":
            self._column = max(0, self._column - count)
        elif verb == "H" and not words:
            self._row = self._column = 0
        elif verb in "JK":
            del self._line()[self._column :]
            if verb == "J":
                del self._lines[self._row + 1 :]
        elif verb in "hl" and words.startswith("?"):
            self._switch(words[1:], on=verb == "h")

    def _switch(self, mode: str, *, on: bool) -> None:
        (self.modes.add if on else self.modes.discard)(mode)
        if mode == "1049":
            if on:
                self._main, self._saved = self._lines, (self._row, self._column)
                self._lines, self._row, self._column = [[]], 0, 0
            else:
                self._lines, (self._row, self._column) = self._main, self._saved
