"""Commits, sessions and checkpoints, and what is stored of them."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.digests import PartDigest
    from entire.model.records import Attribution, Summary
    from entire.model.tokens import TokenUsage
    from entire.model.transcripts import ToolCall


class CommitView(Value):
    """A commit of the user's, with the ids of its checkpoints."""

    oid: str
    subject: str
    author: str
    time: float
    checkpoint_ids: tuple[str, ...] = ()
    foreign_ids: tuple[str, ...] = ()  # in a later storage format, which this version cannot load
    unlinked_ids: tuple[str, ...] = ()  # that a person has unlinked from it; its message may still name them


class TargetView(Value):
    """What a name means. ``kind``: checkpoint, commit, session."""

    kind: str
    id: str  # in full


class SessionView(Value):
    """The current state of a session, not what checkpoints hold of it."""

    session_id: str
    agent: str  # display name
    phase: str  # active, active_committed, idle, ended
    worktree: str  # path
    is_here: bool  # in this worktree
    base_commit: str = ""
    started: float = 0.0
    ended: float = 0.0
    last_seen: float = 0.0
    steps: int = 0  # since the last checkpoint
    open_files: tuple[str, ...] = ()  # with uncommitted work of the session
    uncommitted: str = ""  # why auto-commit left them uncommitted, '' if it did not
    transcript_problem: str = ""  # why its transcript is not stored, or not all of it; '' if it is
    last_checkpoint: str = ""
    first_prompt: str = ""
    model: str = ""
    prompt: str = ""  # the beginning of the one that it works on, or of its last; redacted, on one line
    is_interrupted: bool = False  # its last turn did not come to its end


class PromptView(Value):
    """One prompt. ``turn``, ``model`` and ``tokens`` are set if the checkpoint holds our attribution record."""

    text: str
    position: int = 0  # records of the transcript before it
    turn: str = ""
    model: str = ""
    tokens: TokenUsage | None = None


class RangeView(Value):
    """Lines that a commit added, counted from 1, and their owner: a turn of a session, or a person ('' and '')."""

    first: int
    last: int
    session_id: str = ""
    turn: str = ""
    is_by_hook: bool = False  # nobody's: the commit's own hooks changed them


class RemovedView(Value):
    """How many lines a turn of a session, or a person, removed from a file."""

    count: int
    session_id: str = ""
    turn: str = ""
    is_by_hook: bool = False


class FileView(Value):
    """One path of a commit. ``status`` is git's letter; ``session_id`` and ``turn`` created the file ('': a person)."""

    path: str
    status: str
    added: tuple[RangeView, ...] = ()
    removed: tuple[RemovedView, ...] = ()
    session_id: str = ""
    turn: str = ""
    old_path: str = ""
    is_binary: bool = False


class PartView(Value):
    """One session's part of a checkpoint."""

    slot: int
    session_id: str
    agent: str
    created: float
    branch: str = ""
    start: int = 0  # records of the transcript that belong to earlier checkpoints
    left_out: str = ""  # what is not read of a transcript that is too large
    prompts: tuple[PromptView, ...] = ()
    files: tuple[str, ...] = ()
    tokens: TokenUsage | None = None
    lines: Attribution | None = None
    summary: Summary | None = None
    steps: int = 0
    digest: PartDigest | None = None  # a summary without a model; None if it was not asked for


class TaskView(Value):
    """A subagent's task in a checkpoint."""

    tool_use_id: str
    agent_id: str = ""
    session_id: str = ""
    has_transcript: bool = False
    notes: int = 0
    description: str = ""  # of what it was to do, '' if that is not known
    type: str = ""  # as the agent names it


class CheckpointView(Value):
    """A checkpoint with all its sessions. ``lines`` is the attribution, None if none is recorded."""

    id: str
    strategy: str
    branch: str
    created: float
    files: tuple[str, ...]
    tokens: TokenUsage | None
    parts: tuple[PartView, ...]
    commits: tuple[CommitView, ...] = ()
    tasks: tuple[TaskView, ...] = ()
    problems: tuple[str, ...] = ()
    lines: tuple[FileView, ...] | None = None
    recorded_commits: tuple[str, ...] = ()  # linked commits, including those that a rebase replaced


class ExplanationView(Value):
    """A commit with its checkpoints, or the reason why it has none."""

    commit: CommitView
    checkpoints: tuple[CheckpointView, ...] = ()
    missing: tuple[str, ...] = ()  # ids in its message that are not stored here
    forgotten: Mapping[str, str] = {}  # those of them that were forgotten, and on which day
    reason: str | None = None  # why a commit near a live session was not linked


class SummarizedView(Value):
    """A checkpoint after its summaries were asked for."""

    checkpoint: CheckpointView
    written_by: Mapping[str, str] = {}  # the agents' display names, by the session whose summary each wrote now


class MessageView(Value):
    """A message of a conversation, or a tool call."""

    who: str  # user, agent, tool
    text: str
    at: int  # records of the transcript before it
    name: str = ""  # the tool's
    time: float = 0.0  # 0 if it is not recorded
    call: ToolCall | None = None  # what the tool was asked to do, and its answer


class ListedView(Value):
    """A checkpoint in a list: what is known without reading its transcripts."""

    id: str
    created: float = 0.0
    branch: str = ""
    agents: tuple[str, ...] = ()
    session_ids: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    is_stored: bool = False  # False: a trailer without its checkpoint
    commits: tuple[CommitView, ...] = ()
