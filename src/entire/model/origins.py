"""Where lines come from: the turn that wrote them, a person's commit, or the reason why that is not known."""

from __future__ import annotations

from entire.model.choice import Choice
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.transcripts import ToolCall


class WhyRequest(Value):
    """Which lines to ask about. ``path`` is relative to the worktree, with slashes."""

    path: str = ""
    rev: str = ""  # any revision that git understands; '': the file as it is in the worktree
    first: int = 0  # 0: all lines of the file
    last: int = 0  # 0: only ``first``
    is_uncommitted: bool = False  # only lines that are not committed; without a path, those of every file


class OriginKind(Choice):
    """Who wrote a line."""

    TURN = "turn"
    PERSON = "person"
    UNKNOWN = "unknown"


class Origin(Value):
    """Who wrote a line, and the commit that brought it in. Empty fields are not known, or not recorded."""

    kind: OriginKind
    reason: str = ""  # why it is unknown
    is_evidence: bool = False  # the turn is a conclusion, not a record: nothing else can have written the line
    commit: str = ""  # that added the line, as `git blame` finds it; '': the line is not committed
    author: str = ""
    subject: str = ""
    time: float = 0.0  # when the commit was authored
    path: str = ""  # of the file in that commit
    checkpoint_id: str = ""  # that holds the turn
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
    call: ToolCall | None = None  # that wrote the lines, if a single line or range was asked for


class FileOrigins(Value):
    """The origins of a file's lines, in order."""

    path: str
    ranges: tuple[LineRange, ...] = ()
    lines: tuple[str, ...] = ()  # the text of the lines that the ranges cover, without line ends
    is_binary: bool = False


class WhyView(Value):
    """The answer: one file, or every file with uncommitted lines. ``rev`` is a commit's id, '' for the worktree."""

    rev: str = ""
    files: tuple[FileOrigins, ...] = ()
