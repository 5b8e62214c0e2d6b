"""Decides about a commit that exists already, as prepare-commit-msg would have decided before it."""

from __future__ import annotations

from entire.git.operation import GitCommand, Operation
from entire.lifecycle.commits import decision
from entire.lifecycle.commits.attempts import Attempt
from entire.model.events import EventType, GitEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.history import Logged
    from entire.git.reflog import Move
    from entire.lifecycle.commits.pending import Pending
    from entire.lifecycle.context import Context
    from entire.model.turns import RunningTurn


def decide(context: Context, found: Logged, move: Move | None, running: Sequence[RunningTurn]) -> Pending:
    """Decide about a commit that exists already as prepare-commit-msg would have decided. Writes nothing."""
    tree = context.objects.tree_id(found.oid)
    old = move.old if move is not None else "".join(found.parents[:1])
    attempt = Attempt(
        event=GitEvent(type=EventType.PREPARE_COMMIT),
        message=found.message,
        git=GitCommand(),
        operation=Operation(merge_heads=found.parents[1:]),
        head=context.objects.commit(old) if old.strip("0") else None,
        tree=tree,
        amends=move is not None and move.is_amend,
        running=tuple(running),
    )
    return decision.decide(context, attempt)


def reason(decided: Pending, because: str) -> str:
    """Return why a commit that no hook decided about is not linked."""
    if not decided.sessions:
        return decided.reason
    kind = "session" if len(decided.sessions) == 1 else "sessions"
    return f"{because}; it contains work of {kind} {', '.join(decided.sessions)}"
