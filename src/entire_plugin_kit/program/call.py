"""Calls of a plugin, as the host makes them and as it hopefully never does: in a process group of its own, with time
and output limits, with pipes that close early, and killed at any moment.
"""

from __future__ import annotations

import os
import select
import signal
import time
from typing import TYPE_CHECKING

from entire.plugin.host import protocol, why_not_started
from entire_plugin_kit.answer import Answer, Call

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_CHUNK = 1 << 16
_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)
"""What Python ignores, and programs inherit."""
_SLICE = 0.02
"""Seconds between two looks at a process that says nothing."""


class Running:
    """A running plugin, with pipes to its standard input, output and error, leader of a process group."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.started = time.monotonic()
        child_in, self.stdin = os.pipe()
        self.stdout, child_out = os.pipe()
        self.stderr, child_err = os.pipe()
        first = (os.POSIX_SPAWN_CLOSE, 0) if call.stdin is None else (os.POSIX_SPAWN_DUP2, child_in, 0)
        actions = [first, (os.POSIX_SPAWN_DUP2, child_out, 1), (os.POSIX_SPAWN_DUP2, child_err, 2)]
        here = os.open(".", os.O_RDONLY)
        try:
            os.chdir(call.folder)
            argv = [*call.prefix, call.path, *call.words]
            self.pid = os.posix_spawnp(argv[0], argv, call.env, file_actions=actions, setpgroup=0, setsigdef=_IGNORED)
        except BaseException:
            self.close(self.stdin, self.stdout, self.stderr)
            raise
        finally:
            os.fchdir(here)
            for fd in (here, child_in, child_out, child_err):
                os.close(fd)
        self._status: int | None = None
        self.cpu_seconds = 0.0

    def close(self, *descriptors: int) -> None:
        """Close pipes; those that are closed already stay closed."""
        for fd in descriptors:
            try:
                os.close(fd)
            except OSError:
                pass

    def status(self) -> int | None:
        """Return the exit status (negative: the signal that ended it), None while it runs."""
        if self._status is None:
            pid, raw, used = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(raw)
                self.cpu_seconds = used.ru_utime + used.ru_stime
        return self._status

    def wait(self, deadline: float) -> int | None:
        """Wait for the end; None if it does not come in time."""
        while self.status() is None and time.monotonic() < deadline:
            time.sleep(_SLICE / 4)
        return self._status

    def kill(self) -> int:
        """Kill the process and its group, and return its status."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        while self.status() is None:
            time.sleep(_SLICE / 10)
        return self._status or 0

    def has_others(self, patience: float = 0.5) -> bool:
        """Tell whether processes of its group are alive although it has ended; one that is ending has a moment."""
        deadline = time.monotonic() + patience
        while True:
            try:
                os.killpg(self.pid, 0)
            except (ProcessLookupError, PermissionError):
                return False
            if time.monotonic() > deadline:
                return True
            time.sleep(_SLICE)

    def finish(self) -> Answer:
        """Close its input, and wait for its end."""
        return _Conversation(self).finish()


def exchange(running: Running, line: bytes, seconds: float) -> bytes:
    """Send a line and return the line that comes back; what there is of it, if it does not come in time."""
    deadline, received = time.monotonic() + seconds, b""
    try:
        os.write(running.stdin, line)
    except BrokenPipeError:
        return b""
    while not received.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([running.stdout], [], [], left)[0]:
            break
        data = os.read(running.stdout, _CHUNK)
        if not data:
            break
        received += data
    return received


def run(call: Call) -> Answer:
    """Make a call and wait for its end."""
    try:
        running = Running(call)
    except OSError as error:
        problem = f"cannot be started: {why_not_started(call.path, call.folder, error)}"
        return Answer(call=call, status=127, stdout=b"", stderr=b"", seconds=0.0, problem=problem)
    return _Conversation(running).finish()


def run_all(calls: Sequence[Call]) -> list[Answer]:
    """Make calls at the same time; return the answers in their order."""
    conversations: list[_Conversation] = []
    try:
        for call in calls:
            conversations.append(_Conversation(Running(call)))
        going = conversations
        while going:
            going = [conversation for conversation in going if conversation.step(_SLICE / 4)]
    except BaseException:
        for conversation in conversations:
            conversation.running.kill()
        raise
    return [conversation.finish() for conversation in conversations]


def run_until(call: Call, is_time: Callable[[float], bool]) -> Answer:
    """Make a call and kill it as soon as ``is_time`` says so; it is given the seconds since the start."""
    running = Running(call)
    conversation = _Conversation(running)
    try:
        while conversation.step(0):
            if is_time(time.monotonic() - running.started):
                conversation.problem = "was killed on purpose"
                break
    except BaseException:
        running.kill()
        raise
    return conversation.finish()


class _Conversation:
    """Feeds a running plugin and collects what it prints, all at once, so no full pipe blocks."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.call = running.call
        self.todo = memoryview(self.call.stdin or b"")
        self.outputs = {running.stdout: bytearray(), running.stderr: bytearray()}
        self.open = {running.stdout, running.stderr}
        self.problem = ""
        self.deadline = running.started + self.call.seconds
        self.grace = 0.0
        self.poller = select.poll()
        for fd in self.open:
            self.poller.register(fd, select.POLLIN)
        if self.todo:
            os.set_blocking(running.stdin, False)
            self.poller.register(running.stdin, select.POLLOUT)
        else:
            running.close(running.stdin)

    def step(self, patience: float) -> bool:
        """Exchange what can be exchanged; tell whether there may be more."""
        if self.problem or not self.open:
            return False
        for fd, _ in self.poller.poll(patience * 1000):
            self._feed() if fd == self.running.stdin else self._read(fd)
        if time.monotonic() > self.deadline:
            self.problem = f"did not end within {self.call.seconds:g} seconds"
        elif self.open and self.running.status() is not None:
            self._give_grace()
        return True

    def _give_grace(self) -> None:
        """It has ended, but its pipes are open: others hold them."""
        self.grace = self.grace or time.monotonic() + protocol.GRACE_SECONDS
        if time.monotonic() > self.grace:
            for fd in list(self.open):
                self._end(fd)

    def _feed(self) -> None:
        try:
            self.todo = self.todo[os.write(self.running.stdin, self.todo[:_CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.todo = memoryview(b"")
        if not self.todo:
            self.poller.unregister(self.running.stdin)
            self.running.close(self.running.stdin)

    def _read(self, fd: int) -> None:
        data = os.read(fd, _CHUNK)
        output = self.outputs[fd]
        if fd == self.running.stderr:
            output += data[: max(0, protocol.MAX_ANSWER - len(output))]
        else:
            output += data
            if len(output) > self.call.max_output:
                self.problem = f"printed more than {self.call.max_output:,} bytes"
            if 0 <= self.call.max_read <= len(output):
                data = b""
        if not data:
            self._end(fd)

    def _end(self, fd: int) -> None:
        self.poller.unregister(fd)
        self.open.discard(fd)
        self.running.close(fd)

    def finish(self) -> Answer:
        """Exchange the rest, wait for the end, and leave nothing behind."""
        running = self.running
        try:
            while self.step(_SLICE):
                pass
            if not self.problem and running.wait(self.deadline) is None:
                self.problem = f"did not end within {self.call.seconds:g} seconds"
            seconds = time.monotonic() - running.started
            left = not self.problem and running.has_others()
        finally:
            status = running.kill()
            running.close(*self.open, *([running.stdin] if self.todo else []))
        return Answer(
            call=self.call,
            status=status,
            stdout=bytes(self.outputs[running.stdout]),
            stderr=bytes(self.outputs[running.stderr]),
            seconds=seconds,
            cpu_seconds=running.cpu_seconds,
            problem=self.problem,
            has_left_processes=left,
        )
