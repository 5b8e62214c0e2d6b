"""Pushes the checkpoints branch along with the user's push, if the user chose so."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.lifecycle.context import Context


def push(context: Context, remote: str) -> None:
    """Push and join the branch, within two minutes and without a question; the user's push goes on whatever happens."""
    if not context.settings.push_sessions or not remote:
        return
    from entire.store import sync

    outcome = sync.push(context.place.top, remote)
    context.log.info("checkpoints pushed", remote=remote, outcome=str(outcome))
