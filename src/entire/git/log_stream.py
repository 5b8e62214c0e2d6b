"""Reads ``git log`` while git writes it: the first commits of a long history are there at once."""

from __future__ import annotations

import os
import select

from entire import process
from entire.git import run
from entire.git.history import Logged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    FileSize = tuple[str, int, int]  # path, added and removed lines; -1: a binary file

_FORMAT = "--format=%H%x00%P%x00%at%x00%ct%x00%an%x00%B%x00"
_FIELDS = 6
_SETTINGS = ("-c", "log.showRoot=true", "-c", "log.follow=false", "-c", "diff.relative=false")
_OPTIONS = ("--encoding=UTF-8", "--no-color", "--no-show-signature", "--no-ext-diff", "--no-textconv",
            "--find-renames", _FORMAT)  # fmt: skip
_CHUNK = 1 << 16
FIRST, BATCH = 32, 1024  # commits in the first batch, and at most in the others
_PATIENCE = 0.05  # seconds that git may be silent while commits wait in a batch


class LoggedChange(Logged):
    """A commit and the size of its change. ``files``: None if that is not known, empty for a merge."""

    files: tuple[FileSize, ...] | None = None


def batches(
    where: str, revisions: Sequence[str], paths: Sequence[str] = (), options: Sequence[str] = (), *, sizes: bool = True
) -> Generator[list[LoggedChange]]:
    """Yield the commits that ``git log`` finds, in batches: a small one first, and early when git takes its time.

    Close the iterator to stop git. Raises GitError if git fails, as it does for an unknown revision.
    """
    words = [*_SETTINGS, "log", "-z", *_OPTIONS, *(["--numstat"] if sizes else []), *options]
    child = process.Child(run.argv(where, [*words, "--end-of-options", *revisions, "--", *paths]), run.environment())
    try:
        child.close(child.stdin)
        yield from _batches(child, _Parser(sizes=sizes))
        _check(child)
    finally:
        child.kill()
        child.wait()
        for pipe in list(child.open_pipes):
            child.close(pipe)


def ends_of_shallow_clone(common_dir: str) -> frozenset[str]:
    """Return the commits whose parents a shallow clone lacks: git takes them for first ones, with all files new."""
    try:
        with open(os.path.join(common_dir, "shallow"), encoding="ascii") as file:
            return frozenset(file.read().split())
    except OSError:
        return frozenset()


def _batches(child: process.Child, parser: _Parser) -> Generator[list[LoggedChange]]:
    poller = select.poll()
    poller.register(child.stdout, select.POLLIN)
    size, is_open = FIRST, True
    while is_open:
        is_silent = not poller.poll(_PATIENCE * 1000 if parser.complete else None)
        if not is_silent:
            data = os.read(child.stdout, _CHUNK)
            is_open = bool(data)
            parser.feed(data)
        while len(parser.complete) >= size or (parser.complete and (is_silent or not is_open)):
            yield parser.take(size)
            size, is_silent = BATCH, False


def _check(child: process.Child) -> None:
    """Raise GitError if git failed. Its messages are short, so it never waited for a reader."""
    message = os.read(child.stderr, _CHUNK).decode("utf-8", "replace").strip()
    status = child.wait()
    if status:
        raise run.failure("git log failed", message, status)


class _Parser:
    """Turns git's output into commits: for each, six fields and then its files, all ended by NUL."""

    def __init__(self, *, sizes: bool) -> None:
        self.complete: list[LoggedChange] = []
        self._sizes = sizes
        self._rest = b""
        self._fields: list[str] = []  # of the commit that is being read
        self._files: list[FileSize] = []
        self._renamed: tuple[int, int] | None = None  # the old and new name of a file follow
        self._old_name = False

    def feed(self, data: bytes) -> None:
        """Take what was read; nothing means the end."""
        *words, self._rest = (self._rest + data).split(b"\0")
        for word in words:
            self._take(word.decode("utf-8", "surrogateescape"))
        if not data:
            self._complete()

    def take(self, count: int) -> list[LoggedChange]:
        """Remove commits from the front and return them."""
        taken, self.complete = self.complete[:count], self.complete[count:]
        return taken

    def _take(self, word: str) -> None:
        if 0 < len(self._fields) < _FIELDS:
            self._fields.append(word)
        elif self._renamed is not None:
            self._name(word)
        elif "\t" in word:
            self._measure(word.lstrip("\n"))
        elif word.strip("\n"):
            self._complete()
            self._fields = [word.lstrip("\n")]

    def _measure(self, word: str) -> None:
        added, removed, path = word.split("\t", 2)
        size = (int(added), int(removed)) if added != "-" else (-1, -1)
        if path:
            self._files.append((path, *size))
        else:
            self._renamed, self._old_name = size, True

    def _name(self, word: str) -> None:
        if self._old_name:
            self._old_name = False
        elif self._renamed is not None:
            self._files.append((word, *self._renamed))
            self._renamed = None

    def _complete(self) -> None:
        if len(self._fields) == _FIELDS:
            oid, parents, moment, committed, author, message = self._fields
            self.complete.append(LoggedChange(
                oid=oid, parents=tuple(parents.split()), time=float(moment or 0), author=author, message=message,
                committed=float(committed or 0), files=tuple(self._files) if self._sizes else None,
            ))  # fmt: skip
        self._fields, self._files = [], []
