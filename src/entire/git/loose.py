"""Writes a save of few small objects as git's loose objects, without starting git: see decision record 0013.

Whatever is unusual is left to git; what was written until then is not reachable, and git may use it.
"""

from __future__ import annotations

import os
import zlib

from entire import files
from entire.errors import GitError
from entire.model.digest import for_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entire.git.read import Objects

    Entries = Mapping[str, tuple[str, str] | None]  # path to mode and object id or mark; None to delete
    NewCommit = tuple[bytes, str, tuple[str, ...], str, Entries]  # message, author, parents, tree, changes

_READ = 1 << 16  # bytes of one tree: a folder of 2,000 files
_HEAD = 1 << 10  # bytes of a file, which tell an object's type after the code tables
_LEVEL = 1  # as git does by default: at level 6, it takes twice as long for a tenth less
_BLOCK = 4000  # bytes: a smaller file takes a block of the disk, compressed or not
_LARGEST_STORED = 0xFFFF  # bytes that zlib can hold as they are, in one piece
_WIDE = 2000  # bytes of a tree that is searched, not taken apart: a checkpoints branch has folders of 256 folders
_FOLDER = b"40000"
_MODES = frozenset((b"100644", b"100755", b"120000", b"160000", _FOLDER))
_GITLINK = b"160000"
_REFUSED = frozenset((b"", b".", b"..", b".git"))  # names that git may refuse
_EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # the tree, which git keeps in no folder


def write(common_dir: str, objects: Objects, items: Sequence[bytes | NewCommit]) -> tuple[list[str], list[str]] | None:
    """Write blobs and commits; return their ids, and the ids of the commits' trees ('' for a blob).

    None if git is to do it. An object may name an earlier one by its number, from 1 on: ``:1``.
    """
    oids: list[str] = []
    trees: list[str] = []
    try:
        loose = LooseObjects(common_dir, objects)
        for item in items:
            if isinstance(item, bytes):
                tree, oid = "", loose.add("blob", item)
            else:
                tree, oid = _commit(loose, item, oids)
            oids.append(oid)
            trees.append(tree)
        loose.check()
    except (UnusualError, GitError, OSError, ValueError, zlib.error):  # a ValueError: an object that cannot be read
        return None
    return oids, trees


def _commit(loose: LooseObjects, new: NewCommit, oids: Sequence[str]) -> tuple[str, str]:
    """Write a commit with its trees; return the ids of its tree and its own."""

    def named(oid: str) -> str:
        return oids[int(oid[1:]) - 1] if oid[:1] == ":" else oid

    message, author, parents, tree, changes = new
    parents = tuple(named(parent) for parent in parents)
    heads = [loose.read(parent) for parent in parents]
    if any(kind != "commit" for kind, _ in heads):
        raise UnusualError
    base = named(tree) or (heads[0][1][len("tree ") :].partition(b"\n")[0].decode() if heads else "")
    root = loose.folder(base)
    for path, entry in changes.items():
        loose.change(root, path, None if entry is None else (entry[0], named(entry[1])))
    tree = loose.store(root)
    who = author.encode("utf-8", "surrogateescape")
    above = "".join(f"parent {parent}\n" for parent in parents)
    head = b"tree %s\n%sauthor %s\ncommitter %s\n\n" % (tree.encode(), above.encode(), who, who)
    return tree, loose.add("commit", head + message)


class UnusualError(Exception):
    """Git is to write this save."""


class LooseObjects:
    """The loose objects of a repository with SHA-1 ids, and all others through ``git cat-file``."""

    def __init__(self, common_dir: str, objects: Objects) -> None:
        """Raises UnusualError if what git writes has other permissions than any new file, or SHA-256 ids."""
        self._folder = os.path.join(common_dir, "objects")
        self._objects = objects
        self._temporary = f"tmp_obj_{os.urandom(5).hex()}"  # git removes such files when they are old
        self._relied: set[str] = set()
        config = (files.read(os.path.join(common_dir, "config")) or b"").lower()
        mask = os.umask(0)
        os.umask(mask)
        is_shared = os.stat(self._folder).st_mode & 0o7777 != 0o777 & ~mask
        if is_shared or b"sharedrepository" in config or b"objectformat" in config:
            raise UnusualError

    def add(self, kind: str, data: bytes) -> str:
        """Write an object unless there is a loose one, which becomes new to `git gc`; return its id.

        One in a pack is written again: garbage collection may be about to remove it.
        """
        content = b"%s %d\0%s" % (kind.encode(), len(data), data)
        digest = for_size("sha1", len(content))
        digest.update(content)
        oid = digest.hexdigest()
        self._relied.add(oid)
        path = self._path(oid)
        try:
            os.utime(path)
        except OSError:
            most = _LARGEST_STORED if kind == "tree" else _BLOCK  # a tree is mostly ids, which nothing makes smaller
            self._write(path, _stored(content) if len(content) <= most else zlib.compress(content, _LEVEL))
        return oid

    def _write(self, path: str, data: bytes) -> None:
        folder = os.path.dirname(path)
        temporary = os.path.join(folder, self._temporary)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        try:
            fd = os.open(temporary, flags, 0o444)
        except FileNotFoundError:
            os.makedirs(folder, exist_ok=True)
            fd = os.open(temporary, flags, 0o444)
        try:
            try:
                if os.write(fd, data) != len(data):  # a full disk
                    raise UnusualError
            finally:
                os.close(fd)
            os.rename(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise

    def check(self) -> None:
        """Raise UnusualError if an object that was written or relied on has been removed meanwhile."""
        for oid in self._relied:
            os.stat(self._path(oid))

    def require(self, oid: str, kind: str) -> None:
        """Make an object that exists new to `git gc`. Raises UnusualError if there is none of that kind."""
        path = self._path(oid)
        try:
            os.utime(path)
            with open(path, "rb", buffering=0) as file:
                found = zlib.decompressobj().decompress(file.read(_HEAD), 16).partition(b" ")[0].decode()
            self._relied.add(oid)
        except FileNotFoundError:
            found = self.read(oid)[0]
        if found != kind:
            raise UnusualError

    def read(self, oid: str) -> tuple[str, bytes]:
        """Return the type and content of an object that is not large."""
        try:
            with open(self._path(oid), "rb", buffering=0) as file:
                content = zlib.decompressobj().decompress(file.read(_READ), _READ)
        except FileNotFoundError:
            found = self._objects.get(oid, _READ)
            if found is None:
                raise UnusualError from None
            return found.type, found.data
        head, _, data = content.partition(b"\0")
        kind, _, size = head.decode().partition(" ")
        if int(size) != len(data):
            raise UnusualError
        return kind, data

    def _path(self, oid: str) -> str:
        if len(oid) != 40:  # SHA-256
            raise UnusualError
        return f"{self._folder}/{oid[:2]}/{oid[2:]}"

    # ------------------------------------------------------------ trees

    def folder(self, tree: str) -> Folder:
        """Read a tree that is to be changed; an empty one for ''."""
        kind, data = self.read(tree) if tree else ("tree", b"")
        if kind != "tree":
            raise UnusualError
        return Folder(data)

    def change(self, root: Folder, path: str, entry: tuple[str, str] | None) -> None:
        """Set or delete what is at a path. Folders that become empty are deleted."""
        names = path.encode("utf-8", "surrogateescape").split(b"/")
        if any(name.lower() in _REFUSED for name in names):
            raise UnusualError
        new = None if entry is None or entry == ("040000", _EMPTY) else self._checked(*entry)
        above, folder = [], root
        for name in names[:-1]:
            inner = folder.inner.get(name)
            if inner is None:
                row = folder.row(name)
                is_folder = row.startswith(_FOLDER + b" ")
                if new is None and not is_folder:
                    return
                inner = self.folder(row[-20:].hex() if is_folder else "")
                folder.enter(name, inner)
            above.append((folder, name))
            folder = inner
        if new is not None:
            folder.set(names[-1], _row(*new, names[-1]))
        elif folder.remove(names[-1]):
            while above and folder.is_empty():
                folder, name = above.pop()
                folder.remove(name)

    def _checked(self, mode: str, oid: str) -> tuple[bytes, str]:
        raw = mode.lstrip("0").encode()
        if raw not in _MODES:
            raise UnusualError
        if raw != _GITLINK:
            self.require(oid, "tree" if raw == _FOLDER else "blob")
        return raw, oid

    def store(self, folder: Folder) -> str:
        """Write a tree, what is in it first; return its id."""
        changed = {name: _row(_FOLDER, self.store(inner), name) for name, inner in folder.inner.items()}
        return self.add("tree", folder.content(changed))


class Folder:
    """A tree that is being changed: its rows, of which those of folders that are changed as well are out of date."""

    def __init__(self, data: bytes) -> None:
        self.inner: dict[bytes, Folder] = {}
        """The changed folders, by name."""
        self._data = data
        self._parsed: dict[bytes, bytes] | None = None  # by name; None as long as folders in it are all that changes

    def row(self, name: bytes) -> bytes:
        """Return what the tree has at a name, b'' for nothing."""
        if self._parsed is None and len(self._data) > _WIDE and (row := self._folder_row(name)):
            return row
        return self._rows().get(name, b"")

    def _folder_row(self, name: bytes) -> bytes:
        """Find a folder's row; b'' where it is not sure that one begins there.

        An id that holds such nine bytes is one case in 10^20.
        """
        start = b"%s %s\0" % (_FOLDER, name)
        at = self._data.find(start)
        is_one = at >= 0 and self._data.find(start, at + 1) < 0 and self._data[at - 1 : at] != b"0"
        return self._data[at : at + len(start) + 20] if is_one else b""

    def _rows(self) -> dict[bytes, bytes]:
        if self._parsed is None:
            self._parsed = _parse(self._data)
        return self._parsed

    def enter(self, name: bytes, inner: Folder) -> None:
        """Note a folder that is to be changed, or a new one."""
        if not self._folder_row(name):
            self._rows()
        self.inner[name] = inner

    def set(self, name: bytes, row: bytes) -> None:
        self._rows()[name] = row
        self.inner.pop(name, None)

    def remove(self, name: bytes) -> bool:
        """Remove what is at a name; tell whether there was anything."""
        inner, row = self.inner.pop(name, None), self._rows().pop(name, None)
        return inner is not None or row is not None

    def is_empty(self) -> bool:
        return not self.inner and not self._rows()

    def content(self, changed: Mapping[bytes, bytes]) -> bytes:
        """Return the tree with the new rows of its folders."""
        if self._parsed is None:
            data = self._data
            for name, row in changed.items():
                data = data.replace(self._folder_row(name), row)
            return data
        rows = [(name + b"/" if row.startswith(_FOLDER) else name, row)
                for name, row in {**self._parsed, **changed}.items()]  # fmt: skip
        rows.sort()  # git's order: as if a folder's name ended with a slash
        return b"".join([row for _, row in rows])


def _parse(data: bytes) -> dict[bytes, bytes]:
    """Return the rows of a tree by their names. Raises UnusualError if git would write it in another way."""
    rows: dict[bytes, bytes] = {}
    at = count = 0
    is_padded = False
    while at < len(data):  # there may be hundreds: no function is called for each
        end = data.index(b"\0", at) + 21
        row = data[at:end]
        rows[row[row.index(b" ") + 1 : -21]] = row
        is_padded = is_padded or row[0] == 0x30
        at, count = end, count + 1
    if at != len(data) or len(rows) != count or is_padded:
        raise UnusualError
    return rows


def _row(mode: bytes, oid: str, name: bytes) -> bytes:
    return b"%s %s\0%s" % (mode, name, bytes.fromhex(oid))


def _stored(content: bytes) -> bytes:
    """Return what zlib makes of a short content without compression: its start alone takes longer than all of this."""
    size = len(content)
    head = b"x\1\1" + size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little")
    return head + content + zlib.adler32(content).to_bytes(4, "big")
