"""Whether we can draw on the terminal, and how to restore it when a signal arrives."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def can_draw() -> bool:
    """Tell whether we can draw on the terminal: it is capable, and plain lines were not asked for (ACCESSIBLE)."""
    if os.environ.get("ACCESSIBLE", "0") not in ("", "0"):
        return False
    if os.environ.get("TERM", "") in ("", "dumb", "unknown"):
        return False
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


@contextlib.contextmanager
def restored_on_signals(leave: Callable[[], None]) -> Iterator[None]:
    """Call ``leave`` on a signal that ends the program, so the terminal is restored first.

    Afterwards, a signal other than Ctrl-C is sent again and ends the program.
    """
    arrived: list[int] = []

    def handle(number: int, _: FrameType | None) -> None:
        arrived.append(number)
        leave()

    before = {number: signal.getsignal(number) for number in _SIGNALS}
    changed = [number for number, handler in before.items() if handler != signal.SIG_IGN]
    try:
        for number in changed:
            signal.signal(number, handle)
        yield
    finally:
        for number in changed:
            handler = before[number]
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        ending = [number for number in arrived if number != signal.SIGINT]
        if ending:
            signal.signal(ending[0], signal.SIG_DFL)
            os.kill(os.getpid(), ending[0])


def let_ctrl_c_interrupt() -> None:
    """In raw mode, let Ctrl-C interrupt slow work; disable Ctrl-Z, which would leave a broken terminal."""
    import termios

    descriptor = sys.stdin.fileno()
    mode = termios.tcgetattr(descriptor)
    mode[3] |= termios.ISIG
    for name in ("VSUSP", "VDSUSP", "VQUIT"):
        if hasattr(termios, name):
            mode[6][getattr(termios, name)] = b"\0"
    termios.tcsetattr(descriptor, termios.TCSADRAIN, mode)
