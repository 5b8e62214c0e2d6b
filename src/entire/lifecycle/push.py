"""Pushes the checkpoints branch with the user's own push, if the settings say so."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.lifecycle.context import Context
    from entire.model.events import GitEvent


def push(context: Context, event: GitEvent) -> None:
    """Push the branch, merging the remote's if necessary. Takes two minutes at most, asks nothing and never fails."""
    if not context.settings.push_sessions or not event.remote:
        return
    from entire.store import sync

    outcome = sync.push(context.place.top, event.remote)
    context.log.info("checkpoints pushed", remote=event.remote, outcome=str(outcome))
