"""After a commit: closes the files that it contains, and saves the remaining ones as a step on the new commit."""

from __future__ import annotations

from entire.errors import RefMovedError
from entire.git import refs
from entire.model.value import replace
from entire.recording.pending import CommitKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.read import Commit
    from entire.model.session import Session
    from entire.recording.context import Context
    from entire.recording.pending import Pending


def affected_sessions(context: Context, decided: Pending) -> list[Session]:
    """Return the relevant sessions, including those with uncommitted content, which become relevant again."""
    for session_id in {owner.session_id for owners in decided.left.values() for owner in owners}:
        session = context.session(session_id)
        if session is not None and context.in_this_worktree(session):
            context.mark_relevant(session_id)
    return context.relevant_sessions()


def close_files(decided: Pending, sessions: Sequence[Session]) -> list[Session]:
    """Close the open paths whose content the commit contains; paths with more in the worktree stay open.

    What an amend removes from the commit is open again. Returns the sessions that changed.
    """
    committed = set(decided.paths)
    changed = []
    for session in sessions:
        mine = {
            path
            for path, owners in decided.left.items()
            if any(owner.session_id == session.session_id for owner in owners)
        }
        reopened = mine - set(session.work.open_files) if decided.kind is CommitKind.AMEND else set()
        open_files = [path for path in session.work.open_files if path not in committed or path in mine] + sorted(
            reopened
        )
        if open_files != session.work.open_files:
            uncommitted = session.work.uncommitted if open_files else ""
            session.work = replace(session.work, open_files=open_files, uncommitted=uncommitted)
            changed.append(session)
    return changed


def carry(context: Context, decided: Pending, commit: Commit, sessions: Sequence[Session]) -> None:
    """Start the committed sessions on the new base: no steps but one for what is still uncommitted."""
    _close(context, decided, commit)
    for session in filter(context.in_this_worktree, sessions):
        session.work = replace(session.work, steps=0)
        session.worktree = replace(session.worktree, base_commit=commit.oid)
        if session.work.open_files and not session.is_running:
            from entire.commits import carried_step

            carried_step.write(context, commit, session)


def carry_unlinked(context: Context, decided: Pending, commit: Commit) -> None:
    """Close what an unlinked commit contains. As after a linked one, the sessions start on the new base."""
    closed = {session.session_id: session for session in _close(context, decided, commit)}
    holders = map(context.session, decided.sessions)
    closed.update({session.session_id: session for session in holders if session is not None})
    committed = [session for session in closed.values() if context.in_this_worktree(session)]
    _release(context, committed)
    carry(context, decided, commit, committed)
    for session in committed:
        context.touch(session)


def _close(context: Context, decided: Pending, commit: Commit) -> list[Session]:
    """Close the files that a commit contains, also those of visiting sessions; return the sessions that changed."""
    # What the last snapshot had may be gone from the worktree too, or in a later commit that no hook saw either.
    if decided.left:
        dirty = _changed(context, decided, commit)
        decided = replace(decided, left={path: owners for path, owners in decided.left.items() if path in dirty})
    changed = close_files(decided, affected_sessions(context, decided))
    for session in changed:
        context.touch(session)
    if context.journal.attribution.visiting_sessions:
        from entire.snapshots import other_worktrees

        other_worktrees.close(context.journal.attribution, decided)
    return changed


def _changed(context: Context, decided: Pending, commit: Commit) -> set[str]:
    """Return which of the paths that were left out of a commit still differ from it."""
    from entire.git import diff, status

    dirty = {*status.changed(context.place.top, list(decided.left))}
    if decided.commit:
        head = context.objects.tree_id("HEAD")
        dirty.update(change.path for change in diff.changes(context.place.top, commit.tree, head))
    return dirty


def _release(context: Context, sessions: Sequence[Session]) -> None:
    """Retain the steps of these sessions, as a checkpoint does, and delete their shadow branches."""
    for is_repeated in (False, True):
        moves = context.strategy.release(sessions, context.relevant_sessions(), ask=is_repeated)
        try:
            refs.move(context.place.top, moves)
        except RefMovedError:
            if is_repeated:
                raise
        else:
            return
