"""Reads and writes small files: atomic writes, JSON, locks; opens files that others name."""

from __future__ import annotations

import errno
import os
import stat
import time

from entire.errors import CorruptError, EntireError, LockTimeoutError
from entire.model import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, BinaryIO


def read(path: str) -> bytes | None:
    """Return a file's bytes, or None if it does not exist."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def open_regular(path: str) -> BinaryIO:
    """Open a regular file that a person names; raises OSError for a pipe, device or folder, and never waits for one."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        return open(fd, "rb")
    except BaseException:
        os.close(fd)
        raise


_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (lambda mode: not stat.S_ISREG(mode), "a device"),
)


class RefusedFileError(OSError):
    """A file that somebody else named is not opened; its text is the end of a sentence about that file."""

    def __init__(self, reason: str) -> None:
        super().__init__(errno.EINVAL, reason)

    def __str__(self) -> str:
        return str(self.strerror)


def open_named(path: str) -> tuple[BinaryIO, int]:
    """Open a file that an agent, a plugin or stored data names; return it and its size.

    Only regular files, and nothing that can block: a pipe or device would never end. A symbolic link must lead to a
    file in its own folder or below; folders above may be links. Read no more than the size: the file may grow as fast
    as it is read. Raises OSError, which is a RefusedFileError for a file that is there and is refused.
    """
    size_of_named(path)  # before it is opened: that alone disturbs a pipe's writer
    real = os.path.realpath(path) if os.path.islink(path) else path
    fd = os.open(real, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW)
    try:
        size = size_of(os.fstat(fd))
        if not size and os.pread(fd, 1, 0) and not os.fstat(fd).st_size:  # such as those in /proc
            raise RefusedFileError("it has content, but no size")
        return open(fd, "rb"), size
    except BaseException:
        os.close(fd)
        raise


def size_of_named(path: str) -> int:
    """Return the size of a file that somebody else names; raises OSError like ``open_named``."""
    facts = os.lstat(path)
    if stat.S_ISLNK(facts.st_mode):
        folder = os.path.join(os.path.realpath(os.path.dirname(path)), "")
        if not os.path.realpath(path).startswith(folder):
            raise RefusedFileError("it is a symbolic link that leads out of its folder")
        facts = os.stat(path)
    return size_of(facts)


def size_of(facts: os.stat_result) -> int:
    """Return a regular file's size; raises RefusedFileError for anything else."""
    kind = next((name for has_kind, name in _KINDS if has_kind(facts.st_mode)), "")
    if kind:
        raise RefusedFileError(f"it is {kind}, not a file")
    return facts.st_size


def refusal(path: str, folder: str = "") -> str:
    """Return why a file that somebody else names is not read, the end of a sentence; '' if it is, or if none is there.

    ``folder``: it must be there, whatever links lead to it; '' for anywhere.
    """
    try:
        open_named(path)[0].close()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a path with a NUL
        return ""
    except RefusedFileError as error:
        return str(error)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    is_inside = not folder or os.path.realpath(path).startswith(os.path.join(os.path.realpath(folder), ""))
    return "" if is_inside else f"it is not in the folder {folder}"


def read_lines(path: str) -> list[bytes]:
    """Return the lines of an append-only file; none if it is missing or a folder."""
    try:
        return (read(path) or b"").split(b"\n")
    except IsADirectoryError:
        return []


def write(path: str, data: bytes, *, mode: int = 0o644) -> None:
    """Write a file atomically: after a crash it is old or new. Writes a temporary file, then renames it."""
    temporary = f"{path}.tmp{os.getpid()}"
    try:
        try:
            fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), 0o750, exist_ok=True)
            fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(fd, rest) :]
        finally:
            os.close(fd)
        os.rename(temporary, path)
    except OSError as error:
        remove(temporary)
        raise EntireError(
            f"cannot write {path}: {error.strerror}",
            hint="the old content was kept; "
            + ("free some disk space" if error.errno == errno.ENOSPC else "check the permissions"),
        ) from error


def append(path: str, data: bytes, *, mode: int = 0o600) -> None:
    """Append in one write; readers must expect a cut last line. Raises OSError if not all of it could be written."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, mode)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), 0o750, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, mode)
    except IsADirectoryError:
        put_aside(path)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, mode)
    try:
        if os.write(fd, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
    finally:
        os.close(fd)


def create(path: str, data: bytes) -> bool:
    """Write a file that does not exist yet, atomically; return False if there is one, perhaps of another process."""
    temporary = f"{path}.tmp{os.getpid()}"
    write(temporary, data, mode=0o600)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            return False
        os.rename(temporary, path)
    finally:
        remove(temporary)
    return True


def remove(path: str) -> None:
    """Delete a file if it exists."""
    try:
        os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        pass


def put_aside(path: str) -> None:
    """Rename a broken file, so its content is kept and a new file can be written."""
    try:
        os.replace(path, path + ".broken")
    except OSError:
        pass


def read_json(path: str) -> dict[str, Any] | None:
    """Return the JSON object in a file, None if there is no file; raises CorruptError for other content."""
    try:
        data = read(path)
    except IsADirectoryError as error:
        raise CorruptError(f"{path} is a folder", hint="run `entire doctor`") from error
    return None if data is None else json_object(path, data)


def json_object(path: str, data: bytes) -> dict[str, Any]:
    """Return the JSON object that is a file's content; raises CorruptError for other content."""
    try:
        value = jsontext.loads(data.decode("utf-8", "surrogateescape"))  # as write_json writes names that are not UTF-8
    except (ValueError, RecursionError) as error:
        raise CorruptError(f"{path} is not valid JSON: {error}", hint="run `entire doctor`") from error
    if not isinstance(value, dict):
        raise CorruptError(f"{path} does not contain a JSON object", hint="run `entire doctor`")
    return value


def json_bytes(value: dict[str, Any]) -> bytes:
    """Return the bytes that ``write_json`` writes."""
    return jsontext.dumps(value, ensure_ascii=False, compact=True).encode("utf-8", "surrogateescape") + b"\n"


def write_json(path: str, value: dict[str, Any]) -> None:
    """Write a compact JSON object atomically."""
    write(path, json_bytes(value), mode=0o600)


class Lock:
    """A lock between processes, held inside ``with``; the system releases it when the holder dies."""

    def __init__(self, path: str, *, timeout: float = 20.0) -> None:
        self._path = path
        self._timeout = timeout
        self._fd = -1

    def __enter__(self) -> Lock:
        try:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(self._path), 0o750, exist_ok=True)
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except IsADirectoryError:
            put_aside(self._path)
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        import fcntl  # not for hooks that hold no lock

        deadline = time.monotonic() + self._timeout
        pause = 0.001
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return self
            except OSError as error:
                if time.monotonic() > deadline:
                    os.close(self._fd)
                    raise LockTimeoutError(
                        f"another process held {self._path} for {self._timeout:g} seconds"
                    ) from error
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._fd)
