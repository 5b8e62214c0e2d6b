"""What post-commit does: carries out the decision about the commit that git has made."""

from __future__ import annotations

from entire import process
from entire.commits import complete as completing
from entire.recording import pending
from entire.store import links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.read import Commit
    from entire.model.events import GitEvent
    from entire.recording.context import Context
    from entire.recording.pending import Pending


def complete(context: Context, event: GitEvent) -> None:
    """Carry out the decision about the commit that is now HEAD."""
    head = context.objects.commit("HEAD")
    if head is None or not context.can_write():
        return
    decided = _load_own(context, head)
    if decided is None:
        _follow_undecided(context, head, event)
        return
    completing.follow(context, decided, head)
    completing.carry_out(context, decided, head)
    pending.drop(context.place)


def _load_own(context: Context, head: Commit) -> Pending | None:
    """Return the record of the commit that was just made. One of an earlier commit, which had to wait for a lock while
    this one was prepared, is completed first.
    """
    decided = pending.load(context.place)
    if decided is None or not decided.pid or process.is_running(decided.pid, decided.started):
        return decided
    if decided.id in links.named(head):
        return decided
    from entire.commits import unfinished

    unfinished.complete(context)
    return pending.load(context.place)


def _follow_undecided(context: Context, commit: Commit, event: GitEvent) -> None:
    """Follow a commit for which git ran post-commit, but not prepare-commit-msg."""
    from entire.git import operation

    if not operation.find().picks:
        _examine(context, commit, event)
    elif not operation.state(context.place).rebasing:  # a rebase's commits follow with the next snapshot
        _carry(context, commit)


def _examine(context: Context, commit: Commit, event: GitEvent) -> None:
    from entire.commits import existing_commit, upcoming_commit
    from entire.git import history, reflog

    move = next((move for move in reversed(reflog.moves(context.place)) if move.new == commit.oid), None)
    maker = upcoming_commit.committing_session(context, event, context.running())
    for logged in history.show(context.place.top, [commit.oid]):
        running = tuple(context.running_turns())
        made = existing_commit.MadeCommit(commit=logged, move=move, running=running, maker=maker)
        decided = existing_commit.decide(context, made)
        completing.follow(context, decided, commit)
        completing.link_by_id(context, decided, commit)


def _carry(context: Context, commit: Commit) -> None:
    """Record a copy of a linked commit."""
    from entire.git import history
    from entire.snapshots import followed_commits

    for logged in history.show(context.place.top, [commit.oid]):
        followed_commits.follow(context, [logged])
