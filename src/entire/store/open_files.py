"""Which open files of sessions are open at this moment: commits and people may have settled some since the last event.

Hooks close them in the sessions' states at the next event; what only shows them leaves them out. Reading alone writes
nothing.
"""

from __future__ import annotations

import os
import stat

from entire import layout
from entire.git import status
from entire.git.read import Objects
from entire.store.journal import NO_FILE, Journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.layout import Place
    from entire.model.session import Session
    from entire.store.journal import Snapshot

_LAYOUT = b" \t\r\n\"'`,;"  # what a formatter changes


def find(place: Place, states: Sequence[Session]) -> dict[str, tuple[str, ...]]:
    """Return the files of these sessions that are still open, by session. A worktree that is gone has none."""
    recorded: dict[str, set[str]] = {}
    tops = {
        state.session_id: layout.worktree_of(place, state.worktree.path, state.worktree.name)
        for state in states
        if state.work.open_files
    }
    for state in states:
        if state.work.open_files:
            recorded.setdefault(tops[state.session_id], set()).update(state.work.open_files)
    still_open = {top: _still_open(top, sorted(paths)) for top, paths in recorded.items()}
    return {
        state.session_id: tuple(filter(still_open[tops[state.session_id]].__contains__, state.work.open_files))
        for state in states
        if state.work.open_files
    }


def _still_open(top: str, paths: Sequence[str]) -> set[str]:
    """Return the paths that differ from HEAD and hold something of what the last snapshot had there beyond HEAD."""
    place = layout.find(top) if os.path.isdir(top) else None
    if place is None:
        return set()
    snapshot = Journal(place).snapshot
    with Objects(top) as objects:
        return {path for path in status.changed(top, paths) if _holds(top, path, snapshot, objects)}


def _holds(top: str, path: str, snapshot: Snapshot, objects: Objects) -> bool:
    mode, oid, *facts = snapshot.files.get(path, (NO_FILE, ""))
    try:
        info = os.lstat(os.path.join(top, path))
        is_same = facts == [info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino]
        if mode not in ("100644", "100755") or is_same or not stat.S_ISREG(info.st_mode):
            return True  # a link or a pipe that took its place is not followed
        with open(os.path.join(top, path), "rb") as file:
            present = _lines(file.read())
    except OSError:
        return True  # deleted or unreadable: at least different
    made = _lines(objects.blob(oid) or b"") - _lines(objects.blob(f"{snapshot.head}:{path}") or b"")
    return not made or not made.isdisjoint(present)


def _lines(data: bytes) -> set[bytes]:
    return {text for line in data.split(b"\n") if (text := line.translate(None, _LAYOUT))}
