"""Chooses the files of a session that are committed when its turn ends."""

from __future__ import annotations

import os

from entire.git import operation
from entire.git.partial_commit import NO_FILE
from entire.strategies.selection import Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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
        held.update(_displacing(entries, held, staged))
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
    change = staged.changes.get(path)
    if change is None:
        return ""
    if session.work.staged_before.get(path) == change.new_oid:
        return "it was staged before the turn"
    if not session.work.is_staged_known:
        return "it is staged, maybe since before the turn"
    if entries[path] != (None if change.new_mode == NO_FILE else (change.new_mode, change.new_oid)):
        return "other content of it is staged"
    return ""


def _displacing(entries: Entries, held: Mapping[str, str], staged: StagedPaths) -> dict[str, str]:
    """Return the files that would take the place of a folder with something staged, or the reverse; with reasons. A
    staged deletion counts too: the commit still has that file.
    """
    kept = {path for path in staged.changes if path in held or path not in entries}
    folders = {folder for path in kept for folder in _folders(path)}
    added = [path for path, entry in entries.items() if entry is not None and path not in held]
    displacing = [path for path in added if path in folders or not kept.isdisjoint(_folders(path))]
    return dict.fromkeys(displacing, "something else is staged in its place")


def _folders(path: str) -> list[str]:
    """Return all folders that a path is in."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]
