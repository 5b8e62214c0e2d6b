"""Ends sessions whose states and steps the Go CLI deleted (its ``clean``, ``reset`` and ``disable --uninstall``)."""

from __future__ import annotations

from entire.store import sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.session import Session
    from entire.recording.context import Context


def forget(context: Context, removed: Sequence[Session]) -> None:
    """Attribute the work of removed sessions to the user, so no later commit is linked to it."""
    names = [session.session_id for session in removed]
    attribution = context.journal.attribution
    attribution.forget_sessions(names)
    for name in names:
        attribution.visiting_sessions.pop(name, None)
    context.strategy.ask_git(list(context.journal.retention.shadow_tips))  # their branches are gone
    for session in removed:
        sessions.save_removed(context.place, session)
    context.save()
    context.log.info("the Go CLI removed sessions", sessions=names)
