"""The server of ``tests.forks``: ``python -I -S server.py SOCKET ROOT PACKAGES``. It goes on in the background until
its standard input closes.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import select
import signal
import socket
import struct
import sys
import time
from itertools import islice

_ROOT, _PACKAGES = sys.argv[2:]
sys.path[:] = [_ROOT, *sys.path[1:], _PACKAGES]

from entire import process  # noqa: E402
from entire.model.value import replace  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import CodeType

_REFUSED = 256  # no exit status: the client starts an interpreter
_FILES = 4  # standard input, output, error, and the current folder


def main() -> None:
    """Listen, load modules, and fork for every call."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(64)
    if os.fork():
        os._exit(0)  # a test may look for children of its process: this is none
    _load(("entire.cli", "entire.commands.hooks", "entire.plugin.serving"))
    Server(listener).serve()


def _load(names: Iterable[str]) -> None:
    """Import modules, which run nothing, for all forks to come."""
    for name in names:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()


class Call:
    """What a client was given."""

    def __init__(self, message: bytes, files: list[int]) -> None:
        code, program, parent, umask, count, *rest = message.split(b"\0")
        self.code, self.program, self.files = code.decode(), os.fsdecode(program), files
        self.parent, self.umask = int(parent), int(umask)
        self.words = [os.fsdecode(word) for word in rest[: int(count)]]
        pairs = (pair.partition(b"=") for pair in rest[int(count) :])
        self.leads = False  # is of another process group than the server, which is killed as a whole
        self.environment = {name: value for name, _, value in pairs}

    def is_possible(self) -> bool:
        """Tell whether a fork can show it: locale and loader were this process's before."""
        return len(self.files) == _FILES and _fixed(self.environment) == _fixed(dict(os.environb))


def _fixed(environment: dict[bytes, bytes]) -> tuple[bytes, dict[bytes, bytes]]:
    """Return what a process looks at as it starts: the encoding's locale, and what the loader reads."""
    locale = next(filter(None, (environment.get(name) for name in (b"LC_ALL", b"LC_CTYPE", b"LANG"))), b"")
    return locale, {name: value for name, value in environment.items() if name.startswith(b"LD_")}


class Server:
    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._poll = select.poll()
        self._poll.register(listener, select.POLLIN)
        self._poll.register(0, 0)  # its end is always told
        self._missed, self._missing = os.pipe()  # modules that a call had to load: the next finds them loaded
        self._poll.register(self._missed, select.POLLIN)
        self._ended: dict[int, tuple[int, socket.socket]] = {}  # by the file that tells of a child's end
        self._gone: dict[int, int] = {}  # by the connection: the child

    def serve(self) -> None:
        while True:
            for file, _ in self._poll.poll():
                if file == 0:
                    os._exit(0)
                elif file in self._ended:
                    self._answer(file)
                elif file in self._gone:
                    _kill(self._gone[file])  # or a whole group, as the client was
                    self._poll.unregister(file)
                elif file == self._listener.fileno():
                    self._accept()
                elif file == self._missed:
                    _load(os.read(file, 1 << 16).decode().split())

    def _accept(self) -> None:
        client, _ = self._listener.accept()
        try:
            client.settimeout(10)
            call = _receive(client)
            pid, _, _ = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            call.leads = os.getpgid(pid) != os.getpgrp()
            client.setblocking(True)
        except (OSError, ValueError):
            client.close()
            return
        if not call.is_possible():
            client.sendall(_REFUSED.to_bytes(4, "big"))
            client.close()
        elif child := _fork(call):
            ended = os.pidfd_open(child)
            self._ended[ended] = child, client
            self._gone[client.fileno()] = -child if call.leads else child
            _PARENTS[child] = call.parent
            self._poll.register(ended, select.POLLIN)
            self._poll.register(client, select.POLLIN)
        else:
            _run(call, self._missing)
        for given in call.files:
            os.close(given)

    def _answer(self, ended: int) -> None:
        child, client = self._ended.pop(ended)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        self._poll.unregister(ended)
        os.close(ended)
        del _PARENTS[child]
        if self._gone.pop(client.fileno(), 0):
            try:
                self._poll.unregister(client)
                client.sendall(status.to_bytes(4, "big", signed=True))
            except (KeyError, OSError):  # killed meanwhile
                pass
        client.close()


def _fork(call: Call) -> int:
    """Fork with the code compiled, which runs nothing: the next call of a program finds it so."""
    try:
        if (call.code, call.program) not in _COMPILED:
            _COMPILED[call.code, call.program] = compile(call.code, call.program, "exec")
    except (SyntaxError, ValueError):
        pass  # the child says what is wrong with it
    return os.fork()


_COMPILED: dict[tuple[str, str], CodeType] = {}


def _kill(target: int) -> None:
    try:
        os.kill(target, signal.SIGKILL)
    except ProcessLookupError:  # it has not made its group yet
        os.kill(abs(target), signal.SIGKILL)


def _receive(client: socket.socket) -> Call:
    data, files, _, _ = socket.recv_fds(client, 1 << 16, _FILES)
    while len(data) < 4 or len(data) - 4 < int.from_bytes(data[:4], "big"):
        more = client.recv(1 << 16)
        if not more:
            raise ValueError("half a call")
        data += more
    return Call(data[4:], files)


def _run(call: Call, missing: int) -> None:
    """Be the process that the client would have started, to its end."""
    status, loaded = 1, len(sys.modules)
    try:
        for number in range(_FILES - 1):
            os.dup2(call.files[number], number)
        os.fchdir(call.files[-1])
        os.closerange(3, missing)
        os.closerange(missing + 1, 4096)
        os.umask(call.umask)
        _change_environment(call.environment)
        time.tzset()
        if call.leads:
            os.setsid()
        _PARENTS[os.getpid()] = call.parent
        os.getppid = lambda: call.parent
        process.look = _look
        sys.argv[:] = [call.program, *call.words]
        _open_streams()
        status = _execute(call)
        # From the end: to count a reference to each name of a module would copy all their memory.
        new = islice(reversed(sys.modules), max(len(sys.modules) - loaded, 0))
        os.write(missing, "".join(f"{name}\n" for name in new if _is_ours(name)).encode())
    except BaseException:
        sys.excepthook(*sys.exc_info())
    os._exit(status)


def _change_environment(wanted: dict[bytes, bytes]) -> None:
    """Set what differs: most is as it was."""
    before = dict(os.environb)
    for name in before.keys() - wanted.keys():
        del os.environb[name]
    for name, value in wanted.items():
        if before.get(name) != value:
            os.environb[name] = value


_PARENTS: dict[int, int] = {}  # of the forks at work, those of their clients: who looks for ancestors finds git


def _look(pid: int, look: Callable[[int], process.Program | None] = process.look) -> process.Program | None:
    program = look(pid)
    return replace(program, parent=_PARENTS[pid]) if program is not None and pid in _PARENTS else program


def _is_ours(name: str) -> bool:
    """Tell whether a module is the standard library's, the product's or a library's, not a test's."""
    file = getattr(sys.modules[name], "__file__", None) or ""
    return name.partition(".")[0] in sys.stdlib_module_names or file.startswith((_ROOT, _PACKAGES))


def _open_streams() -> None:
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        before = getattr(sys, name)
        stream = open(number, "w" if number else "r", encoding=before.encoding, errors=before.errors, closefd=False)
        stream.reconfigure(line_buffering=number == 2 or stream.isatty())
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _execute(call: Call) -> int:
    program = sys.modules["__main__"] = type(sys)("__main__")
    program.__file__ = call.program
    status = 0
    try:
        code = _COMPILED.get((call.code, call.program)) or compile(call.code, call.program, "exec")
        exec(code, program.__dict__)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError:
        sys.excepthook(*sys.exc_info())
        status = 120  # as Python ends
    return status & 0xFF


if __name__ == "__main__":
    main()
