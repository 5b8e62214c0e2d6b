"""Whether a session's agent still runs: the one place where that is decided.

The process is known for every session whose hooks ran here. It is unknown where the Go CLI began the session, or where
the system does not show our ancestors. Then only the time since the session's last event can tell, and how much
silence counts as the end depends on what a wrong answer costs:

- ``NEVER``: hooks and ``resume``. Ending a running turn, or writing over its transcript, loses work, so an unknown
  agent is alive.
- ``KEPT_SECONDS`` (two weeks): ``clean`` and ``reset``. They remove what a session may still need.
- ``AN_HOUR``: ``doctor``. A person asked about a turn that seems stuck, and its work is saved before it is ended.
- ``AT_ONCE``: ``rewind``, for subagents in the background. An unknown agent does not keep the rewind from starting.
"""

from __future__ import annotations

from entire import process
from entire.model.session import KEPT_SECONDS as KEPT_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.session import Session

NEVER = float("inf")
AN_HOUR = 3600.0
AT_ONCE = 0.0


def is_running(session: Session) -> bool | None:
    """Tell whether the agent's process runs; None if the process is unknown."""
    known = session.process
    return process.is_running(known.pid, known.started) if known.pid else None


def is_busy(session: Session) -> bool:
    """Tell whether a turn is in progress or subagents work in the background, by what the hooks noted."""
    return session.is_running or bool(session.background)


def is_alive(session: Session, now: float, *, silence: float) -> bool:
    """Tell whether the agent runs. If its process is unknown: whether it is busy and had an event within ``silence``
    seconds before ``now``.
    """
    running = is_running(session)
    return is_busy(session) and now - session.last_seen < silence if running is None else running


def is_at_work(session: Session, now: float, *, silence: float) -> bool:
    """Tell whether the agent runs and is busy."""
    return is_busy(session) and is_alive(session, now, silence=silence)


def has_lost_turn(session: Session, now: float, *, silence: float) -> bool:
    """Tell whether a turn is in progress and its agent is gone."""
    return session.is_running and not is_alive(session, now, silence=silence)
