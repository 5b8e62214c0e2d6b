"""Finds out when a turn ended whose agent did not say so: it was interrupted, or killed (linking.md section 7)."""

from __future__ import annotations

from entire.recording import liveness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.conversation.windows import Activity
    from entire.model.session import Session
    from entire.recording.context import Context

TICK = 0.001  # agents cut the times of their records to milliseconds
_SLACK = 5.0  # seconds between a prompt's record and our hook


def activity(context: Context, session: Session) -> Activity | None:
    """Return what the transcript tells of the session's last turn; None if it cannot tell, or tells other times than
    ours.
    """
    told = _read(context, session)
    return told if told is not None and _has_our_times(session, told) else None


def _read(context: Context, session: Session) -> Activity | None:
    if session.turn is None:
        return None
    transcript = context.transcripts.of(session)
    return transcript.activity(session.turn.start, transcript.end()) if transcript.tells_activity else None


def _has_our_times(session: Session, told: Activity) -> bool:
    """Tell whether the last record was written after the turn began."""
    return session.turn is not None and told.last >= session.turn.started - _SLACK


def moment(context: Context, session: Session) -> float:
    """Return when a session's last turn was interrupted; 0.0 if it was not, or may still go on.

    A killed agent was last alive when it wrote a record or ran a hook; if it never wrote down what it did, it is
    unknown when it died.
    """
    turn = session.turn
    if turn is None or not session.is_running or turn.interrupted:
        return turn.interrupted if turn is not None else 0.0
    known = _read(context, session)
    ours = known if known is not None and _has_our_times(session, known) else None
    if known is not None and known.interrupted:
        return ours.interrupted + TICK if ours is not None else context.now()
    if not is_lost(session):
        return 0.0
    return max(ours.last + TICK, session.times.last_seen) if ours is not None and ours.has_answers else context.now()


def end(context: Context, session: Session) -> float:
    """Return when a turn ended of which a later event shows that it is over: with its last record, if nothing says
    more.
    """
    interrupted = moment(context, session)
    known = activity(context, session) if not interrupted else None
    return interrupted or (known.last + TICK if known is not None else context.now())


def answers_queued(context: Context, session: Session) -> bool:
    """Tell whether the agent is at work on a prompt that was typed while it was busy. No hook says when such a turn
    begins: the turn before has ended, and the transcript goes on with the prompt.
    """
    turn = session.turn
    if session.is_running or session.times.ended or turn is None or not turn.ended or not session.queued:
        return False
    transcript = context.transcripts.of(session)
    end = transcript.end()
    told = transcript.activity(turn.finish, end) if transcript.tells_activity else None
    is_over = is_lost(session) or (told is not None and bool(told.interrupted))
    return bool(transcript.prompts(turn.finish, end)) and not is_over


def is_lost(session: Session) -> bool:
    """Tell whether the agent's process is gone."""
    return liveness.is_running(session) is False
