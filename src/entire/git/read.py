"""Reads objects through one ``cat-file --batch`` child, started by the first query."""

from __future__ import annotations

import io
import os

from entire.git import run
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from entire import process
    from entire.errors import GitError

SMALL = 8 << 20
"""Bytes: no metadata of a checkpoint is larger. A repository may hold any."""
_BLOCK = 1 << 20
_AHEAD = 4096  # characters of names that are sent before their answers are read: fewer than any pipe holds


class Object(Value):
    """A git object: its id, its type (``commit``, ``tree``, ``blob``, ``tag``) and its content."""

    oid: str
    type: str
    data: bytes


class BlobEnd(Value):
    """The last part of a blob, and how many bytes and lines were before it."""

    data: bytes
    left_out: int = 0
    lines: int = 0


class TreeEntry(Value):
    """One line of a tree; ``mode`` as git prints it (``100644``, ``040000``, ...)."""

    mode: str
    oid: str
    name: str


class Commit(Value):
    """The parts of a commit that we use; the message is bytes, as git stores it."""

    oid: str
    tree: str
    parents: tuple[str, ...]
    author: str  # "Name <mail> seconds zone", as in the object
    committer: str
    message: bytes


class Objects:
    """Reads objects of a repository by id or by any name that git resolves (``HEAD^{tree}``, ``main:a/b``)."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._child: process.Child | None = None
        self._rest = b""  # read from the child, and used up to ``_at``
        self._at = 0

    def __enter__(self) -> Objects:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the child; the next query starts another."""
        if self._child is not None:
            for fd in (self._child.stdin, self._child.stdout, self._child.stderr):
                os.close(fd)
            self._child.wait()
            self._child = None
            self._rest, self._at = b"", 0

    def get(self, name: str, most: int | None = None) -> Object | None:
        """Return an object, or None if git has none of that name, or one of more than ``most`` bytes."""
        if "\n" in name or not name:
            return None
        self._send(name)
        return self._answer(most)

    def get_all(self, names: Sequence[str], most: int | None = None) -> list[Object | None]:
        """Return what ``get`` does for each name in order: much faster than one by one."""
        objects: list[Object | None] = []
        while len(objects) < len(names):
            end, size = len(objects), 0
            while end < len(names) and size + len(names[end]) < _AHEAD and "\n" not in names[end]:
                size += len(names[end]) + 1
                end += 1
            batch = names[len(objects) : end]
            if batch:
                self._send("\n".join(batch))
                objects += [self._answer(most) for _ in batch]
            else:
                objects.append(self.get(names[end], most))
        return objects

    def _send(self, names: str) -> None:
        if self._child is None:
            from entire import process

            self._child = process.Child(run.argv(self._where, ["cat-file", "--batch"]), run.environment())
        try:
            os.write(self._child.stdin, names.encode("utf-8", "surrogateescape") + b"\n")
        except BrokenPipeError:
            raise self._failure() from None

    def _answer(self, most: int | None = None) -> Object | None:
        head = self._until_newline()
        words = head.rsplit(b" ", 2)
        if len(words) != 3 or not words[2].isdigit():
            return None  # "<name> missing", "<name> ambiguous"
        size = int(words[2])
        if most is not None and size > most:
            self._skip(size + 1)
            return None
        data = self._exactly(size)
        self._exactly(1)
        return Object(oid=words[0].decode("ascii", "replace"), type=words[1].decode("ascii", "replace"), data=data)

    def oid(self, name: str) -> str:
        """Return an object's id, '' if git has none of that name."""
        obj = self.get(name)
        return obj.oid if obj is not None else ""

    def blob(self, name: str) -> bytes | None:
        obj = self.get(name)
        return obj.data if obj is not None and obj.type == "blob" else None

    def blocks(self, name: str) -> Iterator[bytes] | None:
        """Return a blob block by block, None if git has none of that name. Read all of it before the next query."""
        self._send(name)
        head = self._until_newline().rsplit(b" ", 2)
        if len(head) != 3 or not head[2].isdigit():
            return None
        if head[1] != b"blob":
            self._skip(int(head[2]) + 1)
            return None
        return self._blocks(int(head[2]))

    def beginning(self, name: str, most: int) -> bytes:
        """Return at most the first ``most`` bytes of a blob; empty if git has none of that name."""
        content = b""
        for block in self.blocks(name) or ():
            content += block[: most - len(content)]
        return content

    def _blocks(self, size: int) -> Iterator[bytes]:
        while size > 0:
            data = self._exactly(min(size, _BLOCK))
            size -= len(data)
            yield data
        self._exactly(1)

    def small_blob(self, name: str) -> bytes | None:
        """Return what ``blob`` does; None also for one larger than ``SMALL``, whose ``size`` tells."""
        obj = self.get(name, SMALL)
        return obj.data if obj is not None and obj.type == "blob" else None

    def end_of_blob(self, name: str, most: int) -> BlobEnd | None:
        """Return the last ``most`` bytes of a blob, from the start of a line on unless that is all of it."""
        self._send(name)
        head = self._until_newline().rsplit(b" ", 2)
        if len(head) != 3 or not head[2].isdigit():
            return None
        size = int(head[2])
        lines = self._skip(max(size - most, 0))
        data = self._exactly(min(size, most))
        self._exactly(1)
        if head[1] != b"blob":
            return None
        if size <= most:
            return BlobEnd(data=data)
        cut = data.find(b"\n") + 1
        kept = data[cut:] if cut else b""
        return BlobEnd(data=kept, left_out=size - len(kept), lines=lines + (cut > 0))

    def _skip(self, size: int) -> int:
        """Read bytes without keeping them; return how many line breaks they have."""
        lines = 0
        while size > 0:
            data = self._exactly(min(size, _BLOCK))
            lines += data.count(b"\n")
            size -= len(data)
        return lines

    def size(self, name: str) -> int:
        """Return an object's size in bytes, 0 if git has none of that name. Reads it, without keeping it."""
        obj = self.end_of_blob(name, 0)
        return obj.left_out if obj is not None else 0

    def tree(self, name: str) -> list[TreeEntry]:
        """Return a tree's entries in git's order; empty if there is no such tree."""
        obj = self.get(name)
        return parse_tree(obj.data, len(obj.oid) // 2) if obj is not None and obj.type == "tree" else []

    def tree_id(self, name: str) -> str:
        """Return the id of a commit's tree, '' if there is no such commit."""
        obj = self.get(name + "^{tree}")
        return obj.oid if obj is not None else ""

    def commit(self, name: str) -> Commit | None:
        obj = self.get(name)
        return parse_commit(obj) if obj is not None and obj.type == "commit" else None

    def _more(self) -> bytes:
        assert self._child is not None
        data = os.read(self._child.stdout, 1 << 18)
        if not data:
            raise self._failure()
        return data

    def _failure(self) -> GitError:
        """Return the error of a git that has ended; the next query starts another."""
        assert self._child is not None
        message = os.read(self._child.stderr, 1 << 16).decode("utf-8", "replace").strip()
        self.close()
        return run.failure("git cat-file ended unexpectedly", message)

    def _until_newline(self) -> bytes:
        while (end := self._rest.find(b"\n", self._at)) < 0:
            self._rest = self._rest[self._at :] + self._more()
            self._at = 0
        line = self._rest[self._at : end]
        self._at = end + 1
        return line

    def _exactly(self, size: int) -> bytes:
        start, end = self._at, self._at + size
        if end <= len(self._rest):
            self._at = end
            return self._rest[start:end]
        read = io.BytesIO()  # gives its bytes away without a copy, and these may be hundreds of MB
        missing = size - read.write(self._rest[start:])
        self._rest, self._at = b"", 0
        while missing > 0:
            more = self._more()
            read.write(more[:missing])
            self._rest, missing = more[missing:], missing - len(more)
        return read.getvalue()


def parse_tree(data: bytes, oid_size: int) -> list[TreeEntry]:
    """Parse the content of a tree object; ``oid_size`` is 20 bytes for SHA-1 and 32 for SHA-256."""
    return [TreeEntry(mode=mode.decode("ascii").zfill(6), oid=oid.hex(), name=name.decode("utf-8", "surrogateescape"))
            for mode, name, oid in tree_entries(data, oid_size)]  # fmt: skip


def tree_entries(data: bytes, oid_size: int) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield mode, name and id of a tree's entries as they are stored."""
    at = 0
    while at < len(data):
        blank = data.index(b" ", at)
        end = data.index(b"\0", blank)
        yield data[at:blank], data[blank + 1 : end], data[end + 1 : end + 1 + oid_size]
        at = end + 1 + oid_size


def parse_commit(obj: Object) -> Commit:
    head, _, message = obj.data.partition(b"\n\n")
    fields: dict[str, str] = {}
    parents = []
    for line in head.decode("utf-8", "surrogateescape").split("\n"):
        key, _, value = line.partition(" ")
        if key == "parent":
            parents.append(value)
        elif key:  # continuation lines of a signature start with a space
            fields.setdefault(key, value)
    return Commit(
        oid=obj.oid,
        tree=fields.get("tree", ""),
        parents=tuple(parents),
        author=fields.get("author", ""),
        committer=fields.get("committer", ""),
        message=message,
    )
