"""Runs one process of a plugin: its pipes, deadline and limits, and the end of its process group.

The program has a session of its own, so that it can prompt on no terminal and is killed with everything it started.
Its output counts as it is when the program exits. What it started in the background may hold its pipes: they are read
for ``GRACE_SECONDS`` more. Whatever happens, ``end`` kills the group; only a process that left it goes on, without us.
"""

from __future__ import annotations

import os
import select
import time

from entire import process
from entire.agents.external.protocol import GRACE_SECONDS, MAX_ERRORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_CHUNK = 1 << 16
_TICK_SECONDS = 0.05  # how often a program is looked at that may have exited while others hold its pipes
_PAUSE_SECONDS = 0.0002  # a program that has closed its pipes exits very soon
_MAX_LEFT = 16  # chunks: a pipe holds at most 1 MB


class TimeOverError(Exception):
    """The deadline passed."""


class TooMuchError(Exception):
    """More bytes of standard output than the limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit


class Buffer:
    """Collects standard output in memory, up to a limit."""

    def __init__(self, limit: int) -> None:
        self.data = bytearray()
        self._limit = limit

    def __call__(self, data: bytes) -> None:
        self.data += data
        if len(self.data) > self._limit:
            raise TooMuchError(self._limit)


class FileSink:
    """Writes standard output to an open file, up to a limit."""

    def __init__(self, fd: int, limit: int) -> None:
        self.size = 0
        self._fd = fd
        self._limit = limit

    def __call__(self, data: bytes) -> None:
        self.size += len(data)
        if self.size > self._limit:
            raise TooMuchError(self._limit)
        while data:
            data = data[os.write(self._fd, data) :]


class Running:
    """A running process of a plugin."""

    def __init__(
        self, argv: Sequence[str], env: Mapping[str, str], folder: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start it; raises process.StartError."""
        self.errors = b""  # the end of its standard error
        self.status: int | None = None  # its exit status (negative: a signal), once it has ended by itself
        self._clock = clock
        self._child = process.Child(argv, env, folder, isolated=True)
        self._todo = memoryview(b"")  # of standard input
        self._closes_input = False  # when that is written
        self._open = {self._child.stdin, self._child.stdout, self._child.stderr}
        os.set_blocking(self._child.stdin, False)

    def write(self, data: bytes, *, last: bool) -> None:
        """Have standard input written while output is read; with ``last``, close it then."""
        self._todo = memoryview(data)
        self._closes_input = last
        if last and not data:
            self._close(self._child.stdin)

    def read(self, receive: Callable[[bytes], None], deadline: float, is_complete: Callable[[bool], bool]) -> None:
        """Pass standard output on until it is complete, or the program has ended; raises TimeOverError.

        ``is_complete`` is asked after each output, and, with True, once the program has then been silent for
        ``GRACE_SECONDS``.
        """
        last_output, was_asked = self._clock(), True
        ended: float | None = None  # when the program was seen to have exited
        while not self._is_over(ended):
            now = self._clock()
            if now >= deadline:
                raise TimeOverError
            data = self._step(min(deadline - now, _TICK_SECONDS))
            if data:
                receive(data)
                last_output, was_asked = self._clock(), False
                if is_complete(False):
                    return
            elif not was_asked and self._clock() - last_output >= GRACE_SECONDS:
                was_asked = True
                if is_complete(True):
                    return
            if ended is None and self._child.has_ended():
                ended = self._clock()
        for _ in range(_MAX_LEFT):  # what it wrote to standard error before it exited
            if self._step(0) is None:
                break

    def look(self) -> bytes | None:
        """Return the standard output that is there already; None if there is none and the program has ended."""
        data = self._step(0)
        is_over = self._child.stdout not in self._open or self._child.has_ended()
        return None if is_over and not data else data or b""

    def end(self) -> None:
        """Kill the process group and take leave; ``status`` stays None if the program had not ended by itself."""
        had_ended = self._child.has_ended()
        self._child.kill()
        for fd in tuple(self._open):
            self._close(fd)
        end = time.monotonic() + GRACE_SECONDS
        while not self._child.has_ended():
            if time.monotonic() > end:  # it runs as another user: it cannot be killed, but has no pipes any more
                return
            time.sleep(_PAUSE_SECONDS)
        status = self._child.wait()
        self.status = status if had_ended else None

    def _is_over(self, ended: float | None) -> bool:
        """Tell whether the program has exited and its output is read, as far as it is waited for."""
        if ended is None:
            return False
        return self._child.stdout not in self._open or self._clock() - ended >= GRACE_SECONDS

    def _step(self, seconds: float) -> bytes | None:
        """Wait for what the pipes are ready for, and do it; return standard output, None if nothing was ready."""
        poller = select.poll()
        waits_for = self._open if self._todo else self._open - {self._child.stdin}
        for fd in waits_for:
            poller.register(fd, select.POLLOUT if fd == self._child.stdin else select.POLLIN)
        if not waits_for:  # it has closed its pipes, and exits now as a rule: poll waits a millisecond at least
            time.sleep(min(seconds, _PAUSE_SECONDS))
            return None
        ready = poller.poll(seconds * 1000)
        found = b""
        for fd, _ in ready:
            if fd == self._child.stdin:
                self._feed()
            elif not (data := os.read(fd, _CHUNK)):
                self._close(fd)
            elif fd == self._child.stderr:
                self.errors = (self.errors + data)[-MAX_ERRORS:]
            else:
                found = data
        return found if ready else None

    def _feed(self) -> None:
        """Write what the pipe accepts; a closed reader needs no more."""
        try:
            self._todo = self._todo[os.write(self._child.stdin, self._todo[:_CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._todo = memoryview(b"")
        if not self._todo and self._closes_input:
            self._close(self._child.stdin)

    def _close(self, fd: int) -> None:
        if fd in self._open:
            self._open.discard(fd)
            os.close(fd)
