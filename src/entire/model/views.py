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


class TargetView(Value):
    """What a name means. ``kind``: checkpoint, commit, session."""

    kind: str
    id: str  # the whole one


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


class ExplanationView(Value):
    """A commit with its checkpoints, or the reason why it has none."""

    commit: CommitView
    checkpoints: tuple[CheckpointView, ...] = ()
    missing: tuple[str, ...] = ()  # ids in its message that are not stored here
    reason: str | None = None  # why a commit near a living session was not linked


class MessageView(Value):
    """One message of a conversation, or one call of a tool."""

    who: str  # user, agent, tool
    text: str
    at: int  # records of the transcript before it
    name: str = ""  # the tool's


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


# ---------------------------------------------------------------- setting up


class AgentView(Value):
    """An agent that this installation knows."""

    name: str  # for requests
    type: str  # for people
    description: str
    takes_hooks: bool  # hooks can be installed for it
    has_hooks: bool = False  # all of them are installed, as this version writes them
    is_detected: bool = False  # it was used in this repository
    is_suggested: bool = False  # ``enable`` chooses it if none is named


class AgentHooksView(Value):
    """An agent's hooks that were installed or removed."""

    agent: str  # its type, for people
    scope: str  # project, user
    path: str  # the file that holds them
    count: int = 0  # entries written or removed


class HookLineView(Value):
    """A line that a hook file needs, because Entire does not write that file by itself."""

    path: str
    line: str
    is_added: bool = False


class GitHooksView(Value):
    """The git hooks as they were installed."""

    folder: str
    chained: tuple[str, ...] = ()  # hooks whose earlier script runs after ours
    set_aside: tuple[str, ...] = ()  # where earlier hooks were kept
    managers: tuple[str, ...] = ()  # programs that may overwrite our hooks
    refused: str = ""  # why git's own folder was left alone: it belongs to more than this repository, or is tracked
    lines: tuple[HookLineView, ...] = ()  # missing ones; commits are linked once they are there


class EnableView(Value):
    """What ``enable`` wrote. Paths are absolute."""

    agents: tuple[AgentHooksView, ...]
    git: GitHooksView
    push_sessions: bool
    removed: tuple[AgentHooksView, ...] = ()
    settings_files: tuple[str, ...] = ()  # written; none if they said all that already


class DisableView(Value):
    """What ``disable`` wrote."""

    is_set_up: bool  # there were settings at all
    settings_files: tuple[str, ...] = ()


class UninstallView(Value):
    """What ``uninstall`` removed, beside settings and session states."""

    agents: tuple[AgentHooksView, ...] = ()
    git_hooks: tuple[str, ...] = ()  # paths
    left: tuple[str, ...] = ()  # hook files with a line that calls our hook: it does nothing now
    step_branches: int = 0
    checkpoints_branch: str = ""  # which stays; '' if there is none


# ---------------------------------------------------------------- looking after it


class UnusedView(Value):
    """Data that is no longer used, and why. ``size`` in bytes, 0 where only git could tell."""

    kind: str  # steps, session, retained steps, scratch, snapshots, backup, leftover, undo point
    name: str
    reason: str
    size: int = 0
    ref: str = ""
    oid: str = ""
    paths: tuple[str, ...] = ()
    undo_id: str = ""  # of an undo point


class CleanView(Value):
    """What ``clean`` found and removed. ``notes``: what a person should know about what stays."""

    items: tuple[UnusedView, ...] = ()
    notes: tuple[str, ...] = ()
    removed: tuple[UnusedView, ...] = ()
    undo_id: str = ""  # '' if there is nothing to bring back


class ForgottenView(Value):
    """A session that a reset forgets. ``stays``: its state stays with what its checkpoints hold."""

    session_id: str
    agent: str
    steps: int = 0
    open_files: tuple[str, ...] = ()
    first_prompt: str = ""
    is_at_work: bool = False
    stays: bool = False


class StepsView(Value):
    """A branch of steps. ``others``: sessions that stand on it too, so that it stays."""

    name: str
    tip: str
    steps: int = 0
    others: tuple[str, ...] = ()


class ResetView(Value):
    """What a reset forgets, or forgot; ``undo_id`` once it did."""

    head: str
    sessions: tuple[ForgottenView, ...] = ()
    branches: tuple[StepsView, ...] = ()
    undo_id: str = ""

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to forget."""
        return not self.sessions and not any(not one.others for one in self.branches)

    @property
    def at_work(self) -> tuple[str, ...]:
        """The sessions with a turn in progress."""
        return tuple(one.session_id for one in self.sessions if one.is_at_work)


class FindingView(Value):
    """A problem, or with the severity ``note`` something to know. ``fixed``: it was repaired just now."""

    severity: str  # error, warning, note
    message: str
    hint: str = ""
    check: str = ""
    fixable: bool = False
    fixed: bool = False


class DoctorView(Value):
    """What the doctor found. ``failed``: repairs that did not succeed, and why."""

    findings: tuple[FindingView, ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def is_healthy(self) -> bool:
        """Tell whether nothing is left but notes."""
        return all(one.fixed or one.severity == "note" for one in self.findings)

    @property
    def fixable(self) -> tuple[FindingView, ...]:
        """The findings that can be repaired."""
        return tuple(one for one in self.findings if one.fixable)


class UndoneView(Value):
    """What an undo brought back. ``undo_id`` is its own undo point, ``undoes`` the one that it took back."""

    undo_id: str
    undoes: str
    title: str  # of what was undone
    refs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class ResumedView(Value):
    """A session to continue. ``what`` happens to its local transcript: written, cut, unchanged, kept."""

    session_id: str
    agent: str = ""  # its type, for people
    checkpoint_id: str = ""  # '': from a step, or from what lies on this disk
    prompt: str = ""  # the last one that is stored
    path: str = ""  # of the local transcript
    command: str = ""  # with which a person goes on
    what: str = "unchanged"
    is_newer: bool = False  # the local transcript has more than what is stored, or is younger
    problem: str = ""  # why it cannot be continued


class ResumeView(Value):
    """What a resume will do, or did. ``undo_id`` is there once transcripts were changed."""

    branch: str = ""  # that was asked for; '' for a commit, a checkpoint or a session
    switches: bool = False  # the branch is checked out first
    changed: tuple[str, ...] = ()  # files with uncommitted changes, where a branch is checked out
    commit: str = ""  # whose checkpoints these are
    subject: str = ""
    newer: int = 0  # commits of the branch after it
    elsewhere: str = ""  # the newest linked commit, where it is not the branch's own
    sessions: tuple[ResumedView, ...] = ()  # the one that went on last at the end
    missing: tuple[str, ...] = ()  # checkpoints that are not stored here, nor on a remote that could be asked
    hint: str = ""  # what to do about those
    undo_id: str = ""


class ResumeUndoneView(Value):
    """What the undo of a resume did."""

    undo_id: str  # which takes this back
    undone: str  # the id of what was taken back
    paths: tuple[str, ...] = ()  # of the transcripts and other private files that changed
    session_ids: tuple[str, ...] = ()
