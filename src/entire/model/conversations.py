"""Sessions and their turns, as they are read out. Times are seconds since the epoch."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.tokens import TokenUsage
    from entire.model.views.checkpoints import CheckpointView, CommitView, MessageView


class TurnView(Value):
    """One prompt of a session, and when it was answered."""

    session_id: str
    turn: str  # id; '' for a prompt from before Entire saw the session
    number: int  # 1 for the session's first prompt
    agent: str = ""  # display name
    model: str = ""
    prompt: str = ""  # redacted
    started: float = 0.0
    ended: float = 0.0
    tokens: TokenUsage | None = None
    position: int = 0  # records of the transcript before the prompt's own
    end: int = 0  # records at the turn's end; 0 if unknown
    checkpoint_id: str = ""  # '' if no checkpoint has it yet
    also: tuple[str, ...] = ()  # ids of turns that the agent began by itself before the next prompt

    def is_named(self, turn: str) -> bool:
        """Tell whether an id is the turn's, or that of one which the agent began by itself before the next prompt."""
        return bool(turn) and turn in (self.turn, *self.also)


class ShowRequest(Value):
    """What to show of a commit, checkpoint, session, turn or subagent, or of the uncommitted work in this worktree."""

    name: str = "HEAD"
    kind: str = ""  # what the name must be, as a target: commit or checkpoint; '': anything
    is_uncommitted: bool = False  # the uncommitted work, whatever the name is
    has_messages: bool = True  # with the conversations
    is_whole: bool = False  # of a commit or checkpoint: whole conversations, not only what is new in the checkpoint
    has_subagents: bool = False  # with the conversations of subagents
    has_records: bool = False  # with the records that say nothing to people
    has_digest: bool = False  # with the digest of each session's part of a checkpoint


class SubagentView(Value):
    """A subagent that worked for a session. ``id`` and ``tool_use_id`` both name it; one of them may be ''."""

    id: str = ""
    tool_use_id: str = ""
    type: str = ""
    description: str = ""
    has_transcript: bool = False
    notes: int = 0
    models: Mapping[str, TokenUsage] = {}  # as of a conversation, if its messages were asked for
    messages: tuple[MessageView, ...] | None = None  # None: not asked for, or none can be read
    problem: str = ""  # what is left out of them


class ConversationPart(Value):
    """A session's conversation, or the part of it that belongs to a checkpoint or a turn."""

    session_id: str
    agent: str = ""  # display name
    source: str = ""  # where it was read: agent (its own, redacted as steps are), step, checkpoint; '': nowhere
    checkpoint_id: str = ""  # if that is where it was read
    checkpoint_ids: tuple[str, ...] = ()  # of a session: all that have a part of it, the oldest first
    phase: str = ""  # '' if the session was recorded on another machine
    started: float = 0.0
    ended: float = 0.0
    turns: tuple[TurnView, ...] = ()
    files: tuple[str, ...] = ()  # that it changed
    open_files: tuple[str, ...] = ()  # of these, with uncommitted work
    messages: tuple[MessageView, ...] | None = None  # None: not asked for
    models: Mapping[str, TokenUsage] = {}  # tokens by model, as far as the transcript tells; '' for an unknown one
    records: tuple[tuple[int, str], ...] = ()  # that say nothing to people, if asked for: records before it, type
    subagents: tuple[SubagentView, ...] = ()
    problem: str = ""  # why it cannot be read, or what is left out of it
    hint: str = ""  # what to do if git lacks a part of it


class ShownView(Value):
    """What a name means, and the conversations behind it."""

    kind: str  # commit, checkpoint, session, turn, subagent, uncommitted
    id: str = ""  # in full
    commit: CommitView | None = None
    checkpoints: tuple[CheckpointView, ...] = ()
    missing: tuple[str, ...] = ()  # ids in the commit's message that are not stored here
    forgotten: Mapping[str, str] = {}  # those of them that were forgotten, and on which day
    reason: str | None = None  # why a commit near a live session was not linked
    conversations: tuple[ConversationPart, ...] = ()
    diff: str = ""  # of the files with uncommitted work, as git prints it
