"""Commits that no hook saw, in other worktrees of the repository, made while a session's turn ran (linking.md
section 1).

With hooks, what the turn did there is recorded before the commit (``other_worktrees.receive``). Without them, it is
recorded when the turn ends: what its tools report there, and all of a commit that its agent made, are the turn's.
"""

from __future__ import annotations

import os

from entire import layout, settings
from entire.commits import missed_commits
from entire.git import reflog
from entire.recording.context import Context
from entire.snapshots import followed_commits, recorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.layout import LogEnd, Place
    from entire.model.session import Session


def follow(context: Context, session: Session) -> None:
    """Examine the commits that appeared in other worktrees since the session's turn began."""
    turn = session.turn
    if turn is None or context.adapters.of(session) is None:
        return
    for place in _moved(context.place, turn.started):
        chosen = settings.load(place)
        if chosen is not None and chosen.enabled:
            other = context.beside(place, chosen)
            try:
                other.share(session)
                _follow_in(other, session, turn.started)
            finally:
                other.close()


def _moved(place: Place, since: float) -> Iterator[Place]:
    """Return the repository's other worktrees in which HEAD has moved since a moment."""
    folder = os.path.join(place.common_dir, "worktrees")
    for git_dir in (place.common_dir, *(os.path.join(folder, name) for name in sorted(os.listdir(folder)))):
        try:
            is_recent = os.stat(os.path.join(git_dir, "logs", "HEAD")).st_mtime >= int(since)
        except OSError:
            continue
        if is_recent and os.path.realpath(git_dir) != os.path.realpath(place.git_dir):
            worktree = layout.find(_top_of(git_dir))
            if worktree is not None and os.path.realpath(worktree.git_dir) == os.path.realpath(git_dir):
                yield worktree


def _top_of(git_dir: str) -> str:
    """Return the worktree that a git directory belongs to, by its pointer; without one, it is in the worktree."""
    return layout.linked_top(git_dir) or os.path.dirname(git_dir)


def _follow_in(context: Context, session: Session, since: float) -> None:
    head = layout.head(context.place) or context.objects.oid("HEAD")
    caches = context.journal.caches
    if not context.journal.followed:
        caches.reflog = (session.work.head_logs.get(context.place.worktree_name, 0), "")
    before = context.journal.followed or _head_before(context.place, caches.reflog, since)
    if not head or not before or head == before or followed_commits.must_wait(context):
        return
    turn, attribution = session.turn, context.journal.attribution
    if turn is None:
        return
    transcript = context.transcripts.of(session)
    recorder.start_at(context, before)
    attribution.reports[session.turn_key] = transcript.files(turn.start, transcript.end())
    end = layout.head_log_end(context.place)
    missed_commits.follow(context, before, head, visitor=session)
    caches.followed, caches.reflog = head, end
    context.save()


def _head_before(place: Place, end: LogEnd, since: float) -> str:
    """Return where HEAD was when its reflog ended there, if it has moved since; '' if the reflog does not say."""
    moves = [move for move in reflog.moves_after(place, end) if move.time >= int(since) and move.old.strip("0")]
    return moves[0].old if moves else ""
