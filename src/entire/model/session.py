"""The state of a session and a worktree's journal entries."""

from __future__ import annotations

from entire.model.phases import RUNNING, Phase
from entire.model.positions import START, Position, SessionRef, StoredLines
from entire.model.tokens import UNKNOWN, TokenUsage
from entire.model.turns import NO_MARK, NO_TURN, MarkKind, RunningTurn, TurnKey, TurnMark, owner_between
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from entire.model.turns import Owner, Unreported

_NO_TURN_ID = "0" * 12
CLEARED = "cleared_in_turn"
"""In the metadata of a cleared session until another one continues it: the turn's id, or ''."""
PREVIOUS = "previous_session_id"
"""In the metadata of a session: the one that it continues."""
NO_COMMIT = "0" * 40
"""Stands for HEAD in a repository without commits."""
KEPT_SECONDS = 14 * 86400.0  # how long uncommitted work of an inactive session keeps the git hooks active


class Process(Value):
    """The agent's process; ``started`` distinguishes reused pids."""

    pid: int = 0
    started: str = ""


class Turn(Value):
    """One prompt and everything the agent did until it answered. Times are seconds since the epoch."""

    id: str
    ref: str = ""  # the agent's own id
    prompt: str = ""  # redacted
    continues: str = ""  # the turn whose prompt it answers, if the agent began it by itself
    start: Position = START  # the transcript's end before the turn
    finish: Position = START  # and after it
    prompt_position: int = 0  # records before the prompt's own
    started: float = 0.0
    ended: float = 0.0
    is_rewritten: bool = False  # the transcript lost its records of the turn's beginning: a compaction
    interrupted: float = 0.0  # when it ended without a word of its agent; 0 if it did not
    model: str = ""
    tokens: TokenUsage = UNKNOWN  # until it ended


class TurnCheckpoint(Value):
    """A checkpoint written during the running turn, to be finalised at its end."""

    id: str
    commit: str
    moment: float  # when the commit was made: it covers answers up to here
    since: Position  # its tokens are counted from here
    subagents: dict[str, Any] = {}  # tokens of subagents counted before it
    base: TokenUsage | None = None  # its tokens before this turn, if the turn amended it
    finish: Position = START  # the end of the transcript that it holds


class SubagentTask:
    """What is known of a subagent's task between hooks; mutable, like its session."""

    def __init__(
        self, *, started: float = 0.0, kind: str = "", description: str = "", subagent: str = "", ref: str = ""
    ) -> None:
        self.started = started
        self.type = kind
        self.description = description
        self.subagent = subagent  # its id, '' until it is known
        self.ref = ref  # its own transcript, '' if it has none
        self.turn = ""  # the id of the turn that launched it
        self.done = 0.0  # when it ended
        self.stored = ""  # the blob of its transcript as it was at the last turn's end
        self.kept = ""  # the checkpoint that contains it
        self.increments: dict[str, Any] = {}  # its notes, by file name
        # a plugin's, for a commit that must not start it:
        self.end: list[int | str] = []  # where its transcript ended at the last turn's end
        self.tokens: dict[str, Any] = {}  # what it had used until then that no checkpoint counts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SubagentTask) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]  # mutable


class SessionWorktree(Value):
    """Where a session works."""

    path: str = ""
    name: str = ""
    base_commit: str = ""  # HEAD, when its last step was saved


class Times(Value):
    """When a session was at work, in seconds since the epoch."""

    started: float = 0.0
    ended: float = 0.0
    last_seen: float = 0.0


class Work(Value):
    """What a session changed since its last checkpoint, and what was there before its turn."""

    open_files: list[str] = []  # changed by the session and not committed yet
    staged_before: dict[str, str] = {}  # what was staged before the turn: blob ids (zeros: deleted) by path
    is_staged_known: bool = False  # whether that was looked at, and is all
    uncommitted: str = ""  # why the strategy did not commit what the last turn changed
    untracked_at_start: list[str] = []
    steps: int = 0  # since the last checkpoint
    head_logs: dict[str, int] = {}  # size of HEAD's reflog in each other worktree when the turn began


class Covered(Value):
    """What checkpoints count of a session's tokens."""

    position: Position = START  # up to here
    subagents: dict[str, Any] = {}  # [count, byte, mark] by subagent


class Storage(Value):
    """What is stored of a session's transcript."""

    extent: StoredLines = StoredLines()  # in the parts
    parts: list[list[Any]] = []  # [blob id, lines] each
    last_line: list[Any] = []  # [size, hash, blob id] of the line after them, which may still grow
    document: list[Any] = []  # of a transcript that is one document: see store/documents
    redacted_with: int = -1  # the size of redaction's memory when all of it was redacted; -1: nothing was
    copied: int = 0  # bytes of the transcript that steps stored a second time
    problem: str = ""  # why it was not stored, or not all of it, when a hook last looked


class SessionAgent(Value):
    """The agent that runs a session."""

    name: str = ""  # in the directory
    type: str = ""  # in metadata


class Connection(Value):
    """How a session's agent tells us what it does."""

    is_external: bool = False  # by a plugin, which only commands and its own hooks start
    caller_variables: list[str] = []  # set in the environment of what the agent starts, as its plugin says
    is_incomplete: bool = False  # not all that the transcript holds after ``counted`` was reported
    metadata: dict[str, str] = {}  # what events carried, for its adapter


# Of a new session.
_WORKTREE, _TIMES, _WORK, _COVERED, _STORAGE = SessionWorktree(), Times(), Work(), Covered(), Storage()
_CONNECTION = Connection()

GROUPS: dict[str, dict[str, str]] = {
    "agent": {"agent": "name", "agent_type": "type"},
    "connection": {"is_external": "is_external", "caller_variables": "caller_variables",
                   "is_incomplete": "is_incomplete", "metadata": "metadata"},
    "worktree": {"worktree_path": "path", "worktree_name": "name", "base_commit": "base_commit"},
    "times": {"started": "started", "ended": "ended", "last_seen": "last_seen"},
    "work": {"open_files": "open_files", "staged_before": "staged_before", "is_staged_known": "is_staged_known",
             "uncommitted": "uncommitted", "untracked_at_start": "untracked_at_start", "steps": "steps",
             "head_logs": "head_logs"},
    "covered": {"counted": "position", "counted_subagents": "subagents"},
    "storage": {"stored": "extent", "parts": "parts", "last_line": "last_line", "document": "document",
                "redacted_with": "redacted_with", "copied": "copied", "transcript_problem": "problem"},
}  # fmt: skip
"""The values that a session is made of: their fields by the keys in its state's file."""


class Session:
    """What is known of a session between hooks. Mutable: a hook loads, changes and saves it under the lock.

    What belongs together is one value, and replaced as a whole.
    """

    def __init__(self, session_id: str, agent: str = "", agent_type: str = "") -> None:
        self.session_id = session_id
        self.agent = SessionAgent(name=agent, type=agent_type)
        self.phase = Phase.IDLE
        self.worktree = _WORKTREE
        self.times = _TIMES
        self.session_ref = SessionRef()  # "transcript_path" on disk
        self.model = ""
        self.first_prompt = ""  # redacted
        self.process = Process()
        self.turn: Turn | None = None  # the running or last turn
        self.queued: list[str] = []  # prompts that were typed while the agent was busy, redacted
        self.ended_ref = ""  # the agent's own id of the turn that ended last
        self.turn_checkpoints: list[TurnCheckpoint] = []
        self.work = _WORK
        self.covered = _COVERED
        self.storage = _STORAGE
        self.conversation = ""  # the step or journal commit with the transcript as it was at the last turn's end
        self.last_checkpoint = ""
        self.tasks: dict[str, SubagentTask] = {}  # by tool-use id
        self.background: list[str] = []  # subagents that work on between turns
        self.oid_size = 40  # hex digits of object ids here
        self.connection = _CONNECTION
        self.foreign = False  # the Go CLI wrote its state last, and go_takeover has not imported it yet
        self.removed = False  # the Go CLI deleted its state and steps

    @property
    def turn_key(self) -> TurnKey:
        """The current turn; without one, a key that no other session has."""
        return TurnKey.of(self.session_id, self.turn.id if self.turn is not None else _NO_TURN_ID)

    @property
    def is_running(self) -> bool:
        """Tell whether a turn is in progress."""
        return self.phase in RUNNING

    def launching_turns(self) -> list[TurnKey]:
        """Return the earlier turns whose subagents still work."""
        at_work = dict.fromkeys(task.turn for task in self.tasks.values() if task.turn and not task.done)
        now = self.turn.id if self.turn is not None else ""
        return [TurnKey.of(self.session_id, turn) for turn in at_work if turn != now]

    def note(self, told: Mapping[str, str | None]) -> None:
        """Add what an event carried to the metadata for the adapter; None removes an entry."""
        known = {**self.connection.metadata, **told}
        metadata = {name: value for name, value in known.items() if value is not None}
        self.connection = replace(self.connection, metadata=metadata)

    def end_removed(self) -> None:
        """Forget what no checkpoint has. What checkpoints counted is still known if the session continues."""
        fresh = Session(self.session_id, self.agent.name, self.agent.type)
        kept = ("worktree", "times", "session_ref", "model", "process", "covered", "oid_size", "connection")
        self.__dict__.update({name: value for name, value in fresh.__dict__.items() if name not in kept})
        self.phase, self.removed = Phase.ENDED, True
        self.times = replace(self.times, ended=self.times.ended or self.times.last_seen)

    def is_live(self, now: float) -> bool:
        """Tell whether a commit may concern this session."""
        return (
            self.is_running
            or bool(self.background)
            or (bool(self.work.open_files) and now - self.times.last_seen < KEPT_SECONDS)
        )


class Entry(Value):
    """One snapshot of a worktree: its tree, and who may have changed it since the previous one.

    ``by`` is the event's own turn, '' for a person; ``running`` are all turns in progress since the previous snapshot.
    ``commit`` is set for a commit's tree, with the ``paths`` that it changed: a checkpoint has their content. A stash
    is such a commit with a mark of its own. Of the trees ``brought`` by git nothing is anybody's change, and what is as
    in one of them is not in ``paths``.
    """

    tree: str
    time: float
    by: TurnKey = NO_TURN
    running: tuple[RunningTurn, ...] = ()
    commit: str = ""
    paths: tuple[str, ...] = ()
    mark: TurnMark = NO_MARK
    head: str = ""  # HEAD's commit at that time
    brought: tuple[str, ...] = ()
    unreported: Unreported = {}  # of ``paths``, those that no tool had reported by then

    @property
    def is_stash(self) -> bool:
        """Tell whether it is a stash that was made since the previous snapshot."""
        return self.mark.kind is MarkKind.STASH

    def owner(self, reports: Mapping[TurnKey, Sequence[str]]) -> Callable[[str], Owner]:
        """Return a function from a path to who changed it since the previous snapshot."""
        return owner_between(self.by, self.running, reports, self.unreported)

    def turns(self) -> set[TurnKey]:
        """Return all turns that may have made the changes."""
        return {key for key in (self.by, *(turn.key for turn in self.running)) if key}
