"""Decides about a commit that exists already, as prepare-commit-msg would have decided before it."""

from __future__ import annotations

from entire.commits import decision
from entire.commits.upcoming_commit import UpcomingCommit
from entire.errors import PartialCloneError
from entire.git import history, operation, reflog
from entire.git.operation import GitCommand
from entire.model import reasons
from entire.model.events import EventType, GitEvent
from entire.model.value import Value, replace
from entire.recording.pending import CommitKind, Pending
from entire.snapshots import followed_commits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.history import Logged
    from entire.git.operation import Operation
    from entire.git.reflog import HeadMove
    from entire.model.turns import RunningTurn
    from entire.recording.context import Context

_MAX_SQUASHED = 200


class MadeCommit(Value):
    """A commit that no hook decided about, and what is known about how it came about."""

    commit: Logged
    move: HeadMove | None = None  # HEAD's move to it, if the reflog knows it
    running: tuple[RunningTurn, ...] = ()  # when it appeared
    maker: str = ""  # the session whose agent made it, '' for a person
    original: str = ""  # the commit of which it is a copy that git made


def decide(context: Context, made: MadeCommit) -> Pending:
    """Decide about a commit that exists already as prepare-commit-msg would have decided. Writes nothing."""
    try:
        return _decide(context, made)
    except PartialCloneError:
        tree, reason = context.objects.tree_id(made.commit.oid), reasons.LACKING.text()
        return Pending(kind=CommitKind.PLAIN, head="", tree=tree, moment=context.now(), commit=made.commit.oid,
                       reason=reason)  # fmt: skip


def _decide(context: Context, made: MadeCommit) -> Pending:
    commit, move = made.commit, made.move
    old = move.old if move is not None else "".join(commit.parents[:1])
    upcoming = UpcomingCommit(
        event=GitEvent(type=EventType.PREPARE_COMMIT),
        message=commit.message,
        git=GitCommand(),
        operation=_operation(context, commit, made.original),
        head=context.objects.commit(old) if old.strip("0") else None,
        tree=context.objects.tree_id(commit.oid),
        amends=move is not None and move.is_amend,
        maker=made.maker,
        commit=commit.oid,
        running=tuple(sorted(made.running, key=lambda turn: turn.key.session_id != made.maker)),
    )
    decided = decision.decide(context, upcoming)
    moment = min(decided.moment, commit.made_by) if commit.committed else decided.moment
    return replace(decided, commit=commit.oid, moment=moment)


def _operation(context: Context, commit: Logged, original: str) -> Operation:
    """Return the operation that made a commit, by its parents, its message or its content."""
    shown = operation.of_message(commit.message, commit.parents[1:])
    if original:
        return replace(shown, picked=original)
    if shown.merge_heads or shown.squashed or not commit.parents:
        return shown
    return replace(shown, squashed=_squashed(context, commit))


def _squashed(context: Context, commit: Logged) -> tuple[str, ...]:
    """Return the linked commits of a branch that HEAD has left, oldest first, if their changes together are the
    commit's: it is a squash under a message of its own.
    """
    top, parent = context.place.top, commit.parents[0]
    left = [oid for oid in reflog.left(context.place) if context.objects.commit(oid) is not None]
    gone = history.outside(top, commit.oid, left)
    for tip in (oid for oid in left if oid in gone):
        base = history.fork_point(top, parent, tip)
        commits = history.log(top, [tip, f"^{base}"], limit=_MAX_SQUASHED)[::-1] if base else []
        if any(context.links.of(other) for other in commits):
            tree = context.objects.tree_id
            together, own = [(tree(base), tree(tip)), (tree(parent), tree(commit.oid))]
            if len(set(followed_commits.patch_ids_between(context, [together, own]))) == 1:
                return tuple(other.oid for other in commits)
    return ()
