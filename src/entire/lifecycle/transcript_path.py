"""Where a session's transcript is, as its events say."""

from __future__ import annotations

import os

from entire.model.positions import START, SessionRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.events import Event
    from entire.model.session import Session
    from entire.recording.context import Context


def accept(context: Context, session: Session, event: Event) -> None:
    """Take the transcript's path from an event. One where nothing is yet never replaces one where there is something,
    and a subagent's never that of its session, even if an adapter confuses the two.
    """
    known, given = session.session_ref, event.session_ref
    is_subagents = given in (event.subagent_ref, *(task.ref for task in session.tasks.values()))
    if not given or is_subagents or (event.type.is_of_subagent and (known or session.turn is not None)):
        return
    if given == known or not _is_there(context, session, known) or _is_there(context, session, given):
        session.session_ref = SessionRef(given)


def _is_there(context: Context, session: Session, session_ref: str) -> bool:
    """Tell whether there is anything where a transcript should be, which need not be a file."""
    if not session_ref or os.path.exists(SessionRef(session_ref).file):
        return bool(session_ref)
    agent = context.adapters.of(session)
    return agent is not None and agent.transcript(session_ref).end() != START
