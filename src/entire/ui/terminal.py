"""Single keys from a terminal, and a few lines on it that are drawn again in place. Everything is put back at the end.

The keys of a terminal come as bytes: letters in UTF-8, other keys as the escape sequences of a VT100 or an xterm.
"""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
import sys
import threading

from rich.cells import cell_len, set_cell_size

try:
    import termios

    _HAS_TERMINALS = True
except ImportError:  # a system without terminals of this kind
    _HAS_TERMINALS = False

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType, TracebackType
    from typing import Any, TextIO

    from entire.ui.text import Style

_ESCAPED = re.compile(r"\033(\[[0-9;?]*[@-~]|O[@-~])")
_UNFINISHED = re.compile(r"\033(\[[0-9;?]*|O)?\Z")
_SEQUENCES = {
    "[1~": "home", "[4~": "end", "[5~": "page up", "[6~": "page down", "[7~": "home", "[8~": "end",
    "[A": "up", "[B": "down", "[F": "end", "[H": "home", "OA": "up", "OB": "down", "OF": "end", "OH": "home",
}  # fmt: skip
_CONTROLS = {
    "\x02": "page up", "\x04": "end of input", "\x06": "page down", "\x08": "backspace", "\n": "enter",
    "\x0e": "down", "\r": "enter", "\x10": "up", "\x15": "clear", "\033": "escape", "\x7f": "backspace",
}  # fmt: skip
_ESCAPE_WAIT = 0.05  # seconds in which the rest of a sequence comes, if it is one and not the key Esc


def can_draw(env: Mapping[str, str] | None = None) -> bool:
    """Tell whether there is a terminal that can be drawn on, and nobody asked for plain lines (ACCESSIBLE)."""
    environment = os.environ if env is None else env
    if not _HAS_TERMINALS or environment.get("ACCESSIBLE", "0") not in ("", "0"):
        return False
    if environment.get("TERM", "") in ("", "dumb", "unknown"):
        return False
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def keys(typed: str) -> tuple[list[str], str]:
    """Split what was typed into keys (a name, or the character), and the beginning of a sequence that is not over."""
    found = []
    while typed and not _UNFINISHED.match(typed):
        sequence = _ESCAPED.match(typed)
        if sequence is not None:
            found.append(_SEQUENCES.get(sequence[1], ""))
            typed = typed[sequence.end() :]
        else:
            found.append(_CONTROLS.get(typed[0], typed[0] if typed[0].isprintable() else ""))
            typed = typed[1:]
    return [key for key in found if key], typed


class Terminal:
    """The terminal on standard input and standard error, while somebody chooses. Use it with ``with``."""

    def __init__(self, style: Style, stdin: int | None = None, out: TextIO | None = None) -> None:
        self._style = style
        self._fd = sys.stdin.fileno() if stdin is None else stdin
        self._out = sys.stderr if out is None else out
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._keys: list[str] = []
        self._rest = ""
        self._drawn: list[int] = []  # cells of each line on the screen
        self._saved: list[Any] = []
        self._handlers: dict[int, Any] = {}
        self._wake: tuple[int, int] = (-1, -1)  # a pipe that tells of signals
        self._old_wake = -1

    def __enter__(self) -> Terminal:
        self._out.flush()
        self._saved = termios.tcgetattr(self._fd)
        self._wake = os.pipe()
        os.set_blocking(self._wake[1], False)
        try:
            self._listen()
            self._raw()
            self._write("\033[?25l\033[?7l")  # no cursor, no line that goes on in the next row
        except BaseException:
            self._restore()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()

    def size(self) -> tuple[int, int]:
        """Return columns and rows; what is usual where the terminal does not say."""
        try:
            columns, lines = os.get_terminal_size(self._out.fileno())
        except (OSError, ValueError):
            columns, lines = 0, 0
        return columns or 80, lines or 24

    def key(self, seconds: float | None = None) -> str:
        """Return the next key: ``up``, ``enter``, ``a``...; ``resize``; ``end of input``; '' if none came in time."""
        while not self._keys:
            wait = _ESCAPE_WAIT if self._rest else seconds
            ready, _, _ = select.select([self._fd, self._wake[0]], [], [], wait)
            if self._wake[0] in ready:
                os.read(self._wake[0], 4096)
                return "resize"
            if ready:
                self._take()
            elif self._rest:
                self._keys, self._rest = (["escape"] if self._rest == "\033" else []), ""
            else:
                return ""
        return self._keys.pop(0)

    def draw(self, lines: Sequence[tuple[str, str]]) -> None:
        """Show lines (and the colour of each) in the place of those that were drawn before."""
        columns = self.size()[0]
        cut = [(set_cell_size(line, columns - 1) if cell_len(line) >= columns else line, kind) for line, kind in lines]
        shown = "\r\n".join(self._style(line, kind) if kind else line for line, kind in cut)
        self._write(self._back() + shown)
        self._drawn = [cell_len(line) for line, _ in cut]

    def _take(self) -> None:
        try:
            data = os.read(self._fd, 4096)
        except OSError:  # the terminal has gone
            data = b""
        if not data:
            self._keys.append("end of input")
            return
        self._keys, self._rest = keys(self._rest + self._decoder.decode(data))

    def _back(self) -> str:
        """Return what goes to the beginning of the drawn lines and clears them. A narrower terminal wraps old lines."""
        columns = self.size()[0]
        rows = sum(max(1, -(-cells // columns)) for cells in self._drawn)
        return "\r" + (f"\033[{rows - 1}A" if rows > 1 else "") + "\033[J"

    def _raw(self) -> None:
        """Let keys come one by one and unseen. Ctrl-C still interrupts; Ctrl-Z would leave a broken terminal."""
        mode = termios.tcgetattr(self._fd)
        mode[0] &= ~(termios.ICRNL | termios.IXON)
        mode[3] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        for name in ("VSUSP", "VDSUSP", "VQUIT"):
            if hasattr(termios, name):
                mode[6][getattr(termios, name)] = b"\0"
        termios.tcsetattr(self._fd, termios.TCSADRAIN, mode)

    def _listen(self) -> None:
        """Hear of a new size, and put the terminal back before a signal ends us."""
        if threading.current_thread() is not threading.main_thread():
            return
        # Without this a signal that comes just before we wait for a key would be heard after the key.
        self._old_wake = signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)
        self._handlers[signal.SIGWINCH] = signal.signal(signal.SIGWINCH, lambda *_: None)
        for number in (signal.SIGHUP, signal.SIGTERM):
            if signal.getsignal(number) != signal.SIG_IGN:
                self._handlers[number] = signal.signal(number, self._die)

    def _die(self, number: int, _: FrameType | None) -> None:
        self._restore()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    def _restore(self) -> None:
        """Put everything back; does nothing the second time, and what fails does not keep the rest from being done."""
        saved, self._saved = self._saved, []
        if not saved:
            return
        if self._handlers:
            signal.set_wakeup_fd(self._old_wake)
        for number, handler in self._handlers.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        try:
            termios.tcsetattr(self._fd, termios.TCSADRAIN, saved)
        except (termios.error, OSError):
            pass
        try:
            self._write(self._back() + "\033[?7h\033[?25h")
        except OSError:
            pass
        for end in self._wake:
            os.close(end)

    def _write(self, what: str) -> None:
        """Write without a buffer, which a signal's handler could not use while this is under way."""
        data = what.encode(getattr(self._out, "encoding", None) or "utf-8", "replace")
        while data:
            data = data[os.write(self._out.fileno(), data) :]
