"""What happens outside, normalised: seven events from agents, two from git."""

from __future__ import annotations

from entire.model.choice import Choice
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class EventType(Choice):
    """The nine events; the numbers of the first seven are those of the external agent protocol."""

    SESSION_START = 1
    TURN_START = 2
    TURN_END = 3
    COMPACTION = 4
    SESSION_END = 5
    SUBAGENT_START = 6
    SUBAGENT_END = 7
    GIT_COMMIT = 8
    PRE_PUSH = 9


class Event(Value):
    """One event of one session, as an agent's adapter reports it. Times are seconds since the epoch."""

    type: EventType
    session_id: str
    previous_session_id: str = ""  # non-empty: this session continues that one
    session_ref: str = ""  # where the transcript is (a path for most agents)
    prompt: str = ""
    model: str = ""
    timestamp: float = 0.0
    tool_use_id: str = ""
    subagent_id: str = ""
    tool_input: str = ""  # the tool's input as JSON text
    subagent_type: str = ""
    task_description: str = ""
    response_message: str = ""  # what to show the user through the agent
    metadata: Mapping[str, str] = {}  # kept in the session's state, given back as ``agent.metadata``
    # what some agents can say besides; all optional
    turn_ref: str = ""  # the agent's own id of the turn: tells a hook delivered twice from a new turn
    final_text: str = ""  # the turn's last answer: lets a preparer wait until the transcript holds it
    source: str = ""  # why a session started or ended, in the agent's word (startup, resume, compact, clear, ...)
    cwd: str = ""  # where the agent works now
    background: tuple[str, ...] = ()  # ids of subagents that go on working after the turn's end


class Increment(Value):
    """A note from inside a running subagent (Claude Code's todo list): one numbered record of its task."""

    session_id: str
    session_ref: str
    tool_name: str
    tool_use_id: str  # of the subagent's task, where the agent says so
    subagent_id: str = ""
    data: str = "{}"  # JSON text
