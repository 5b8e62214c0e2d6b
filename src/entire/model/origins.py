"""Where lines come from: the turn that wrote them, a person's commit, or the reason why that is not known."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.views.checkpoints import MessageView

TURN, PERSON, UNKNOWN = "turn", "person", "unknown"
"""Who wrote a line: the kinds of origins."""


class WhyRequest(Value):
    """Which lines to ask about.

    ``target`` is what a person writes, relative to ``folder``: ``FILE``, ``FILE:LINE``, ``FILE:FIRST-LAST``, each also
    after ``REV:``. A program can set the other fields instead; ``path`` is relative to the worktree, with slashes.
    """

    target: str = ""
    folder: str = ""  # absolute; '': the worktree's root
    path: str = ""
    rev: str = ""  # any revision that git understands; '': the file as it is in the worktree
    first: int = 0  # 0: all lines of the file
    last: int = 0  # 0: only ``first``
    is_uncommitted: bool = False  # only lines that are not committed; without a path, those of every file


class Origin(Value):
    """Who wrote a line, and the commit that brought it in. Empty fields are not known, or not recorded."""

    kind: str  # TURN, PERSON, UNKNOWN
    reason: str = ""  # why it is unknown
    is_evidence: bool = False  # a conclusion, not a record: nothing else can have written the line
    commit: str = ""  # that added the line; '': it is not committed
    original: str = ""  # the commit that ``commit`` is a copy of, if the line was looked up there
    moved_in: str = ""  # the commit that moved or copied the line to where it is now
    author: str = ""  # of the commit
    subject: str = ""
    time: float = 0.0  # when the commit was authored
    path: str = ""  # of the file in the commit
    checkpoint_id: str = ""
    session_id: str = ""
    turn: str = ""
    agent: str = ""  # display name
    model: str = ""
    started: float = 0.0
    prompt: str = ""  # complete, redacted


class LineRange(Value):
    """Neighbouring lines of the same origin."""

    first: int  # in the version that was asked for, from 1
    last: int
    origin: Origin
    source_line: int = 0  # the number of the first line in the commit's version
    call: MessageView | None = None  # the tool call that wrote the lines, if single lines were asked for
    no_call: str = ""  # else why none is named


class FileOrigins(Value):
    """The origins of a file's lines, in order. A binary file has one range, without numbers."""

    path: str
    ranges: tuple[LineRange, ...] = ()
    lines: tuple[str, ...] = ()  # the text of the lines that the ranges cover, without line ends
    is_binary: bool = False
    status: str = ""  # of a file with uncommitted changes: git's letter
    old_path: str = ""  # in HEAD, if it was moved since
    change: Origin | None = None  # who created, deleted or moved it, changed its mode, or wrote it as a binary one


class WhyView(Value):
    """The answer: one file, or every file with uncommitted lines. ``rev`` is a commit's id, '' for the worktree."""

    rev: str = ""
    is_of_lines: bool = False  # single lines were asked about, not whole files
    is_of_worktree: bool = False  # no file was named
    files: tuple[FileOrigins, ...] = ()


class BlamedCommit(Value):
    """A commit as ``git blame`` shows it."""

    oid: str  # zeros: not committed
    author: str
    mail: str  # in angle brackets
    time: float
    zone: str  # of the author, such as ``+0100``
    is_boundary: bool = False


class BlamedLines(Value):
    """Neighbouring lines of one commit and one origin, as git stores them."""

    commit: BlamedCommit
    path: str  # in the commit
    source_line: int  # the number of the first line in the commit
    first: int  # and in the version that was asked for
    lines: tuple[bytes, ...]
    origin: Origin


class BlameView(Value):
    """What ``git blame`` says, with origins: as ranges in order, and as git printed it in a porcelain form."""

    ranges: tuple[BlamedLines, ...] = ()
    porcelain: bytes = b""
    dates: dict[str, str] = {}  # by commit, if they were asked for in another form than git's own
