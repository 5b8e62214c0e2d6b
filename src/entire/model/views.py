"""What a workspace returns: plain values for commands and programs. Times are seconds since the epoch."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.digests import PartDigest
    from entire.model.records import Attribution, Summary
    from entire.model.transcripts import TokenUsage, ToolCall


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


class UnlinkedView(Value):
    """A commit near a live session that was not linked, and why."""

    commit: str
    subject: str
    reason: str
    time: float


class HookView(Value):
    """The health of one group of hooks: git's, or an agent's in one scope."""

    name: str
    where: str
    is_installed: bool  # completely, and the agent runs them
    problem: str = ""
    remedies: tuple[str, ...] = ()  # what to do about it, in the imperative
    status: str = ""  # installed, missing, stale, untrusted, disabled (by the user) or unknown
    other_paths: tuple[str, ...] = ()  # the other files of an agent that keeps its hooks in several
    problems: tuple[str, ...] = ()  # each by itself, where there may be several
    tested_versions: tuple[str, ...] = ()  # of the agent, oldest first
    version: str = ""  # of the agent in its newest session here, if that tells


class UnrecordedView(Value):
    """Sessions of an agent that were not recorded although its hooks are installed, the latest first."""

    agent: str  # display name
    session_ids: tuple[str, ...]
    problem: str = ""
    hint: str = ""  # what to do


class StatusView(Value):
    """The state of a worktree."""

    enabled: bool
    is_set_up: bool  # settings exist
    strategy: str
    branch: str
    top: str
    push_sessions: bool | None
    push_sessions_file: str = ""  # the settings file that says so
    is_pushing: bool = False  # push_sessions is true, and `enable` has run with it in this clone
    sessions: tuple[SessionView, ...] = ()
    unlinked: tuple[UnlinkedView, ...] = ()
    hooks: tuple[HookView, ...] = ()
    lacks_agent_hooks: bool = False  # none are installed; False if a plugin that cannot run may have some
    unrecorded: tuple[UnrecordedView, ...] = ()
    checkpoints: int = 0
    unpushed: Mapping[str, int] = {}  # remote: number of commits of the checkpoints branch that it lacks
    settings_files: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    failures: int = 0  # errors in the log
    log: str = ""  # path of the log
    holding: Mapping[str, str] = {}  # remotes that still have what was forgotten here: the command that replaces it
    is_audit_due: bool = False  # the rules for secrets have changed since the last audit
    is_secret_revealed: bool = False  # one was found that checkpoints may hold; an audit tells where


class PointView(Value):
    """A point to rewind to: a step, a subagent's step, a checkpoint, a turn that changed no file, or the start of a
    turn. All but the last are after their prompt.
    """

    id: str  # the step's commit; the user's commit of a checkpoint; the turn's id of a turn without changes
    kind: str  # step, task, checkpoint, turn, start
    time: float
    session_id: str
    agent: str = ""
    prompt: str = ""
    message: str = ""  # the commit's subject
    session_prompt: str = ""  # the session's first prompt
    metadata_dir: str = ""
    tool_use_id: str = ""  # of a subagent's step, or of the checkpoint of a subagent's own commit
    checkpoint_id: str = ""
    parent: str = ""  # of a subagent's step: the id of the point it belongs to
    is_before_prompt: bool = False
    before_prompt: str = ""  # of the end of a turn: the id of the point at its start, if its files are still recorded
    prompted: float = 0.0  # when that turn started
    is_condensed: bool = False  # a step that a commit holds already
    files: tuple[str, ...] = ()
    added: int = 0  # lines
    removed: int = 0


class EditView(Value):
    """One path that a rewind changes. ``what``: write, create, delete, merge, conflict."""

    path: str
    what: str


class LeftView(Value):
    """A path that differs from the point but is left unchanged, and why."""

    path: str
    reason: str


class ConversationView(Value):
    """What happens to a session's transcript. ``what``: cut, removed (it began after the point), written, unchanged,
    missing.
    """

    session_id: str
    agent: str = ""  # display name
    path: str = ""
    what: str = "unchanged"
    command: str = ""  # that continues the session
    is_open: bool = False  # its agent is still running
    pid: int = 0
    problem: str = ""  # why it stays as it is, although it would have to change


class RewindView(Value):
    """What a rewind will do, or did. ``undo_id`` is set once it was carried out."""

    title: str
    point: PointView | None = None  # None: an undo
    edits: tuple[EditView, ...] = ()
    left: tuple[LeftView, ...] = ()
    yours: tuple[str, ...] = ()  # paths with the user's own edits since: removed, or merged with ``keep_mine``
    uncommitted: tuple[str, ...] = ()  # with ``reset``: in no commit then, so they stay but leave the branch
    untouched: int = 0  # files that differ from the point and stay, because no session changed them
    logs_only: bool = False  # the files were not compared
    conversations: tuple[ConversationView, ...] = ()
    others: tuple[str, ...] = ()  # other sessions that worked since; their conversations are unchanged
    branch: str = ""  # that is moved, with ``reset``
    moved_to: str = ""
    backup: str = ""  # the ref that keeps the branch's old commit
    shared: tuple[str, ...] = ()  # other branches that hold commits which the branch leaves, with ``reset``
    taken_back: tuple[str, ...] = ()  # with ``take_back``: the commits that a new one takes back, newest first
    commit: str = ""  # the new commit, once it is made
    undo_id: str = ""


class WaysBackView(Value):
    """What a rewind to a commit's checkpoint can do about the commits after it."""

    has_later_commits: bool
    may_move: bool = False  # whether the branch can be moved to the commit
    may_take_back: bool = False  # whether sessions' commits are among them, for a new one to take back
    shared: tuple[str, ...] = ()  # other branches that hold commits which the branch would leave


class ChangeView(Value):
    """What a command changed, as one that can be undone."""

    id: str
    command: str
    title: str
    time: float
    is_undone: bool = False
    can_undo: bool = False  # it is the last one of its command


class UndoView(Value):
    """The state saved before a rewind or an undo changed anything."""

    id: str
    time: float
    title: str  # of the rewind or undo
    files: tuple[str, ...] = ()  # that it changed
    session_ids: tuple[str, ...] = ()  # whose conversations it changed


# ---------------------------------------------------------------- setup


class AgentView(Value):
    """An agent that this installation supports."""

    name: str  # for requests
    type: str  # display name
    description: str
    takes_hooks: bool  # hooks can be installed for it
    has_hooks: bool = False  # some are installed; ``hooks_status`` tells whether they run
    hooks_status: str = "missing"  # as in HookView
    is_detected: bool = False  # it was used in this repository
    is_suggested: bool = False  # ``enable`` chooses it by default
    is_offered: bool = True  # ``enable`` lists it: it is no example, or its hooks are here


class PluginView(Value):
    """A plugin on PATH. What it says of itself is known only if it may run."""

    name: str
    path: str  # as found on PATH
    real_path: str  # the file itself, where ``path`` is a link
    state: str  # allowed, allowed by settings, denied, changed, not allowed, shadowed, inside the repository, invalid
    is_usable: bool = False
    problem: str = ""  # why it cannot be used
    type: str = ""
    description: str = ""
    hook_names: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()


class PluginProblemView(Value):
    """What keeps a plugin from working in a repository."""

    name: str
    problem: str
    hint: str
    is_past: bool = False  # it failed, and may work by now


class AgentHooksView(Value):
    """An agent's hooks, installed or removed."""

    agent: str  # display name
    scope: str  # project, user
    path: str  # the file that holds them, '' if Entire cannot install them
    count: int = 0  # entries written or removed
    other_paths: tuple[str, ...] = ()  # the other files, where an agent keeps its hooks in several
    problem: str = ""  # why the agent does not run them
    remedy: str = ""  # what to do about it, in the imperative
    plugin: str = ""  # the executable that keeps the hooks, of an agent connected by a plugin
    note: str = ""  # what was written besides hooks


class HooksLeftView(Value):
    """Hooks of a plugin that could not be removed."""

    name: str
    problem: str
    output: str  # what the plugin printed on standard error, unchanged
    command: str  # to run by hand


class HookLineView(Value):
    """A line to add to a hook file that Entire does not write itself."""

    path: str
    line: str
    is_added: bool = False
    is_to_commit: bool = False  # it was added to a file that belongs in git


class GitHooksView(Value):
    """The git hooks as they were installed."""

    folder: str
    chained: tuple[str, ...] = ()  # hooks whose existing script runs after ours
    set_aside: tuple[str, ...] = ()  # where existing hooks were moved to
    managers: tuple[str, ...] = ()  # programs that may overwrite our hooks
    refused: str = ""  # why git's hooks folder was not written: it is shared with other repositories, or tracked
    lines: tuple[HookLineView, ...] = ()  # missing lines; commits are linked once they are added


class EnableView(Value):
    """What ``enable`` wrote. Paths are absolute."""

    agents: tuple[AgentHooksView, ...]
    git: GitHooksView
    push_sessions: bool
    commits_turns: bool = False  # the work of each turn is committed at its end
    removed: tuple[AgentHooksView, ...] = ()
    settings_files: tuple[str, ...] = ()  # written; none if nothing changed
    warnings: tuple[str, ...] = ()  # plugins that failed, so that it is not known whether their agents are used
    to_commit: tuple[str, ...] = ()  # of the files written, those that belong in git and are not committed yet


class DisableView(Value):
    """What ``disable`` wrote."""

    is_set_up: bool  # settings existed
    settings_files: tuple[str, ...] = ()


class UninstallView(Value):
    """What ``uninstall`` removed, besides settings and session states."""

    agents: tuple[AgentHooksView, ...] = ()
    failures: tuple[HooksLeftView, ...] = ()
    git_hooks: tuple[str, ...] = ()  # paths
    restored: tuple[str, ...] = ()  # earlier hooks that run again
    moved: tuple[str, ...] = ()  # where earlier hooks are now that another program has replaced
    edited: tuple[str, ...] = ()  # hook files of others from which our line was removed
    git_settings: tuple[str, ...] = ()  # that hid our refs
    left: tuple[str, ...] = ()  # hook files that still call our hook, which does nothing now
    user_hooks: tuple[AgentHooksView, ...] = ()  # left in the user's own agent settings
    shared_with: str = ""  # in a linked worktree: the main one, which has the same git hooks and session states
    step_branches: int = 0
    checkpoints_branch: str = ""  # kept; '' if there is none


# ---------------------------------------------------------------- maintenance


class UnusedView(Value):
    """Unused data, and why it is unused. ``size`` in bytes, 0 for data in git."""

    kind: str  # steps, session, retained steps, scratch, snapshots, backup, leftover, undo point
    name: str
    reason: str
    size: int = 0
    ref: str = ""
    oid: str = ""
    paths: tuple[str, ...] = ()
    undo_id: str = ""  # of an undo point


class CleanView(Value):
    """What ``clean`` found and deleted. ``notes`` explain what is kept."""

    items: tuple[UnusedView, ...] = ()
    notes: tuple[str, ...] = ()
    removed: tuple[UnusedView, ...] = ()
    undo_id: str = ""  # '' if there is nothing to restore


class ForgottenView(Value):
    """A session that a reset discards. ``stays``: its state is kept, reduced to what its checkpoints hold."""

    session_id: str
    agent: str
    steps: int = 0
    open_files: tuple[str, ...] = ()
    first_prompt: str = ""
    is_at_work: bool = False
    stays: bool = False


class StepsView(Value):
    """A shadow branch. ``others``: sessions that also use it, so it is kept."""

    name: str
    tip: str
    steps: int = 0
    others: tuple[str, ...] = ()


class ResetView(Value):
    """What a reset will discard, or discarded; ``undo_id`` is set once it did."""

    head: str
    sessions: tuple[ForgottenView, ...] = ()
    branches: tuple[StepsView, ...] = ()
    undo_id: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to discard."""
        return not self.sessions and not any(not branch.others for branch in self.branches)

    @property
    def at_work(self) -> tuple[str, ...]:
        """The sessions with a running turn."""
        return tuple(session.session_id for session in self.sessions if session.is_at_work)


class FindingView(Value):
    """A problem, or with severity ``note`` a remark. ``fixed``: this run repaired it, or as ``remedy`` says."""

    severity: str  # error, warning, note
    message: str
    hint: str = ""
    check: str = ""
    fixable: bool = False
    fixed: bool = False
    remedy: str = "fixed"  # or dropped: what was to be repaired is gone


class DoctorView(Value):
    """What the doctor found. ``failed``: repairs that failed, and why."""

    findings: tuple[FindingView, ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is left but notes."""
        return all(finding.fixed or finding.severity == "note" for finding in self.findings)

    @property
    def fixable(self) -> tuple[FindingView, ...]:
        """The findings that can be repaired."""
        return tuple(finding for finding in self.findings if finding.fixable)


class UndoneView(Value):
    """What an undo restored. ``undo_id`` is its own undo point, ``undoes`` the one that it reverted."""

    undo_id: str
    undoes: str
    title: str  # of what was undone
    refs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class ResumedView(Value):
    """A session to continue. ``what`` happens to its local transcript: written, cut, unchanged, kept."""

    session_id: str
    agent: str = ""  # display name
    checkpoint_id: str = ""  # '': from a step or a local file
    prompt: str = ""  # the last stored one
    path: str = ""  # of the local transcript
    command: str = ""  # that continues the session
    what: str = "unchanged"
    is_newer: bool = False  # the local transcript is longer or newer than the stored one
    problem: str = ""  # why it cannot be resumed
    is_damaged: bool = False  # because git lacks a part of its stored transcript


class ResumeView(Value):
    """What a resume will do, or did. ``undo_id`` is set once transcripts were changed."""

    branch: str = ""  # the requested one; '' for a commit, checkpoint or session
    switches: bool = False  # the branch is checked out first
    changed: tuple[str, ...] = ()  # files with uncommitted changes, if a branch is to be checked out
    commit: str = ""  # whose checkpoints are resumed
    subject: str = ""
    newer: int = 0  # commits of the branch after it
    elsewhere: str = ""  # the newest linked commit, if it is not the branch's own
    sessions: tuple[ResumedView, ...] = ()  # the most recently active one last
    undo_id: str = ""


class ResumeUndoneView(Value):
    """What the undo of a resume did."""

    undo_id: str  # that reverts this undo
    undone: str  # the undo point that was restored
    paths: tuple[str, ...] = ()  # of changed transcripts and other agent files
    session_ids: tuple[str, ...] = ()
