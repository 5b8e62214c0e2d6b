"""Chooses the files of a session that are committed when its turn ends."""

from __future__ import annotations

import os

from entire.git import operation
from entire.strategies import Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.partial_commit import Entries, StagedPaths
    from entire.layout import Place
    from entire.model.session import Session


_WAYS_ON = {"a bisect": "end it with `git bisect reset`", "a squashed merge": "commit it, or run `git reset`"}


class TurnFiles:
    """The files of one worktree."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def select(self, session: Session, entries: Entries, staged: StagedPaths) -> Selection:
        """Select all open files of the session but those of which a person has staged something; none if git is in the
        middle of something.
        """
        if obstacle := self._obstacle(staged):
            return Selection(obstacle=obstacle)
        held = {path: reason for path in entries if (reason := _reason(session, path, entries, staged))}
        return Selection(paths=tuple(path for path in entries if path not in held), held=held)

    def _obstacle(self, staged: StagedPaths) -> str:
        under_way = operation.in_progress(self._place)
        if under_way:
            return f"{under_way} is in progress; {_WAYS_ON.get(under_way, 'finish or abort it')}"
        if staged.unmerged:
            return f"{staged.unmerged[0]} has a conflict; resolve it"
        if os.path.lexists(os.path.join(self._place.git_dir, "index.lock")):
            return "another program holds the index lock; delete index.lock if no git process is running"
        return ""


def _reason(session: Session, path: str, entries: Entries, staged: StagedPaths) -> str:
    """Return why a file stays uncommitted, '' if it does not."""
    oid, entry = staged.oid(path), entries[path]
    if not oid:
        return ""
    if session.staged_before.get(path) == oid:
        return "it was staged before the turn"
    if not session.is_staged_known:
        return "it is staged, maybe since before the turn"
    if oid.strip("0") != (entry[1] if entry is not None else ""):
        return "other content of it is staged"
    return ""
