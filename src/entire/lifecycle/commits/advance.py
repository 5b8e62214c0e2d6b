"""Moves HEAD and the user's index to a commit that we made. Both move, also if we are killed in between."""

from __future__ import annotations

import os
import stat

from entire.git import new_commit
from entire.undo.index_lock import IndexLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place


def folder(place: Place) -> str:
    """Return the folder for what is needed while a commit is made."""
    return os.path.join(place.own_dir, "commit")


def to(place: Place, new: str, old: str, *, index: str, subject: str) -> None:
    """Move HEAD from ``old`` ('' before the first commit) to ``new``, and replace the index by the file ``index``.

    Raises EntireError, and moves neither, if another program holds git's lock on the index or has moved HEAD. The
    caller has stored what ``settle`` needs to know: whether HEAD has the commit.
    """
    lock = IndexLock(place.git_dir, folder(place))
    try:
        mode = os.stat(lock.index).st_mode
    except OSError:
        mode = stat.S_IFREG | 0o644
    lock.take(index, mode)
    try:
        new_commit.move_head(place, new, old, subject)
    except BaseException:
        lock.release()
        raise
    lock.commit()


def settle(place: Place, *, is_made: bool) -> None:
    """Finish where a hook was killed in between. ``is_made``: HEAD has the commit."""
    lock = IndexLock(place.git_dir, folder(place))
    if not lock.is_ours():
        return
    if is_made:
        lock.commit()
    else:
        lock.release()
