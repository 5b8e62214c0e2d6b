"""Runs one process of a plugin: its pipes, deadline and limits, and the end of its process group.

The program has a session of its own, so it can prompt on no terminal and is killed with everything it started.
Its output counts as it is when the program exits. What it started in the background may hold its pipes: they are read
for ``GRACE_SECONDS`` more. Whatever happens, ``end`` kills the group, and on Linux also what left it, once no program
of a plugin runs any more; on other systems that goes on, without us.
"""

from __future__ import annotations

import atexit
import os
import select
import time

try:
    import _signal  # type: ignore[import-not-found]  # ``signal`` itself costs a hook 4 ms
except ImportError:  # another interpreter
    import signal as _signal

from entire import process
from entire.plugin_host.language.protocol import GRACE_SECONDS, MAX_ERRORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

_ENDINGS = (1, 15)  # SIGHUP and SIGTERM end this process at once: the agent has no patience, its terminal was closed
_SIGKILL = 9
_SIGINT = 2  # it raises KeyboardInterrupt, so this process exits
_PR_SET_CHILD_SUBREAPER = 36  # of Linux
_CHUNK = 1 << 16
_TICK_SECONDS = 0.05  # how often a program is looked at that may have exited while others hold its pipes
_PAUSE_SECONDS = 0.0002  # a program that has closed its pipes exits very soon
_MAX_LEFT = 16  # chunks: a pipe holds at most 1 MB


class TimeOverError(Exception):
    """The deadline passed."""


class OutOfTurnError(Exception):
    """The program wrote without being asked."""


class TooMuchError(Exception):
    """More bytes of standard output than the limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit


class Output:
    """Takes standard output, up to a limit of bytes, and says when it need not wait for the program's end."""

    def __init__(self, limit: int) -> None:
        self.data = bytearray()
        self._limit = limit

    def add(self, data: bytes) -> None:
        if len(self.data) + len(data) > self._limit:
            raise TooMuchError(self._limit)
        self.data += data

    def is_complete(self) -> bool:
        """Tell whether nothing can follow; asked after each output."""
        return False

    def is_enough(self, *, is_closed: bool) -> bool:  # noqa: ARG002
        """Tell whether nothing is expected to follow; asked once the program has been silent for ``GRACE_SECONDS``."""
        return False


class Running:
    """A running process of a plugin."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        folder: str,
        clock: Callable[[], float] = time.monotonic,
        given: int = -1,
    ) -> None:
        """Start it, with an open file as its standard input if one is ``given``; raises process.StartError."""
        self.errors = b""  # the end of its standard error
        self.status: int | None = None  # its exit status (negative: a signal), once it has ended by itself
        self._clock = clock
        self._child = _start(argv, env, folder, given)
        self._todo = memoryview(b"")  # of standard input
        self._closes_input = False  # when that is written
        self._pause = _PAUSE_SECONDS
        os.set_blocking(self._child.stdin, False)

    def write(self, data: bytes, *, last: bool) -> None:
        """Have standard input written while output is read; with ``last``, close it then."""
        self._todo = memoryview(data)
        self._closes_input = last
        if last and not data:
            self._child.close(self._child.stdin)

    def is_writing(self) -> bool:
        """Tell whether not all of standard input has been written."""
        return bool(self._todo)

    def read(self, output: Output, deadline: float) -> None:
        """Pass standard output on until it is complete or the program has ended; raises TimeOverError, TooMuchError."""
        last, was_asked = self._clock(), False  # when it printed last, or closed its output
        ended: float | None = None  # when the program was seen to have exited
        while not self._is_over(ended):
            was_closed = self._is_closed()
            now = self._clock()
            if now >= deadline:
                raise TimeOverError
            data = self._step(min(deadline - now, _TICK_SECONDS))
            if data:
                output.add(data)
                if output.is_complete():
                    return
            if data or self._is_closed() != was_closed:
                last, was_asked = self._clock(), False
            elif not was_asked and self._clock() - last >= GRACE_SECONDS:
                was_asked = True
                if output.is_enough(is_closed=was_closed):
                    return
            if ended is None and self._child.has_ended():
                ended = self._clock()
        for _ in range(_MAX_LEFT):  # what it wrote to standard error before it exited
            if self._step(0) is None:
                break

    def look(self) -> bytes | None:
        """Return the standard output that is there already; None if there is none and the program has ended."""
        data = self._step(0)
        is_over = self._is_closed() or self._child.has_ended()
        return None if is_over and not data else data or b""

    def end(self) -> None:
        """Kill the process group and take leave; ``status`` stays None if the program had not ended by itself."""
        had_ended = self._child.has_ended()
        self._child.kill()
        _forget(self._child)
        for fd in tuple(self._child.open_pipes):
            self._child.close(fd)
        end = time.monotonic() + GRACE_SECONDS
        while not self._child.has_ended():
            if time.monotonic() > end:  # it runs as another user: it cannot be killed, but has no pipes any more
                return
            time.sleep(_PAUSE_SECONDS)
        status = self._child.wait()
        self.status = status if had_ended else None
        if not _children:
            _end_orphans()

    def _is_closed(self) -> bool:
        """Tell whether standard output is at its end."""
        return self._child.stdout not in self._child.open_pipes

    def _is_over(self, ended: float | None) -> bool:
        """Tell whether the program has exited and its output is read, as far as it is waited for."""
        if ended is None:
            return False
        return self._is_closed() or self._clock() - ended >= GRACE_SECONDS

    def _step(self, seconds: float) -> bytes | None:
        """Wait for what the pipes are ready for, and do it; return standard output, None if nothing was ready."""
        poller = select.poll()
        pipes = self._child.open_pipes
        waits_for = pipes if self._todo else pipes - {self._child.stdin}
        for fd in waits_for:
            poller.register(fd, select.POLLOUT if fd == self._child.stdin else select.POLLIN)
        if not waits_for:  # it has closed its pipes, and exits now as a rule; poll would wait a millisecond
            time.sleep(min(seconds, self._pause))
            self._pause *= 2
            return None
        ready = poller.poll(seconds * 1000)
        output = b""
        for fd, _ in ready:
            if fd == self._child.stdin:
                self._feed()
            elif not (data := os.read(fd, _CHUNK)):
                self._child.close(fd)
            elif fd == self._child.stderr:
                self.errors = (self.errors + data)[-MAX_ERRORS:]
            else:
                output = data
        return output if ready else None

    def _feed(self) -> None:
        """Write what the pipe accepts; a closed reader needs no more."""
        try:
            self._todo = self._todo[os.write(self._child.stdin, self._todo[:_CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._todo = memoryview(b"")
        if not self._todo and self._closes_input:
            self._child.close(self._child.stdin)


_children: list[process.Child] = []  # that this process must not leave behind
_orphans: list[_Orphans] = []  # what they leave behind, while any of them runs
_started = [0]  # how many, since then
_MARK = b"ENTIRE_PROTOCOL_VERSION="  # in the environment of plugins, and of what they start


def _start(argv: Sequence[str], env: Mapping[str, str], folder: str, given: int) -> process.Child:
    """Start a child that is killed when a signal ends this process, or when it exits."""
    mask = _signal.pthread_sigmask(_signal.SIG_BLOCK, (*_ENDINGS, _SIGINT))
    try:
        if not _orphans:
            _orphans.append(_Orphans())
            _started[0] = 0
        child = process.Child(argv, env, folder, isolated=True, given=given)
        _started[0] += 1
        _children.append(child)
        _handle_endings(from_action=_signal.SIG_DFL, to_action=_end_with_children)
        atexit.register(_kill_children)
    finally:
        if not _children:  # it could not be started
            _end_orphans()
        _signal.pthread_sigmask(_signal.SIG_SETMASK, mask)
    return child


def _end_orphans() -> None:
    while _orphans:
        _orphans.pop().end(_started[0], _MARK)


def _forget(child: process.Child) -> None:
    _children.remove(child)
    if not _children:
        _handle_endings(from_action=_end_with_children, to_action=_signal.SIG_DFL)
        atexit.unregister(_kill_children)


def _handle_endings(*, from_action: Any, to_action: Any) -> None:
    for number in _ENDINGS:
        if _signal.getsignal(number) == from_action:
            try:
                _signal.signal(number, to_action)
            except ValueError:  # only the main thread may
                return


def _end_with_children(number: int, frame: Any) -> None:  # noqa: ARG001
    """Kill what runs, then end as this process would have ended without."""
    _kill_children()
    _signal.signal(number, _signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _kill_children() -> None:
    for child in _children:
        child.kill()
    _end_orphans()


# ---------------------------------------------------------------- what leaves its process group


class _Orphans:
    """Descendants of isolated programs that left their process groups: on Linux, they become this process's children
    when their parents end, from the creation of this object until ``end``, which kills them.
    """

    def __init__(self) -> None:
        self._before = _adoptable() if _adopt(on=True) else None
        self._count = process.started[0]

    def end(self, started: int, mark: bytes) -> None:
        """Kill them. ``started``: how many programs the caller started since; if there were others, whose descendants
        may go on, only processes with ``mark`` in their environment are killed.
        """
        if self._before is None:
            return
        is_alone = process.started[0] - self._count == started
        end = time.monotonic() + GRACE_SECONDS
        killed: set[int] = set()  # until they are waited for, they have no environment
        while time.monotonic() < end:
            others = _adoptable() - self._before - process.running
            left = {pid for pid in others if is_alone or pid in killed or mark in _environment(pid)}
            if not left:
                break
            for pid in left:
                _kill(pid)
            killed |= left
            time.sleep(_PAUSE_SECONDS)
        _adopt(on=False)


def _adopt(*, on: bool) -> bool:
    """Become, or stop being, the parent of orphaned descendants; False where the system has nothing like it."""
    if not os.path.isdir("/proc/self/task"):
        return False
    try:
        import ctypes  # only where a program runs that may leave something behind

        return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False


def _adoptable() -> set[int]:
    """Return the processes whose parent this one is, also those that have ended and are not waited for."""
    children: set[int] = set()
    try:
        for task in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/children", "rb") as file:
                children.update(map(int, file.read().split()))
    except OSError:  # a kernel without these lists
        running = (process.look(int(name)) for name in os.listdir("/proc") if name.isdigit())
        children = {program.pid for program in running if program is not None and program.parent == os.getpid()}
    return children


def _environment(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, _SIGKILL)
        os.waitpid(pid, os.WNOHANG)
    except (ProcessLookupError, PermissionError, ChildProcessError):
        pass
