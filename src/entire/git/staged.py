"""Finds the tree that a commit would have had without its own hooks (pre-commit), which may format and stage files.

Git writes that tree right after it starts, then the index, and then runs the hooks. If they staged something, it writes
the tree that it commits after that index. The first tree remains, though nothing refers to it: it is the oldest one
among the objects written since git started that contains the paths of the commit.
"""

from __future__ import annotations

import os
import zlib

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from entire.git.diff import FileChange
    from entire.git.read import Objects
    from entire.layout import Place

    LooseObject = tuple[int, str]  # when it was written (nanoseconds), object id

_CLOCK = 10_000_000  # nanoseconds: file times and the start of a process are rounded
_MAX_OBJECTS = 4000
_NO_FILE = "000000"
_STEP = ".entire/metadata"  # only trees of steps have it


class Commit(Value):
    """The commit that git is about to make."""

    tree: str
    changes: Sequence[FileChange]  # from its parent
    index: str  # path of the index file
    started: float  # when git started, in seconds since the epoch; 0 if that is unknown


def before_hooks(place: Place, objects: Objects, commit: Commit, known: Iterable[str]) -> str:
    """Return the tree; '' if no hook staged anything or the tree is not found. ``known`` are trees that git may have
    found already there.
    """
    folder = os.path.join(place.common_dir, "objects")
    if not commit.started or _time(_file(folder, commit.tree)) <= _time(commit.index):
        return ""
    since = max(int(commit.started * 1e9) - _CLOCK, _time(os.path.join(place.git_dir, "logs", "HEAD")))
    added = [change for change in commit.changes if change.new_mode != _NO_FILE]
    fresh = [change.path for change in added if _time(_file(folder, change.new_oid)) >= since]
    if not fresh:
        return ""
    written = [oid for _, oid in sorted(_written(folder, since))]
    repeated = [oid for oid in dict.fromkeys(known) if _time(_file(folder, oid)) >= since]
    trees = [oid for oid in written if _is_tree(_file(folder, oid))]
    inner = {entry.oid for oid in (*trees, *repeated) for entry in objects.tree(oid)}
    old = [change.path for change in added if change.path not in set(fresh)]
    for oid in (*(oid for oid in trees if oid not in repeated), *repeated):
        if oid in (commit.tree, *inner) or _has(objects, oid, _STEP):
            continue
        if all(_has(objects, oid, path) for path in old) and any(_has(objects, oid, path) for path in fresh):
            return oid
    return ""


def _has(objects: Objects, tree: str, path: str) -> bool:
    for name in path.split("/"):
        tree = next((entry.oid for entry in objects.tree(tree) if entry.name == name), "")
        if not tree:
            return False
    return True


def _file(folder: str, oid: str) -> str:
    return os.path.join(folder, oid[:2], oid[2:])


def _time(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _written(folder: str, since: int) -> list[LooseObject]:
    """Return the loose objects in folders that changed since then; all git's objects are loose at first."""
    objects: list[LooseObject] = []
    for first in _entries(folder):
        if len(first.name) != 2 or first.stat().st_mtime_ns < since:
            continue
        for rest in _entries(first.path):
            when = rest.stat().st_mtime_ns
            if when >= since:
                objects.append((when, first.name + rest.name))
        if len(objects) > _MAX_OBJECTS:
            return []
    return objects


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _is_tree(path: str) -> bool:
    """Tell from the start of an object's file whether it is a tree: reading every object could take long."""
    try:
        with open(path, "rb") as file:
            return zlib.decompressobj().decompress(file.read(64), 5) == b"tree "
    except (OSError, zlib.error):
        return False
