"""Commits that no hook of Entire saw: git ran with its hooks switched off, or another program made them (linking.md
section 1).

At the next event each is examined as prepare-commit-msg would have examined it. One with content of a session is noted
with that reason: its lines count as committed, and its files are no longer open. Commits that only came in (a pull, a
switch, a rebase) are no one's new work; HEAD's reflog tells them apart.
"""

from __future__ import annotations

from entire.git import history, reflog
from entire.lifecycle.commits import afterwards, complete
from entire.lifecycle.snapshots import followed_commits
from entire.model import trailers
from entire.model.turns import RunningTurn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.history import Logged
    from entire.git.reflog import Move
    from entire.lifecycle.context import Context

_MAX_COMMITS = 50
_COPYING = ("am", "checkout", "cherry-pick", "clone", "merge", "pull", "rebase", "reset")
"""First words of the reflog where HEAD moves to commits that exist, or to copies of them."""
NO_HOOK = "git ran no hook of Entire for it"


def follow(context: Context, before: str, after: str) -> None:
    """Learn of the commits between HEAD's last known position and the current one."""
    if any(session.is_live(context.now()) for session in context.relevant_sessions()):
        found = history.log(context.place.top, [after, f"^{before}"], limit=_MAX_COMMITS)
        for commit, move in reversed(_made_here(context, found, after)):
            _examine(context, commit, move)
    followed_commits.head_moved(context, before, after)


def _made_here(context: Context, found: Sequence[Logged], after: str) -> list[tuple[Logged, Move | None]]:
    """Return the commits that were made in this worktree, newest first, with HEAD's move to each.

    A program that keeps no reflog has moved HEAD if the reflog does not lead to it: then there is no move.
    """
    known = {str(reason["commit"]) for reason in context.journal.reasons}
    moves = reflog.moves(context.place)
    reached = {move.new for move in moves}
    made: list[tuple[Logged, Move | None]] = []
    is_logged = after in reached
    for commit in found:
        is_logged = is_logged or commit.oid in reached
        by = next((move for move in reversed(moves) if _makes(move, commit)), None)
        has_ids = bool(trailers.checkpoint_ids(commit.message))
        if commit.oid in known or commit.oid in context.journal.caches.trees or (is_logged and by is None):
            continue
        if not has_ids or (by is not None and by.is_amend):
            made.append((commit, by))
    return made


def _makes(move: Move, commit: Logged) -> bool:
    """Tell whether a move of HEAD made a commit."""
    word = move.subject.partition(":")[0].partition(" ")[0]
    on_parent = move.old == commit.parents[0] if commit.parents else not move.old.strip("0")
    return move.new == commit.oid and word not in _COPYING and (on_parent or move.is_amend)


def _examine(context: Context, found: Logged, move: Move | None) -> None:
    commit = context.objects.commit(found.oid)
    if commit is None:
        return
    # Without a reflog the commit may have come in, so that only tools' reports tell what a running turn made of it.
    running = context.running_turns()
    decided = afterwards.decide(
        context, found, move, running if move else [RunningTurn.background(turn.key) for turn in running]
    )
    if trailers.checkpoint_ids(found.message):
        complete.carry_out(context, decided, commit)
    elif move or decided.sessions:
        complete.note_unlinked(context, commit, afterwards.reason(decided, NO_HOOK), decided)
