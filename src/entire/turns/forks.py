"""Sessions that begin with the history of another one, which counts it already."""

from __future__ import annotations

from entire.model.positions import START
from entire.model.value import replace
from entire.store import sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.positions import Position
    from entire.model.session import Session, Turn
    from entire.recording.context import Context
    from entire.recording.session_transcript import SessionTranscript

_FORKED_FROM = 30  # newest sessions that are searched for the origin of a fork


def is_fork(context: Context, session: Session, end: Position) -> bool:
    """Tell whether a new session begins with the history of another known one, which already counts it."""
    if end == START:
        return False
    return any(context.transcripts.of(other).shares_answer(end) for other in _others(context, session))


def _others(context: Context, session: Session) -> list[Session]:
    recent = sessions.recent(context.place, _FORKED_FROM)
    return [
        other for other in recent if other.session_id != session.session_id and other.agent.name == session.agent.name
    ]


def behind_copied(
    context: Context, session: Session, transcript: SessionTranscript, turn: Turn, finish: Position
) -> Turn:
    """Let a fork's first turn begin where its own prompt stands: an agent may copy the history of another session after
    the turn's start, and some give each copied prompt the id of the new one. Nothing is counted of the session yet.
    """
    prompts = transcript.prompts(START, finish)
    own = [prompt for prompt in prompts if turn.ref and prompt.id == turn.ref]
    own = own or [prompt for prompt in prompts if context.redactor.redact_text(prompt.text) == turn.prompt]
    if not own:
        return turn
    known = [other.turn.finish for other in _others(context, session) if other.turn is not None]
    if any(map(transcript.shares_answer, known)):
        start = transcript.at(own[-1].position)
        session.covered = replace(session.covered, position=start)
        turn = replace(turn, start=start, prompt_position=start.count)
    return turn
