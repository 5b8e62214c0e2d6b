"""The files of ours that may hold what people and agents said: session states, logs, undo points and the like."""

from __future__ import annotations

import os
import stat

from entire import layout
from entire.git import worktrees
from entire.undo import folder as undo_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.layout import Place

STATE, LOG, UNDO, PENDING, INDEX = "session state", "log", "undo point", "pending record", "search index"
OTHER = "file"
_OF_THE_USER = ("a", "b")  # an undo point's copies of files of the worktree
_OURS_ONLY = ("index", "audit", "hooks")  # the search index is read as a database; the rest holds no text


def places(place: Place) -> list[Place]:
    """Return all worktrees of a repository that are there, this one first."""
    found = {place.git_dir: place}
    for worktree in worktrees.find_all(place.top, place.common_dir):
        other = layout.find(worktree.path) if worktree.is_there and worktree.path else None
        if other is not None and other.common_dir == place.common_dir:
            found.setdefault(other.git_dir, other)
    return list(found.values())


def find(place: Place) -> Iterator[tuple[str, str]]:
    """Yield the kind and the absolute path of each file. Links are not followed."""
    for path in _below(place.sessions_dir):
        yield STATE, path
    for path in _below(place.common_own_dir, leaving=(*_OURS_ONLY, "undo")):
        yield (STATE if _is_below(path, os.path.join(place.common_own_dir, "sessions")) else OTHER), path
    for other in places(place):
        if other.own_dir != place.common_own_dir:
            for path in _below(other.own_dir, leaving=(*_OURS_ONLY, "undo")):
                yield _kind(other, path), path
        for name in undo_folder.names(other):
            for path in _below(os.path.join(undo_folder.root(other), name), leaving=_OF_THE_USER):
                yield UNDO, path
        for path in _below(other.logs_dir):
            yield LOG, path
        for folder in (other.tmp_dir, os.path.join(other.entire_dir, "metadata")):
            for path in _below(folder):
                yield OTHER, path


def _kind(place: Place, path: str) -> str:
    return PENDING if path == place.pending_file else OTHER


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder + os.sep)


def _below(folder: str, *, leaving: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the regular files below a folder, without those in the folders ``leaving`` names."""
    for top, folders, names in os.walk(folder):
        if top == folder:
            folders[:] = [name for name in folders if name not in leaving]
        folders.sort()
        for name in sorted(names):
            path = os.path.join(top, name)
            try:
                if stat.S_ISREG(os.lstat(path).st_mode):
                    yield path
            except OSError:
                continue
