"""Decides about a commit that exists already, as prepare-commit-msg would have decided before it."""

from __future__ import annotations

from entire.git import operation
from entire.git.operation import GitCommand
from entire.lifecycle.commits import decision
from entire.lifecycle.commits.attempts import Attempt
from entire.model.events import EventType, GitEvent
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.history import Logged
    from entire.git.reflog import Move
    from entire.lifecycle.commits.pending import Pending
    from entire.lifecycle.context import Context
    from entire.model.turns import RunningTurn

_SECOND = 1.0  # git's times are whole seconds


class Found(Value):
    """A commit that no hook decided about, and what is known about how it came about."""

    commit: Logged
    move: Move | None = None  # HEAD's move to it, if the reflog knows it
    running: tuple[RunningTurn, ...] = ()  # when it appeared
    maker: str = ""  # the session whose agent made it, '' for a person


def decide(context: Context, found: Found) -> Pending:
    """Decide about a commit that exists already as prepare-commit-msg would have decided. Writes nothing."""
    commit, move = found.commit, found.move
    old = move.old if move is not None else "".join(commit.parents[:1])
    attempt = Attempt(
        event=GitEvent(type=EventType.PREPARE_COMMIT),
        message=commit.message,
        git=GitCommand(),
        operation=operation.of_message(commit.message, commit.parents[1:]),
        head=context.objects.commit(old) if old.strip("0") else None,
        tree=context.objects.tree_id(commit.oid),
        amends=move is not None and move.is_amend,
        maker=found.maker,
        running=tuple(sorted(found.running, key=lambda turn: turn.key.session_id != found.maker)),
    )
    decided = decision.decide(context, attempt)
    moment = min(decided.moment, commit.committed + _SECOND) if commit.committed else decided.moment
    return replace(decided, commit=commit.oid, moment=moment)
