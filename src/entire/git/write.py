"""Writes objects: few small ones itself (``git.loose``), others through one ``git fast-import`` stream, large blobs
beside it. Names the author of our commits.

Objects stay invisible until a ref is moved (``git.refs``).
"""

from __future__ import annotations

import os
import time

from entire import layout, process
from entire.errors import GitError, RefMovedError
from entire.git import ref_locks, run
from entire.model.digest import for_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from entire.git.loose import Entries, NewCommit
    from entire.git.read import Objects


_NOT_IN_IDENTITY = dict.fromkeys(map(ord, "<>\n\0"))


_LARGE = 4 << 20  # bytes of one file
_UNSYNCED = ("-c", "core.fsync=none")
_FEW = 64  # objects that are written without git
_SMALL = 256 << 10  # bytes of their contents
_UNPACKED = 100
"""Git unpacks a pack of so many objects at once, and stores them loose: its own default."""


class ImportStream:
    """Collects blobs and commits, writes them at once, and returns their ids.

    ``blob`` and ``commit`` return marks (``:1``) that can replace object ids in later calls on the same stream. Few
    small objects are written without git if there is a reader of ``objects``.
    """

    def __init__(self, where: str, objects: Objects | None = None) -> None:
        self._where = where
        self._reader = objects
        self._items: list[bytes | NewCommit] = []
        self._objects = 0  # at most
        self._trees: list[str] = []

    def _add(self, item: bytes | NewCommit) -> str:
        self._items.append(item)
        return f":{len(self._items)}"

    def blob(self, data: bytes) -> str:
        """Add a blob; return its mark."""
        self._objects += 1
        return self._add(data)

    def commit(
        self,
        *,
        message: bytes,
        author: str,
        parents: tuple[str, ...] = (),
        tree: str = "",
        changes: Entries,
    ) -> str:
        """Add a commit; return its mark.

        Its tree is ``tree`` (default: the first parent's, or empty) with ``changes``: path to (mode, object id or
        mark), None to delete, in the given order. ``author`` is ``Name <mail> seconds zone``, also for the committer.
        """
        folders = {path[:at] for path in changes for at, sign in enumerate(path) if sign == "/"}
        self._objects += 2 + len(folders)
        return self._add((message, author, parents, tree, dict(changes)))

    def tree_of(self, mark: str) -> str:
        """Request the tree of a commit in this stream; return its key in the result of ``write``."""
        self._trees.append(mark)
        return f"{mark}^{{tree}}"

    def write_small(self) -> dict[str, str] | None:
        """Write everything without git; return what ``write`` does, None if git is to do it."""
        size = sum(len(item) for item in self._items if isinstance(item, bytes))
        if self._reader is None or self._objects > _FEW or size > _SMALL or (place := layout.find(self._where)) is None:
            return None
        from entire.git import loose

        found = loose.write(place.common_dir, self._reader, self._items)
        return None if found is None else self._result(*found)

    def write(self) -> dict[str, str]:
        """Write everything; return the object id of each mark, and of each requested tree."""
        written = self.write_small()
        return self.write_by_git() if written is None else written

    def write_by_git(self, refs: Mapping[str, str] | None = None) -> dict[str, str]:
        """Do what ``write`` does through fast-import.

        ``refs`` are moved by git to their marks once all objects exist, only forward from their present values; raises
        RefMovedError if one is not behind its new commit. As with git's loose objects, nothing is flushed to disk:
        fast-import's pack is unpacked to loose objects at once. Refs are flushed.
        """
        scratch = f"refs/entire/writing/{os.getpid()}-{os.urandom(4).hex()}"
        queries = b"".join(f"get-mark :{n}\n".encode() for n, _ in enumerate(self._items, 1))
        queries += b"".join(f'ls {mark} ""\n'.encode() for mark in self._trees)
        end = f"reset {scratch}\n\n".encode()  # without `from`: the scratch ref is never written
        moves = "".join(f"reset {ref}\nfrom {mark}\n\n" for ref, mark in (refs or {}).items()).encode()
        items = [_command(number, item, scratch) for number, item in enumerate(self._items, 1)]
        stream = b"".join((b"feature done\n", *items, queries, end, moves, b"done\n"))
        with ref_locks.LockNote(self._where, refs or ()):
            done = self._import(stream, ok=(0, 1) if refs else (0,))
        if done.status:
            raise RefMovedError(done.stderr.decode("utf-8", "replace").strip() or "a ref was not moved")
        answers = done.stdout.decode("ascii").splitlines()
        if len(answers) != len(self._items) + len(self._trees):
            raise GitError(
                "git fast-import wrote fewer objects than requested", stderr=done.stderr.decode("utf-8", "replace")
            )
        trees = [""] * len(self._items)
        for mark, answer in zip(self._trees, answers[len(self._items) :], strict=True):
            trees[int(mark[1:]) - 1] = answer.split()[2]  # "040000 tree <oid>\t"; an empty tree: "missing "
        return self._result(answers[: len(self._items)], trees)

    def _result(self, oids: Sequence[str], trees: Sequence[str]) -> dict[str, str]:
        found = {f":{number}": oid for number, oid in enumerate(oids, 1)}
        return found | {f"{mark}^{{tree}}": trees[int(mark[1:]) - 1] for mark in self._trees}

    def _compression(self) -> tuple[str, ...]:
        """Return git's options. At level 6 a transcript is 10 % smaller than at git's own level 1, for less than a
        millisecond; a large one that is stored in one piece is written again each turn, so there time counts more.

        A pack that git unpacks at once is not compressed: that would only be undone.
        """
        is_large = any(len(item) > _LARGE for item in self._items if isinstance(item, bytes))
        loose = ("-c", f"core.looseCompression={1 if is_large else 6}")
        if self._objects <= _UNPACKED:
            return (*loose, "-c", "pack.compression=0", "-c", f"fastimport.unpackLimit={_UNPACKED}")
        return (*loose, "-c", "pack.compression=1") if is_large else loose

    def _import(self, stream: bytes, ok: tuple[int, ...]) -> process.Completed:
        return run.git(
            self._where,
            *_UNSYNCED,
            *self._compression(),
            "fast-import",
            "--quiet",
            "--done",
            "--date-format=raw",
            stdin=stream,
            timeout=None,
            ok=ok,
        )


def _command(number: int, item: bytes | NewCommit, scratch: str) -> bytes:
    """Return the commands of fast-import that make an object and mark it by its number."""
    if isinstance(item, bytes):
        return f"blob\nmark :{number}\ndata {len(item)}\n".encode() + item + b"\n"
    message, author, parents, tree, changes = item
    out = [f"reset {scratch}\n\ncommit {scratch}\nmark :{number}\n".encode()]
    who = author.encode("utf-8", "surrogateescape")
    out.append(b"author " + who + b"\ncommitter " + who + b"\n")
    out.append(f"data {len(message)}\n".encode() + message + b"\n")
    for key, parent in zip(("from", *["merge"] * len(parents)), parents, strict=False):
        out.append(f"{key} {parent}\n".encode())
    if tree:
        out.append(f'M 040000 {tree} ""\n'.encode() if not parents else f'deleteall\nM 040000 {tree} ""\n'.encode())
    for path, entry in changes.items():
        if entry is None:
            out.append(b"D " + quote(path) + b"\n")
        else:
            out.append(f"M {entry[0]} {entry[1]} ".encode() + quote(path) + b"\n")
    return b"".join(out) + b"\n"


class LargeBlobs:
    """Stores large blobs, one after another: git compresses one while the caller prepares the next.

    They are compressed at level 1: either they are many, or one is written again each turn. A context manager; at its
    end all are stored. Raises GitError if git could not store the blob before.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._current: tuple[Callable[[], process.Completed], str] | None = None

    def __enter__(self) -> LargeBlobs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._finish()

    def put(self, data: bytes, oid: str) -> str:
        """Begin to store a blob, whose id is ``oid``, once the one before is stored; return the id."""
        self._finish()
        argv = run.argv(self._where, [*_UNSYNCED, "-c", "core.looseCompression=1", "hash-object", "-w", "--stdin"])
        self._current = process.start(argv, data, run.environment()), oid
        return oid

    def _finish(self) -> None:
        if self._current is None:
            return
        finish, oid = self._current
        self._current = None
        done = finish()
        if done.status or done.stdout.strip() != oid.encode():
            raise run.failure("git hash-object failed", done.stderr.decode("utf-8", "replace").strip(), done.status)


def blob_id(data: bytes, oid_size: int) -> str:
    """Return git's id of a blob, in a repository whose ids have ``oid_size`` hex digits."""
    digest = for_size("sha1" if oid_size == 40 else "sha256", len(data))
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()


def quote(path: str) -> bytes:
    """Quote a path for fast-import (C style); invalid UTF-8 passes through as surrogates."""
    raw = path.encode("utf-8", "surrogateescape")
    escaped = raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'


def identity(where: str) -> str:
    """Return ``Name <mail>`` from git's configuration (the repository's first, then the global one).

    A missing name or address gets a placeholder, so a missing identity stops nothing.
    """
    query = ("config", "-z", "--get-regexp", r"^user\.(name|email)$")
    values: dict[str, str] = {}
    for entry in run.git(where, *query, ok=(0, 1)).stdout.decode("utf-8", "surrogateescape").split("\0"):
        key, _, value = entry.partition("\n")
        values[key] = value.translate(_NOT_IN_IDENTITY).strip()
    return f"{values.get('user.name') or 'Unknown'} <{values.get('user.email') or 'unknown@local'}>"


def author(name_and_mail: str, seconds: float) -> str:
    """Return a commit's author line: identity, seconds since the epoch, local offset."""
    offset = time.localtime(seconds).tm_gmtoff
    minutes = abs(offset) // 60
    return f"{name_and_mail} {int(seconds)} {'-' if offset < 0 else '+'}{minutes // 60:02}{minutes % 60:02}"
