"""Recognises the session that goes on after a conversation was cleared: agents report an end, then a start.

Some name the same turn in both. Of others, the same process does both, or nothing else was cleared at that time.
"""

from __future__ import annotations

from entire.model.phases import Phase
from entire.model.session import CLEARED, PREVIOUS
from entire.recording import liveness
from entire.recording.context import agent_process
from entire.store import sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.events import Event
    from entire.model.session import Process, Session
    from entire.recording.context import Context

_RECENT = 10  # sessions that are searched, those that were written last
_SECONDS = 10.0  # between the end and the start


def note_end(session: Session, event: Event) -> None:
    """Mark a session as cleared; its end may be reported more than once."""
    if session.phase is not Phase.ENDED:
        session.note({CLEARED: event.turn_ref})
        caller = agent_process(event.pid)
        session.process = caller if caller.pid else session.process


def take_previous(context: Context, session: Session, event: Event) -> str:
    """Return the id of the session that this one continues, which no other session does then; '' if none is certain."""
    if session.connection.metadata.get(PREVIOUS):
        return ""
    recent = sessions.recent(context.place, _RECENT)
    candidates = [other for other in recent if _was_cleared(other, event) and other.session_id != session.session_id]
    by_turn = [other for other in candidates if event.turn_ref and other.connection.metadata[CLEARED] == event.turn_ref]
    likely = by_turn or _of_process(context, candidates, agent_process(event.pid)) if candidates else []
    previous = context.session(likely[0].session_id) if len(likely) == 1 else None
    if previous is None:
        return ""
    previous.note({CLEARED: None})
    context.touch(previous)
    return previous.session_id


def _was_cleared(session: Session, event: Event) -> bool:
    turn = session.connection.metadata.get(CLEARED)
    is_other_turn = bool(turn and event.turn_ref) and turn != event.turn_ref
    return turn is not None and not is_other_turn and session.phase is Phase.ENDED and session.agent.name == event.agent


def _of_process(context: Context, candidates: list[Session], process: Process) -> list[Session]:
    """Return the sessions of this worktree that the process cleared, else those whose process does not tell."""
    here = [session for session in candidates if context.in_this_worktree(session)]
    recent = [session for session in here if context.now() - session.times.ended < _SECONDS]
    own = [session for session in here if process.pid and session.process == process]
    unknown = [session for session in recent if not process.pid or not liveness.is_running(session)]
    return [session for session in own if session in recent] or own or unknown
