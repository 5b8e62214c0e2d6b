"""Opens the files of a worktree that are ours, and the settings files of agents in it.

What is in a worktree may have been cloned. A link there would lead a write to any file of the user, and a pipe or a
device would hold a hook up for ever. So no symbolic link below the worktree's top is followed: each folder is opened
from the one above it. Only regular files are read and replaced, and no large ones.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from entire.errors import EntireError
from entire.files import RefusedFileError, size_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import BinaryIO

LARGEST = 1 << 24
REMEDY = "what a repository brings may lead anywhere: put an ordinary file of your own in its place"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NOT_THERE = (FileNotFoundError, NotADirectoryError)


class Folder:
    """A folder of a worktree, open inside ``with``; with ``make``, it and those above it are made if missing.

    Raises OSError, which is a RefusedFileError for a link on the way.
    """

    def __init__(self, top: str, path: str, *, make: bool = False) -> None:
        self.fd = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in _names(top, path):
                self._enter(name, make)
        except BaseException:
            os.close(self.fd)
            raise

    def _enter(self, name: str, make: bool) -> None:
        try:
            below = os.open(name, _FOLDER, dir_fd=self.fd)
        except FileNotFoundError:
            if not make:
                raise
            try:
                os.mkdir(name, 0o777, dir_fd=self.fd)
            except FileExistsError:  # another process made it meanwhile
                pass
            below = os.open(name, _FOLDER, dir_fd=self.fd)
        except OSError as error:
            if stat.S_ISLNK(os.stat(name, dir_fd=self.fd, follow_symlinks=False).st_mode):
                raise RefusedFileError(f"its folder {name} is a symbolic link") from error
            raise
        os.close(self.fd)
        self.fd = below

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.fd)

    def read(self, name: str) -> bytes:
        file, _ = self.open(name, LARGEST)
        with file:
            return file.read(LARGEST)

    def open(self, name: str, largest: int) -> tuple[BinaryIO, int]:
        """Open a regular file, and return its size, too; raises OSError like ``mode``."""
        self.mode(name, largest)  # before it is opened: that alone disturbs a pipe's writer
        file = open(os.open(name, _FILE, dir_fd=self.fd), "rb")
        try:
            return file, size_of(os.fstat(file.fileno()))
        except OSError:
            file.close()
            raise

    def mode(self, name: str, largest: int = LARGEST) -> int:
        """Return the mode bits of a regular file; raises OSError for anything else, and for one that is too large."""
        facts = os.stat(name, dir_fd=self.fd, follow_symlinks=False)
        if size_of(facts) > largest:
            raise RefusedFileError(f"it is larger than {largest >> 20} MB")
        return stat.S_IMODE(facts.st_mode)

    def write(self, name: str, data: bytes, mode: int) -> None:
        """Write a file atomically: one that is there keeps its mode. Only a regular file is replaced."""
        try:
            kept: int | None = self.mode(name)
        except FileNotFoundError:
            kept = None
        temporary = f"{name}.tmp{os.getpid()}"
        self.remove(temporary)
        try:
            with open(os.open(temporary, _NEW, mode if kept is None else kept, dir_fd=self.fd), "wb") as file:
                file.write(data)
                if kept is not None:
                    os.fchmod(file.fileno(), kept)  # the umask removed some bits
            os.rename(temporary, name, src_dir_fd=self.fd, dst_dir_fd=self.fd)
        except OSError:
            self.remove(temporary)
            raise

    def remove(self, name: str) -> None:
        """Delete a file, or a link itself, if it exists."""
        try:
            os.unlink(name, dir_fd=self.fd)
        except FileNotFoundError:
            pass


def top_of(path: str) -> str:
    """Return the worktree in which a path is; '' if it is in none, in a git directory, or in one that is a home.

    Whoever clones into a home trusts that repository with every file in it, and may keep settings behind links.
    """
    home, top, at = os.path.expanduser("~"), "", path.find(os.sep, 1)
    while at > 0:
        folder, at = path[:at], path.find(os.sep, at + 1)
        if folder.endswith(f"{os.sep}.git"):
            return ""
        if top and os.path.islink(folder):  # what it leads to may be a repository of its own, as a submodule is
            return top
        if folder != home and os.path.lexists(os.path.join(folder, ".git")):
            top = folder
    return top


def link_to(path: str) -> str:
    """Return the first symbolic link in a worktree on the way to a path, or the path itself; '' if there is none."""
    top = top_of(path)
    at = len(top)
    while top and at < len(path):
        at = path.find(os.sep, at + 1) if os.sep in path[at + 1 :] else len(path)
        if os.path.islink(path[:at]):
            return path[:at]
    return ""


def own_top(path: str) -> str:
    """Return the top of the worktree in whose ``.entire`` folder a file is."""
    return os.path.dirname(os.path.dirname(path))


def read(top: str, path: str) -> bytes | None:
    """Return a file's bytes, None if there is none; raises OSError if it is refused or cannot be read."""
    folder, name = os.path.split(path)
    try:
        with Folder(top, folder) as opened:
            return opened.read(name)
    except _NOT_THERE:
        return None


def open_named(top: str, path: str) -> tuple[BinaryIO, int]:
    """Open a file of any size, and return its size, too; raises OSError if it is not there or refused."""
    folder, name = os.path.split(path)
    with Folder(top, folder) as opened:
        return opened.open(name, sys.maxsize)


def below(top: str, folder: str, *, deep: bool = True) -> Iterator[tuple[str, int]]:
    """Yield the path and the size of each regular file below a folder, or just in it; none if it is behind a link."""
    try:
        opened = Folder(top, folder)
    except OSError:
        return
    with opened:
        for where, folders, names, fd in os.fwalk(".", dir_fd=opened.fd):
            folders[:] = sorted(folders) if deep else ()
            for name in sorted(names):
                try:
                    size = size_of(os.stat(name, dir_fd=fd, follow_symlinks=False))
                except OSError:
                    continue
                yield os.path.normpath(os.path.join(folder, where, name)), size


def write(top: str, path: str, data: bytes, *, mode: int = 0o644) -> None:
    """Write a file atomically, and the folders above it if they are missing; a file that is there keeps its mode."""
    folder, name = os.path.split(path)
    try:
        with Folder(top, folder, make=True) as opened:
            opened.write(name, data, mode)
    except OSError as error:
        raise EntireError(f"cannot write {path}: {error.strerror}", hint=_hint(error)) from error


def remove(top: str, path: str) -> None:
    """Delete a file, or a link itself, if it exists."""
    folder, name = os.path.split(path)
    try:
        with Folder(top, folder) as opened:
            opened.remove(name)
    except _NOT_THERE:
        pass


def remove_empty(top: str, path: str) -> None:
    """Delete a folder if nothing is in it."""
    folder, name = os.path.split(path)
    try:
        with Folder(top, folder) as opened:
            os.rmdir(name, dir_fd=opened.fd)
    except OSError:
        pass


def put_aside(top: str, path: str) -> None:
    """Rename a broken file, so its content is kept and a new file can be written."""
    folder, name = os.path.split(path)
    try:
        with Folder(top, folder) as opened:
            os.replace(name, name + ".broken", src_dir_fd=opened.fd, dst_dir_fd=opened.fd)
    except OSError:
        pass


def refusal(top: str, path: str, *, is_folder: bool = False) -> str:
    """Return why a file or folder is not opened, the end of a sentence; '' if it is, or if none is there."""
    folder, name = os.path.split(path)
    try:
        with Folder(top, folder) as opened:
            if not is_folder:
                opened.mode(name)
                return ""
            facts = os.stat(name, dir_fd=opened.fd, follow_symlinks=False)
            if not stat.S_ISDIR(facts.st_mode):
                return f"it is {'a symbolic link' if stat.S_ISLNK(facts.st_mode) else 'no folder'}"
    except RefusedFileError as error:
        return str(error)
    except OSError:
        pass
    return ""


def _names(top: str, path: str) -> list[str]:
    """Return the names of the folders from a worktree's top to one in it."""
    names = path[len(top) :].split(os.sep)[1:]
    if not f"{path}{os.sep}".startswith(f"{top}{os.sep}") or any(name in ("", ".", "..") for name in names):
        raise RefusedFileError(f"it is not in {top}")
    return names


def _hint(error: OSError) -> str:
    if isinstance(error, RefusedFileError):
        return REMEDY
    return "the old content was kept; " + (
        "free some disk space" if error.errno == errno.ENOSPC else "check the permissions"
    )
