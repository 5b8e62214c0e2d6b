"""Pushes the checkpoints branch along with the user's push, if the user chose so."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.lifecycle.context import Context
    from entire.model.events import GitEvent


def push(context: Context, event: GitEvent) -> None:
    """Push and join the branch, within two minutes and without a question; the user's push goes on whatever happens."""
    if not context.settings.push_sessions or not event.remote:
        return
    from entire.store import sync

    outcome = sync.push(context.place.top, event.remote)
    context.log.info("checkpoints pushed", remote=event.remote, outcome=str(outcome))
