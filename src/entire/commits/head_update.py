"""Moves HEAD and the user's index to a commit that we made. Both move, also if we are killed in between."""

from __future__ import annotations

import os
import stat
import time

from entire import files
from entire.errors import EntireError
from entire.git import new_commit
from entire.undo.index_lock import IndexLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place


_STALE_SECONDS = 3600.0  # no commit takes so long: whoever made it was killed


def folder(place: Place) -> str:
    """Return the folder that has a folder for each commit that is being made."""
    return place.commit_dir


def new_folder(place: Place) -> str:
    """Return a new folder for what is needed while a commit is made: turns of several sessions may end at once."""
    for path in filter(_is_stale, _folders(place)):
        clear(place, path)
    path = os.path.join(folder(place), os.urandom(6).hex())
    os.makedirs(path, 0o700)
    return path


def holds_lock(place: Place, path: str) -> bool:
    """Tell whether the commit with this folder holds git's lock on the index."""
    return IndexLock(place.git_dir, path).is_ours()


def clear(place: Place, path: str) -> None:
    """Remove the folder of a commit, unless ``settle`` needs it; what cannot be removed is stale later."""
    if holds_lock(place, path):
        return
    try:
        for name in os.listdir(path):
            files.remove(os.path.join(path, name))
        os.rmdir(path)
    except OSError:
        pass


def to(place: Place, new: str, old: str, *, index: str, basis: str, subject: str) -> None:
    """Move HEAD from ``old`` ('' before the first commit) to ``new``, and the index to the file ``index`` in the
    commit's folder. It was made from ``basis``, a copy of the index (no file: there was no index).

    Raises EntireError, and moves neither, if another program holds git's lock on the index, has written the index or
    has moved HEAD. The caller has stored what ``settle`` needs to know: whether HEAD has the commit. It also settles
    what an OSError has left half done: the lock is still held then.
    """
    lock = IndexLock(place.git_dir, os.path.dirname(index))
    try:
        mode = os.stat(lock.index).st_mode
    except OSError:
        mode = stat.S_IFREG | 0o644
    lock.take(index, mode)
    try:
        if files.read(lock.index) != files.read(basis):
            raise EntireError("another program changed the index at the same time")
        new_commit.move_head(place, new, old, subject)
    except BaseException:
        lock.release()
        raise
    try:
        lock.commit()
    except OSError:
        if lock.is_ours():  # else only the file beside it could not be removed
            raise


def settle(place: Place, *, is_made: bool) -> None:
    """Finish where a hook was killed in between. ``is_made``: HEAD has the commit."""
    for path in _folders(place):
        lock = IndexLock(place.git_dir, path)
        if not lock.is_ours():
            continue
        if is_made:
            lock.commit()
        else:
            lock.release()
        clear(place, path)


def _is_stale(path: str) -> bool:
    try:
        return os.stat(path).st_mtime < time.time() - _STALE_SECONDS
    except OSError:  # another hook has removed it
        return False


def _folders(place: Place) -> list[str]:
    parent = folder(place)
    return [os.path.join(parent, name) for name in os.listdir(parent)] if os.path.isdir(parent) else []
