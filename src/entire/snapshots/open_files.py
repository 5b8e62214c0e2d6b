"""Decides which sessions' work the worktree still holds where a person changed or moved it."""

from __future__ import annotations

from entire.attribution import content
from entire.attribution.content import CommitTrees, Recorded
from entire.git import diff
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.recording.context import Context


def decide(context: Context, paths: Sequence[str]) -> None:
    """Close these paths for the sessions that a commit of the worktree would not be linked to.

    A file that a person moved is not open under its new name, so no rewind takes it for the session's. It keeps
    the git hooks active like the files of a visiting session.
    """
    holders = _holders(context, paths)
    asked = {path for path in paths if context.journal.snapshot.has(path)}
    visits = context.journal.attribution.visiting_sessions
    for session in filter(context.in_this_worktree, context.relevant_sessions()):
        held = {path for path, sessions in holders.items() if session.session_id in sessions}
        still_open = [path for path in session.work.open_files if path not in asked or path in held]
        if moved := held.difference(session.work.open_files):
            visits[session.session_id] = sorted(moved.union(visits.get(session.session_id, ())))
        if still_open != session.work.open_files:
            session.work = replace(session.work, open_files=still_open)
            context.touch(session)


def reopen(context: Context, paths: Sequence[str]) -> None:
    """Open these paths again for the sessions that a commit of the worktree would be linked to."""
    for path, holders in _holders(context, paths).items():
        for session in filter(None, map(context.session, sorted(holders))):
            if context.in_this_worktree(session) and path not in session.work.open_files:
                context.mark_relevant(session.session_id)
                session.work = replace(session.work, open_files=[*session.work.open_files, path])
                context.touch(session)


def _holders(context: Context, paths: Sequence[str]) -> dict[str, set[str]]:
    """Return the sessions with content in a commit of the worktree as it is, by path. Runs one git process."""
    attribution, snapshot = context.journal.attribution, context.journal.snapshot
    recorded = Recorded(entries=tuple(attribution.entries), reports=attribution.reports)
    base = snapshot.head_tree or diff.EMPTY_TREE[len(snapshot.tree)]
    trees = CommitTrees(tree=snapshot.tree, parent_tree=base)
    examined = content.examine(context.place.top, recorded, trees, paths, attribution.stashed_paths)
    sessions = {line.path: {owner.session_id for owner in line.owners() if owner.is_new} for line in examined.fresh}
    return {path: holders for path, holders in sessions.items() if holders}
