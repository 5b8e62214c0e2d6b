"""Before an event is handled: its agent may still write the transcript, or a plugin has questions to answer."""

from __future__ import annotations

import os

from entire import files
from entire.agents import capabilities
from entire.model.events import Event, EventType
from entire.model.positions import START, SessionRef
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.recording.context import Context

_ENDS = (EventType.TURN_END, EventType.COMPACTION)


def wait(context: Context, event: Event) -> Event:
    """When a turn ends, let its agent finish writing the transcript; at any event, let a plugin answer ahead. This may
    take seconds, so it happens before the lock is taken.

    Returns the event, with its session's transcript if only the agent can say where that is.
    """
    session = context.session(event.session_id)
    agent = context.adapters.of(session) if session is not None else context.agents.make_if_possible(event.agent)
    known = session.session_ref if session is not None else ""
    find = getattr(agent, "find_transcript", None)  # optional
    if find is not None and not (event.session_ref or known):
        event = replace(event, session_ref=find(event))
    path = SessionRef(event.session_ref or known).file
    if path and not os.path.isdir(path) and files.refusal(path):
        return event  # waiting for it would not end
    start = session.turn.start if session is not None and session.turn is not None else START
    about = event if event.session_ref else replace(event, session_ref=known)
    preparer = capabilities.transcript_preparer(agent) if agent is not None and event.type in _ENDS else None
    if preparer is not None:
        preparer.prepare_transcript(about, start)
    ask = getattr(agent, "ask_ahead", None)  # a plugin's
    if ask is not None:
        from entire.store import turnlog

        ask(about, start, is_first=start != START and not turnlog.read(context.place, event.session_id))
    return event
