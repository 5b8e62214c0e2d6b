"""What happens outside, normalised: what agents do in a session, and what git does in a worktree."""

from __future__ import annotations

from entire.model.choice import Choice
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class EventType(Choice):
    """All events; the numbers of the first seven are those of the external agent protocol."""

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

    @property
    def is_of_git(self) -> bool:
        """Tell whether it comes from git, and so concerns a worktree."""
        return self in (EventType.PREPARE_COMMIT, EventType.GIT_COMMIT, EventType.PRE_PUSH)


class Event(Value):
    """One event of one session, as an agent's adapter reports it. Times are seconds since the epoch."""

    type: EventType
    session_id: str
    agent: str = ""  # registry name; set by the entrance, not by the adapter
    previous_session_id: str = ""  # non-empty: this session continues that one
    session_ref: str = ""  # where the transcript is (a path for most agents)
    prompt: str = ""
    model: str = ""
    timestamp: float = 0.0
    tool_use_id: str = ""
    subagent_id: str = ""
    tool_name: str = ""
    tool_input: str = ""  # the tool's input as JSON text
    subagent_type: str = ""
    task_description: str = ""
    response_message: str = ""  # what to show the user through the agent
    metadata: Mapping[str, str] = {}  # kept in the session's state, handed to its adapter from then on

    # what some agents can say besides; all optional
    turn_ref: str = ""  # the agent's own id of the turn: tells a hook delivered twice from a new turn
    final_text: str = ""  # the turn's last answer: lets a preparer wait until the transcript holds it
    source: str = ""  # why a session started or ended, in the agent's own word; nothing depends on it
    cwd: str = ""  # where the agent works now
    background: tuple[str, ...] = ()  # ids of subagents that keep working after the turn's end
    is_compaction: bool = False  # a session start that only reports that the context was compacted
    is_clearing: bool = False  # a session ends or starts because its conversation was cleared; both name the same turn
    is_automatic: bool = False  # a turn that the agent began by itself: its prompt is no person's


class GitEvent(Value):
    """What git does in a worktree; it may concern several sessions.

    ``environment`` holds what git tells its hooks (``GIT_INDEX_FILE`` and the like), read before it is cleaned.
    """

    type: EventType
    message_file: str = ""  # of the commit that is being prepared
    message_source: str = ""  # git's word: message, template, merge, squash, commit
    session_id: str = ""  # of the agent that runs git, where the environment names one
    remote: str = ""  # that is pushed to
    environment: Mapping[str, str] = {}
