"""Copies and restores files and links exactly: bytes, mode, link target, or nothing.

Paths are relative to a worktree's root, '/'-separated, decoded with ``surrogateescape``; absolute paths name files
elsewhere. Below the root no symbolic link is followed: a path behind one does not exist. Files are copied in blocks,
never held whole.
"""

from __future__ import annotations

import os
import stat

from entire import contents, files
from entire.errors import EntireError
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from entire.model.transcripts import Content

_BLOCK = 1 << 20
_NOT_THERE = (FileNotFoundError, NotADirectoryError)

Mark = tuple[int, ...]  # the values of stat that change with every write


class State(Value):
    """A regular file or symbolic link, with its copy at ``copy`` in the folder of a transaction."""

    copy: str
    mode: int  # st_mode, exactly

    def to_json(self) -> list[Any]:
        return [self.copy, self.mode]


def state_from_json(value: list[Any] | None) -> State | None:
    """Return what ``State.to_json`` wrote; None means that there is no file."""
    if value is None:
        return None
    copy, mode = value
    if not isinstance(copy, str) or not isinstance(mode, int) or ".." in copy.split("/") or copy.startswith("/"):
        raise ValueError("invalid file state")
    return State(copy=copy, mode=mode)


def shown(path: str) -> str:
    """Return a path in printable characters, on one line."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def check_name(path: str) -> None:
    """Raise EntireError for an invalid path, or one into a git directory."""
    parts = path.split("/")
    if "\0" in path or any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise EntireError(f"{shown(path)!r} is not the path of a file in a worktree")


def parents(path: str) -> Iterator[str]:
    """Yield the folders above a path, outermost first, without the root."""
    at = path.find("/", 1)
    while at > 0:
        yield path[:at]
        at = path.find("/", at + 1)


def mark(facts: os.stat_result) -> Mark:
    return (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_mode)


class SavedTree:
    """The files below a root, and private files by absolute paths.

    ``vanishing`` and ``appearing`` are the paths that a change deletes and writes. A case-insensitive file system finds
    a file under other spellings too: one that vanishes must not be found under its new name, nor the reverse.
    """

    def __init__(self, top: str) -> None:
        self.top = top
        self.vanishing: set[str] = set()
        self.appearing: set[str] = set()
        self._ignores_case = os.path.lexists(os.path.join(top, ".gIT"))

    def at(self, path: str) -> str:
        return os.path.join(self.top, path)

    def find(self, path: str) -> os.stat_result | None:
        """Describe the file or link at a path; None if there is nothing, or a folder."""
        if self.obstacle(path):
            return None
        facts = self._lstat(path)
        if facts is None or stat.S_ISDIR(facts.st_mode):
            return None
        spelled = self.spelled(path)
        is_other = spelled in self.vanishing or (path in self.vanishing and spelled in self.appearing)
        return None if spelled != path and is_other else facts

    def folder(self, path: str) -> os.stat_result | None:
        """Describe the real folder at a path, or None."""
        if self.obstacle(path):
            return None
        facts = self._lstat(path)
        return facts if facts is not None and stat.S_ISDIR(facts.st_mode) else None

    def obstacle(self, path: str) -> str:
        """Return the folder above a path that is a file or a symbolic link, '' if there is none."""
        for folder in () if os.path.isabs(path) else parents(path):
            facts = self._lstat(folder)
            if facts is not None and not stat.S_ISDIR(facts.st_mode):
                return folder
        return ""

    def can_hold(self, path: str) -> bool:
        """Tell whether all folders above a path exist and are real folders."""
        above = os.path.dirname(path)
        return not above or os.path.isabs(path) or self.folder(above) is not None

    def nested(self, path: str) -> str:
        """Return the folder above a path that is a repository of its own, '' if there is none."""
        for folder in parents(path):
            if os.path.lexists(os.path.join(self.at(folder), ".git")):
                return folder
        return ""

    def spelled(self, path: str) -> str:
        """Return a path spelled as on the disk, if the file system is case-insensitive."""
        if not self._ignores_case or os.path.isabs(path):
            return path
        spelled = ""
        for name in path.split("/"):
            try:
                names = os.listdir(self.at(spelled))
            except OSError:
                names = []
            spellings = [name] if name in names else [other for other in names if other.casefold() == name.casefold()]
            spelled = os.path.join(spelled, spellings[0] if spellings else name)
        return spelled

    def _lstat(self, path: str) -> os.stat_result | None:
        try:
            return os.lstat(self.at(path))
        except _NOT_THERE:
            return None

    def is_like(self, path: str, folder: str, state: State | None) -> bool:
        """Tell whether the file at a path, or its absence, matches ``state`` exactly."""
        facts = self.find(path)
        if facts is None or state is None:
            return facts is None and state is None
        if not _same_kind(facts.st_mode, state.mode):
            return False
        return same_content(self.at(path), os.path.join(folder, state.copy), state.mode)

    def save(self, path: str, folder: str, copy: str) -> tuple[State | None, Mark]:
        """Copy the file at a path to ``copy`` in a folder; return its state, and its mark to detect later writes."""
        for _ in range(3):
            facts = self.find(path)
            if facts is None:
                return None, ()
            if not (stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode)):
                raise EntireError(f"{shown(path)} is neither a regular file nor a symbolic link")
            state = State(copy=copy, mode=facts.st_mode)
            duplicate(self.at(path), os.path.join(folder, copy), facts.st_mode)
            after = self.find(path)
            if after is not None and mark(after) == mark(facts):
                return state, mark(facts)
        raise EntireError(f"{shown(path)} is being written by another program", hint="try again when it has finished")

    def put(self, path: str, folder: str, state: State, temporary: str) -> None:
        """Restore a copy to a path: write it under a temporary name in the same folder, then rename it."""
        source = os.path.join(folder, state.copy)
        try:
            files.remove(temporary)
            if stat.S_ISLNK(state.mode):
                os.symlink(os.readlink(source), temporary)
            else:
                _copy_bytes(source, temporary, state.mode & 0o7777)
            os.rename(temporary, self.at(path))
        except OSError:
            try:
                files.remove(temporary)
            except OSError:
                pass
            raise


def duplicate(source: str, target: str, mode: int) -> None:
    """Copy a file or link to a private folder; the copy is always readable by its owner."""
    os.makedirs(os.path.dirname(target), 0o700, exist_ok=True)
    files.remove(target)
    if stat.S_ISLNK(mode):
        os.symlink(os.readlink(source), target)
    else:
        _copy_bytes(source, target, mode & 0o777 | 0o600)


def write_copy(target: str, data: Content, mode: int) -> None:
    """Write a file in a private folder, always readable by its owner."""
    os.makedirs(os.path.dirname(target), 0o700, exist_ok=True)
    files.remove(target)
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        for block in contents.blocks(data):
            _write_all(fd, block)
        _set_mode(fd, mode & 0o777 | 0o600)
    finally:
        os.close(fd)


def same_content(left: str, right: str, mode: int) -> bool:
    """Tell whether two files hold the same bytes, or two links (by ``mode``) the same target."""
    if stat.S_ISLNK(mode):
        return os.readlink(left) == os.readlink(right)
    with open(left, "rb", buffering=0) as left_file, open(right, "rb", buffering=0) as right_file:
        if os.fstat(left_file.fileno()).st_size != os.fstat(right_file.fileno()).st_size:
            return False
        while block := left_file.read(_BLOCK):
            if block != right_file.read(_BLOCK):
                return False
        return True


def same_states(folder: str, left: State | None, right: State | None) -> bool:
    """Tell whether two states with copies in ``folder`` are the same."""
    if left is None or right is None:
        return left is None and right is None
    return _same_kind(left.mode, right.mode) and same_content(
        os.path.join(folder, left.copy), os.path.join(folder, right.copy), left.mode
    )


def remove_tree(path: str) -> None:
    """Delete a folder and everything in it; what cannot be deleted stays."""
    try:
        entries = list(os.scandir(path))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            remove_tree(entry.path)
        else:
            try:
                os.unlink(entry.path)
            except OSError:
                pass
    try:
        os.rmdir(path)
    except OSError:
        pass


def size_of_tree(path: str) -> int:
    """Return the size of all files in a folder, in bytes."""
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except OSError:
                pass
    return total


def default_mode(executable: bool) -> int:
    """Return the mode bits of a new file under this process's umask."""
    mask = os.umask(0o077)
    os.umask(mask)
    return (0o777 if executable else 0o666) & ~mask


def _same_kind(left: int, right: int) -> bool:
    """Tell whether two st_mode are equal; the permission bits of a link do not count."""
    return stat.S_IFMT(left) == stat.S_IFMT(right) and (stat.S_ISLNK(left) or left & 0o7777 == right & 0o7777)


def _copy_bytes(source: str, target: str, mode: int) -> None:
    """Copy a regular file into a new one with exactly these mode bits."""
    from_fd = os.open(source, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        to_fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            while block := os.read(from_fd, _BLOCK):
                _write_all(to_fd, block)
            _set_mode(to_fd, mode)
        finally:
            os.close(to_fd)
    finally:
        os.close(from_fd)


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _set_mode(fd: int, mode: int) -> None:
    """Set mode bits if they differ: file systems without modes may refuse the call."""
    if stat.S_IMODE(os.fstat(fd).st_mode) != mode:
        os.fchmod(fd, mode)
