"""Decides whether a session's agent still runs; nothing else does.

The process is known for every session whose hooks ran here. It is unknown if the Go CLI started the session, or if the
system hides our parent processes. Then the time since the session's last event decides, and how much silence counts as
the end depends on what a wrong answer costs:

- ``NEVER``: hooks and ``resume``. Ending a running turn or overwriting its transcript loses work, so an unknown agent
  counts as alive.
- ``KEPT_SECONDS`` (two weeks): ``clean`` and ``reset``. They remove what a session may still need.
- ``AN_HOUR``: ``doctor``. It saves the work of a turn that seems stuck before it ends the turn.
- ``AT_ONCE``: ``rewind``, for subagents in the background. An unknown agent does not block a rewind.
"""

from __future__ import annotations

import os

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
    agent = session.process
    return process.is_running(agent.pid, agent.started) if agent.pid else None


def holding_process(session: Session, command: str) -> int:
    """Return the process id of an agent that has the session's conversation open, and would write over what is put
    back; 0 if there is none. ``command``: how the agent is started.

    What started this command itself is the agent only if it is called like it: a script may call hooks and commands.
    """
    pid = session.process.pid
    if session.times.ended or not is_running(session):
        return 0
    parent = next((program for program in process.ancestors(os.getpid()) if program.pid == pid), None)
    words = (parent.name, *parent.argv[:3]) if parent is not None else ()
    name = command.partition(" ")[0]
    is_agent = parent is None or any(os.path.basename(word).startswith(name) for word in words)
    return pid if is_agent else 0


def is_busy(session: Session) -> bool:
    """Tell whether the hooks recorded a running turn or background subagents."""
    return session.is_running or bool(session.background)


def is_alive(session: Session, now: float, *, silence: float) -> bool:
    """Tell whether the agent runs. If its process is unknown: whether it is busy and its last event came less than
    ``silence`` seconds before ``now``.
    """
    running = is_running(session)
    return is_busy(session) and now - session.times.last_seen < silence if running is None else running


def is_at_work(session: Session, now: float, *, silence: float) -> bool:
    return is_busy(session) and is_alive(session, now, silence=silence)


def has_lost_turn(session: Session, now: float, *, silence: float) -> bool:
    """Tell whether a turn is in progress although its agent is gone."""
    return session.is_running and not is_alive(session, now, silence=silence)
