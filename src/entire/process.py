"""Runs programs with standard input, environment, a time limit and an output limit, and inspects running processes.

``posix_spawn`` starts a child in 1.5 ms; importing ``subprocess`` alone costs a hook 11 ms.
"""

from __future__ import annotations

import errno
import os
import select
import time

from entire.errors import EntireError
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

# These select git's repository, and a hook inherits them. Other variables (proxies, certificates, -c) are kept.
_OF_A_REPOSITORY = frozenset({
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_DIR", "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE", "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_REFLOG_ACTION", "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
})  # fmt: skip
_CHUNK = 1 << 16
_CHUNK_AT_ONCE = 1 << 24
_SIGKILL = 9  # importing ``signal`` costs as much as the rest of this module
_IGNORED_BY_PYTHON = (13, 25)  # SIGPIPE, SIGXFSZ: a program inherits what is ignored
_MAX_OUTPUT = 1 << 30
_GRACE_SECONDS = 0.5  # how long the outputs of a program that has ended are read, because others hold them
_LOOK_SECONDS = 0.05  # how often it is looked at
_PAUSE_SECONDS = 0.00002  # the first time


class StartError(EntireError):
    """A program could not be started."""


class Completed(Value):
    """The result of a program: its exit status (negative: the signal that killed it) and its output."""

    status: int
    stdout: bytes
    stderr: bytes


def without_repository(env: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the variables that select git's repository: a program finds its own."""
    return {name: value for name, value in env.items() if name not in _OF_A_REPOSITORY}


def absolute_path(env: Mapping[str, str]) -> str:
    """Return the PATH of an environment without empty, ``.`` and relative entries: in a repository, they name folders
    of the repository.
    """
    path = env.get("PATH", os.defpath)
    return os.pathsep.join([folder for folder in path.split(os.pathsep) if os.path.isabs(folder)]) or os.defpath


def find(name: str, path: str | None = None) -> str:
    """Return a program's absolute path, '' if it is not in an absolute folder of ``path`` (default: this process's).

    Every program that we start is found here. A name with a slash is one only if it is absolute.
    """
    if "/" in name:
        return name if os.path.isabs(name) else ""
    path = os.environ.get("PATH", os.defpath) if path is None else path
    program = _programs.get((name, path))
    if program is None or not _is_program(program):
        places = (os.path.join(folder, name) for folder in absolute_path({"PATH": path}).split(os.pathsep))
        program = next(filter(_is_program, places), "") if name else ""
        _programs[name, path] = program
    return program


_programs: dict[tuple[str, str], str] = {}  # by name and PATH


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def become(words: Sequence[str], folder: str) -> None:
    """Replace this process by a program that starts in ``folder``. Raises StartError."""
    try:
        program = _resolve(words[0])
        os.chdir(folder)
        os.execv(program, list(words))
    except (OSError, ValueError) as error:
        raise _start_error(words[0], error) from error


def _resolve(name: str | bytes) -> str:
    program = find(os.fsdecode(name))
    if not program:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    return program


def _start_error(name: str | bytes, error: Exception) -> StartError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return StartError(f"cannot start {os.fsdecode(name)}: {reason}", hint="check that it is installed and on the PATH")


class Child:
    """A running program, with pipes to its standard input, output and error.

    An isolated one has its own session, hence no terminal to prompt on and a process group that is killed as a whole;
    it also inherits no other open file.
    """

    def __init__(
        self,
        argv: Sequence[str | bytes],
        env: Mapping[str, str],
        folder: str = "",
        *,
        isolated: bool = False,
        given: int = -1,
        into: int = -1,
    ) -> None:
        """``given``: an open file that it reads instead of what is written to its pipe; ``into``: one that takes its
        output instead of the pipe.
        """
        self._isolated = isolated
        fds: list[int] = []
        try:
            for _ in range(3):
                fds += os.pipe()
            child_in, self.stdin, self.stdout, child_out, self.stderr, child_err = fds
            standard = (child_in if given < 0 else given, child_out if into < 0 else into, child_err)
            actions = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(standard)]
            self.pid = _spawn(argv, env, actions, folder, isolated=isolated)
        except (OSError, ValueError) as error:  # a ValueError: a word with a NUL
            for fd in fds:
                os.close(fd)
            raise _start_error(argv[0], error) from error
        for fd in (child_in, child_out, child_err):
            os.close(fd)
        running.add(self.pid)
        started[0] += 1
        self.name = os.fsdecode(argv[0])
        self.open_pipes = {self.stdin, self.stdout, self.stderr}
        self._status: int | None = None
        self._is_reaped = False  # from then on its pid may be another's

    def kill(self) -> None:
        """Kill the program if it is still running; if it is isolated, its whole group, also after its end."""
        if not self._isolated and self._status is None:
            os.kill(self.pid, _SIGKILL)
        elif self._isolated and not self._is_reaped:
            try:
                os.killpg(self.pid, _SIGKILL)
            except (ProcessLookupError, PermissionError):  # the group is empty; the program runs as another user
                pass

    def has_ended(self) -> bool:
        """Tell whether the program has exited. Its pid, also its group's, stays its own until ``wait``."""
        if self._status is not None:
            return True
        try:
            if hasattr(os, "waitid"):
                return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
            pid, raw = os.waitpid(self.pid, os.WNOHANG)  # macOS before Python 3.13
        except ChildProcessError:  # as in ``wait``
            self._status = 0
            return True
        if pid:
            self._status = os.waitstatus_to_exitcode(raw)
        return pid != 0

    def finish(
        self, stdin: bytes = b"", *, timeout: float | None = None, max_output: int = _MAX_OUTPUT,
        may_exceed: bool = False, is_leader: bool = True,
    ) -> Completed:  # fmt: skip
        """Let the program run to its end; if it exceeds its time or prints too much, kill it and raise EntireError.

        ``may_exceed``: it may print more, and only the end of that is returned; ``is_leader``: what an isolated program
        started ends with it, otherwise that may go on after a normal end.
        """
        deadline = float("inf") if timeout is None else time.monotonic() + timeout
        must_kill = True
        try:
            stdout, stderr = _communicate(self, stdin, deadline, max_output, may_exceed=may_exceed)
            pause = _PAUSE_SECONDS
            while not self.has_ended():  # it has closed its outputs, and exits now as a rule
                if time.monotonic() > deadline:
                    raise TimeoutError
                time.sleep(pause)
                pause = min(2 * pause, _LOOK_SECONDS)
            must_kill = is_leader
        except TimeoutError:
            raise EntireError(f"{self.name} did not finish within {timeout:g} seconds") from None
        finally:
            if must_kill:
                self.kill()
            status = self.wait()
            for fd in (self.stdin, self.stdout, self.stderr):
                self.close(fd)
        return Completed(status=status, stdout=stdout, stderr=stderr)

    def close(self, fd: int) -> None:
        """Close one of its pipes, once."""
        if fd in self.open_pipes:
            self.open_pipes.remove(fd)
            os.close(fd)

    def wait(self) -> int:
        """Wait for the program to end; return its exit status."""
        self._is_reaped = True
        running.discard(self.pid)
        if self._status is None:
            try:
                _, raw = os.waitpid(self.pid, 0)
            except ChildProcessError:  # who started us ignores the ends of children, so the system forgets them
                raw = 0
            self._status = os.waitstatus_to_exitcode(raw)
        return self._status


running: set[int] = set()
"""Children that were started here and not waited for."""
started = [0]
"""How many were started."""


def _spawn(
    argv: Sequence[str | bytes], env: Mapping[str, str], actions: list[Any], folder: str, *, isolated: bool
) -> int:
    """Start a program in a folder, '' for the current directory; return its process id.

    posix_spawn cannot change the directory, so this process does, for a moment: only commands that run alone may.
    """
    start = _spawn_isolated if isolated else _spawn_here
    program = _resolve(argv[0])
    if not folder:
        return start(program, argv, env, actions)
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder)
        return start(program, argv, env, actions)
    finally:
        os.fchdir(here)
        os.close(here)


def _spawn_here(program: str, argv: Sequence[str | bytes], env: Mapping[str, str], actions: list[Any]) -> int:
    return os.posix_spawnp(program, list(argv), env, file_actions=actions)


def _spawn_isolated(program: str, argv: Sequence[str | bytes], env: Mapping[str, str], actions: list[Any]) -> int:
    words = list(argv)
    actions = [*actions, *((os.POSIX_SPAWN_CLOSE, fd) for fd in _inheritable())]
    try:
        return os.posix_spawnp(
            program, words, env, file_actions=actions, setsid=True, setsigmask=(), setsigdef=_IGNORED_BY_PYTHON
        )
    except NotImplementedError:  # a system that cannot start sessions
        return os.posix_spawnp(
            program, words, env, file_actions=actions, setpgroup=0, setsigmask=(), setsigdef=_IGNORED_BY_PYTHON
        )


def _inheritable() -> list[int]:
    """Return the open files that a program would inherit beside its standard ones: those that we inherited."""
    fds = []
    for name in os.listdir("/dev/fd"):
        try:
            if int(name) > 2 and os.get_inheritable(int(name)):
                fds.append(int(name))
        except OSError:  # the listing's own
            continue
    return fds


def run(
    argv: Sequence[str | bytes],
    *,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    folder: str = "",
    timeout: float | None = None,
    max_output: int = _MAX_OUTPUT,
) -> Completed:
    """Run a program to its end, in ``folder`` if given. Raises EntireError (StartError if it cannot start) if it
    exceeds its time or prints too much.
    """
    child = Child(argv, os.environ if env is None else env, folder)
    return child.finish(stdin, timeout=timeout, max_output=max_output)


def start(argv: Sequence[str | bytes], stdin: bytes, env: Mapping[str, str]) -> Callable[[], Completed]:
    """Start a program that reads ``stdin`` while the caller goes on; return what waits for its end.

    Where only a pipe could give it so much, it is waited for at once.
    """
    if not hasattr(os, "memfd_create"):
        done = run(argv, stdin=stdin, env=env)
        return lambda: done
    given = os.memfd_create("input")
    try:
        written = 0
        while written < len(stdin):
            written += os.write(given, memoryview(stdin)[written:])
        os.lseek(given, 0, os.SEEK_SET)
        return Child(argv, env, given=given).finish
    finally:
        os.close(given)


def run_at_once(argv: Sequence[str | bytes], stdin: bytes, env: Mapping[str, str]) -> Completed:
    """Run a program to its end and read its output then: a pipe would wake us for every few KB of it."""
    if not hasattr(os, "memfd_create"):
        return run(argv, stdin=stdin, env=env)
    output = os.memfd_create("output")
    try:
        done = Child(argv, env, into=output).finish(stdin)
        size = os.fstat(output).st_size
        parts = [os.pread(output, _CHUNK_AT_ONCE, at) for at in range(0, size, _CHUNK_AT_ONCE)]
    finally:
        os.close(output)
    return Completed(status=done.status, stdout=b"".join(parts), stderr=done.stderr)


def _communicate(
    child: Child, stdin: bytes, deadline: float, max_output: int, *, may_exceed: bool
) -> tuple[bytes, bytes]:
    """Write standard input and collect both outputs concurrently, so no full pipe blocks.

    A program that has ended may have left others with its outputs: they are read for a moment only.
    """
    outputs = {child.stdout: bytearray(), child.stderr: bytearray()}
    poller = select.poll()
    for fd in outputs:
        poller.register(fd, select.POLLIN)
    todo = memoryview(stdin)
    if todo:
        os.set_blocking(child.stdin, False)
        poller.register(child.stdin, select.POLLOUT)
    else:
        child.close(child.stdin)
    open_fds = len(outputs) + bool(todo)
    ended: float | None = None  # when the program was seen to have ended
    while open_fds and (ended is None or time.monotonic() - ended < _GRACE_SECONDS):
        now = time.monotonic()
        if now >= deadline:
            raise TimeoutError
        for fd, _ in poller.poll(min(deadline - now, _LOOK_SECONDS) * 1000):
            if fd == child.stdin:
                todo = _feed(fd, todo)
                finished = not todo
            else:
                data = os.read(fd, _CHUNK)
                outputs[fd] += data
                if len(outputs[fd]) > max_output:
                    if not may_exceed:
                        raise EntireError(f"{child.name} printed more than {max_output} bytes")
                    del outputs[fd][: -max_output // 2]
                finished = not data
            if finished:
                poller.unregister(fd)
                child.close(fd)
                open_fds -= 1
        if ended is None and child.has_ended():
            ended = time.monotonic()
    return bytes(outputs[child.stdout]), bytes(outputs[child.stderr])


def _feed(fd: int, todo: memoryview) -> memoryview:
    """Write what the pipe accepts; a closed reader needs no more."""
    try:
        return todo[os.write(fd, todo[:_CHUNK]) :]
    except BlockingIOError:
        return todo
    except BrokenPipeError:
        return todo[len(todo) :]


class Program(Value):
    """A running process; ``started`` distinguishes reused pids."""

    pid: int
    parent: int
    name: str
    started: str
    argv: tuple[str, ...] = ()


def look(pid: int) -> Program | None:
    """Describe a running process; None if it is gone or unreadable."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            stat = file.read().decode("utf-8", "replace")
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            argv = file.read().decode("utf-8", "surrogateescape").split("\0")[:-1]
    except OSError:
        return None if os.path.isdir("/proc/self") else _inspect_with_ps(pid)
    name = stat[stat.find("(") + 1 : stat.rfind(")")]
    fields = stat[stat.rfind(")") + 2 :].split()
    return Program(pid=pid, parent=int(fields[1]), name=name, started=fields[19], argv=tuple(argv))


def _inspect_with_ps(pid: int) -> Program | None:
    """Describe a process without /proc (macOS, the BSDs)."""
    try:
        done = run(["ps", "-o", "ppid=,lstart=,command=", "-p", str(pid)], timeout=5)
    except EntireError:
        return None
    words = done.stdout.decode("utf-8", "replace").split()
    if done.status or len(words) < 7:
        return None
    return Program(
        pid=pid,
        parent=int(words[0]),
        name=os.path.basename(words[6]),
        started=" ".join(words[1:6]),
        argv=tuple(words[6:]),
    )


def is_running(pid: int, started: str) -> bool:
    """Tell whether the process is still running, and not another one with its pid."""
    program = look(pid)
    return program is not None and program.started == started


def start_time(started: str) -> float:
    """Return when a process started, in seconds since the epoch, from its ``started``; 0 if that is unknown."""
    words = started.split()
    if len(words) == 1 and hasattr(time, "CLOCK_BOOTTIME"):  # clock ticks since the system started
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - int(words[0]) / os.sysconf("SC_CLK_TCK")
        return time.time() - age
    if len(words) == 5:  # as ``ps`` prints it: "Mon Jan 31 12:00:00 2026"
        months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
        hour, minute, second = (int(part) for part in words[3].split(":"))
        day = (int(words[4]), months.index(words[1]) + 1, int(words[2]))
        return time.mktime((*day, hour, minute, second, 0, 0, -1))
    return 0.0


def ancestors(pid: int, limit: int = 12) -> list[Program]:
    """Return the process and its ancestors, nearest first."""
    programs: list[Program] = []
    while pid > 1 and len(programs) < limit:
        program = look(pid)
        if program is None:
            break
        programs.append(program)
        pid = program.parent
    return programs
