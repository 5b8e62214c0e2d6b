"""What a workspace answers with: plain values for faces, programs and library users. Times: seconds since the epoch."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.records import Attribution, Summary
    from entire.model.transcripts import TokenUsage


class CommitView(Value):
    """A commit of the user's, with the ids of the checkpoints that it is linked to."""

    oid: str
    subject: str
    author: str
    time: float
    checkpoint_ids: tuple[str, ...] = ()
    foreign_ids: tuple[str, ...] = ()  # of a later storage format, which this version cannot load


class SessionView(Value):
    """A session that is remembered: its state now, not what checkpoints hold of it."""

    session_id: str
    agent: str  # its type, for people
    phase: str  # active, active_committed, idle, ended
    worktree: str  # path
    is_here: bool  # in this worktree
    base_commit: str = ""
    started: float = 0.0
    ended: float = 0.0
    last_seen: float = 0.0
    steps: int = 0  # since the last checkpoint
    open_files: tuple[str, ...] = ()  # made by the session, not committed yet
    last_checkpoint: str = ""
    first_prompt: str = ""
    model: str = ""


class PromptView(Value):
    """One prompt. ``turn``, ``model`` and ``tokens`` are told by our own record, where there is one."""

    text: str
    position: int = 0  # records of the transcript before it
    turn: str = ""
    model: str = ""
    tokens: TokenUsage | None = None


class RangeView(Value):
    """Lines that a commit added, counted from 1, and who made them: a turn of a session, or a person ('' and '')."""

    first: int
    last: int
    session_id: str = ""
    turn: str = ""


class RemovedView(Value):
    """How many lines a turn of a session, or a person, removed from a file."""

    count: int
    session_id: str = ""
    turn: str = ""


class FileView(Value):
    """One path of a commit. ``status`` is git's letter; ``session_id`` and ``turn`` made it a file ('': a person)."""

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
    prompts: tuple[PromptView, ...] = ()
    files: tuple[str, ...] = ()
    tokens: TokenUsage | None = None
    lines: Attribution | None = None
    summary: Summary | None = None
    steps: int = 0


class TaskView(Value):
    """A subagent's task in a checkpoint."""

    tool_use_id: str
    agent_id: str = ""
    session_id: str = ""
    has_transcript: bool = False
    notes: int = 0


class CheckpointView(Value):
    """A checkpoint with all its sessions. ``lines`` says who made which lines; None where we have no record of that."""

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
    recorded_commits: tuple[str, ...] = ()  # those that were linked to it, also where a rebase left them behind


class ListedView(Value):
    """A checkpoint in a list: what can be told without its transcripts."""

    id: str
    created: float = 0.0
    branch: str = ""
    agents: tuple[str, ...] = ()
    session_ids: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    is_stored: bool = False  # False: a trailer without its checkpoint
    commits: tuple[CommitView, ...] = ()


class UnlinkedView(Value):
    """A commit near a living session that was not linked, and why."""

    commit: str
    subject: str
    reason: str
    time: float


class HookView(Value):
    """The health of one group of hooks: git's, or an agent's in one scope."""

    name: str
    where: str
    is_installed: bool
    problem: str = ""


class StatusView(Value):
    """How a worktree stands."""

    enabled: bool
    is_set_up: bool  # there are settings at all
    strategy: str
    branch: str
    top: str
    push_sessions: bool | None
    sessions: tuple[SessionView, ...] = ()
    unlinked: tuple[UnlinkedView, ...] = ()
    hooks: tuple[HookView, ...] = ()
    checkpoints: int = 0
    unpushed: Mapping[str, int] = {}  # remote: commits of the checkpoints branch that it lacks
    settings_files: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    failures: int = 0  # errors in the log since it was begun


class PointView(Value):
    """A point that one can go back to: a step, a subagent's step, a checkpoint, or a turn that changed no file."""

    id: str  # the step's commit; the user's commit of a checkpoint; the turn's id of a turn without changes
    kind: str  # step, task, checkpoint, turn
    time: float
    session_id: str
    agent: str = ""
    prompt: str = ""
    message: str = ""  # the commit's subject
    session_prompt: str = ""  # what the session began with
    metadata_dir: str = ""
    tool_use_id: str = ""
    checkpoint_id: str = ""
    parent: str = ""  # of a subagent's step: the point that it belongs to
    is_condensed: bool = False  # a step that a commit holds already
    files: tuple[str, ...] = ()
    added: int = 0  # lines
    removed: int = 0


class EditView(Value):
    """One path that a rewind changes. ``what``: write, create, delete, merge, conflict."""

    path: str
    what: str


class LeftView(Value):
    """A path that is not as it was at the point and stays as it is, and why."""

    path: str
    reason: str


class ConversationView(Value):
    """What happens to a session's transcript. ``what``: cut, written, unchanged, missing."""

    session_id: str
    agent: str = ""  # its type, for people
    path: str = ""
    what: str = "unchanged"
    command: str = ""  # with which a person goes on
    is_open: bool = False  # its agent still runs
    pid: int = 0


class RewindView(Value):
    """What a rewind will do, or did. ``undo_id`` is there once it was carried out."""

    title: str
    point: PointView | None = None  # None: an undo
    edits: tuple[EditView, ...] = ()
    left: tuple[LeftView, ...] = ()
    yours: tuple[str, ...] = ()  # paths with a person's edits since the point: taken away, or merged where asked
    conversations: tuple[ConversationView, ...] = ()
    others: tuple[str, ...] = ()  # sessions that worked on since; their conversations stay
    branch: str = ""  # which is moved, with ``reset``
    moved_to: str = ""
    backup: str = ""  # the ref that keeps where the branch was
    undo_id: str = ""


class UndoView(Value):
    """What was saved before a rewind, or an undo of one, changed anything."""

    id: str
    time: float
    title: str  # of what was done then
    files: tuple[str, ...] = ()  # that it changed
    session_ids: tuple[str, ...] = ()  # whose conversations it changed
