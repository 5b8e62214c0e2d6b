"""Events from agents and git, in one form for all sources."""

from __future__ import annotations

from entire.model.choice import Choice
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class EventType(Choice):
    """All events; the first seven have the numbers of the external agent protocol."""

    SESSION_START = 1
    TURN_START = 2
    TURN_END = 3
    COMPACTION = 4
    SESSION_END = 5
    SUBAGENT_START = 6
    SUBAGENT_END = 7
    SUBAGENT_NOTE = 8
    PREPARE_COMMIT = 9
    GIT_COMMIT = 10
    PRE_PUSH = 11
    TOOL_END = 12  # a tool ended that may have made commits

    @property
    def is_of_subagent(self) -> bool:
        """Tell whether the event reports what a subagent does."""
        return self in (EventType.SUBAGENT_START, EventType.SUBAGENT_END, EventType.SUBAGENT_NOTE)


class Event(Value):
    """One event of a session, as an adapter reports it. Times are seconds since the epoch."""

    type: EventType
    session_id: str
    agent: str = ""  # its name in the directory; set by the lifecycle, not the adapter
    previous_session_id: str = ""  # non-empty: this session continues that one
    session_ref: str = ""  # where the session's own transcript is (a path for most agents)
    prompt: str = ""
    model: str = ""
    timestamp: float = 0.0
    tool_use_id: str = ""
    subagent_id: str = ""
    subagent_ref: str = ""  # where the subagent's own transcript is
    tool_name: str = ""
    tool_input: str = ""  # the tool's input as JSON text
    subagent_type: str = ""
    task_description: str = ""
    response_message: str = ""  # what to show the user through the agent
    metadata: Mapping[str, str] = {}  # stored in the session's state and passed to its adapter from then on

    # reported by some agents only; all optional
    turn_ref: str = ""  # the agent's own id of the turn: distinguishes a hook delivered twice from a new turn
    final_text: str = ""  # the turn's last answer: a preparer can wait until the transcript contains it
    source: str = ""  # why a session started or ended, in the agent's own words; nothing depends on it
    cwd: str = ""  # where the agent works now
    handled_by: str = ""  # the agent that runs the session, if not the one whose hook was called
    pid: int = 0  # the agent's process, where the adapter knows better than the hook's ancestors
    background: tuple[str, ...] = ()  # ids of subagents that work on after the turn's end
    is_compaction: bool = False  # a session start that only reports that the context was compacted
    is_clearing: bool = False  # a session ends, or the next one starts, because its conversation was cleared
    only_in_background: bool = False  # a subagent's end that counts only if it is known to work in the background
    is_automatic: bool = False  # a turn that the agent started by itself: its prompt is not from a person


class PushedRef(Value):
    """A line of the list that git gives pre-push: what it is about to send; ``new`` or ``old`` is zeros for nothing."""

    source: str  # a ref's full name or an expression, as the person typed it
    new: str
    ref: str
    old: str


class GitEvent(Value):
    """A git hook in a worktree; it may concern several sessions.

    ``environment``: variables that git sets for hooks (``GIT_INDEX_FILE`` and others), read before they are cleaned.
    """

    type: EventType
    message_file: str = ""  # of the commit being prepared
    message_source: str = ""  # git's word: message, template, merge, squash, commit
    session_id: str = ""  # of the agent that runs git, where the environment names one
    agent_type: str = ""  # that agent's
    remote: str = ""  # the push's destination
    pushed: tuple[PushedRef, ...] = ()  # what git is about to send there; it leaves out what it knows to be rejected
    environment: Mapping[str, str] = {}
