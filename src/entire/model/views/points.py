"""Points, and rewinds to them."""

from __future__ import annotations

from entire.model.value import Value


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
