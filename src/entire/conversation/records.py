"""The records of a conversation, in our terms: what an adapter yields while it reads a transcript, in order.

A native record gives none, one or several of them. ``position`` numbers the native record: how
many precede it. ``time`` is in seconds since the epoch (0.0: not recorded). What only display needs (outputs, edits,
subjects) is there if the reader asked for ``details``.
"""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.tokens import TokenUsage
    from entire.model.transcripts import Edit, Subagent

    Seen = tuple[str, int, float, str]
    # What a record is, its number, its time, and the id of its tool call: '' for a tool that only writes, reads or
    # searches.

PERSON, AGENT, LOCAL = "person", "agent", "local"
"""Who a prompt is by. AGENT: a subagent's task. LOCAL: a command to the agent itself, such as ``/compact``; it is a
person's prompt if an ``EXPANDED`` mark follows.
"""

SHELL, WRITE, EDIT, READ, SEARCH, FETCH, ASK, SUBAGENT, OTHER = (
    "shell", "write", "edit", "read", "search", "fetch", "ask", "subagent", "other",
)  # fmt: skip
"""What a tool does. OTHER may run programs: it belongs to no other kind, or is not known."""

RUNNING = frozenset((SHELL, SUBAGENT, OTHER))
"""Tools that can change files which they do not report."""

ASKED, ANSWERED, OPEN, CALLED, ENDED, STOPPED = "asked", "answered", "open", "called", "ended", "stopped"
"""What a record is, as far as it matters for when tools were at work (``windows``). OPEN: an answer whose calls are
written down only when they are done.
"""

INTERRUPTED = "interrupted"
"""The user stopped the agent."""
REWOUND = "rewound"
"""What was said from record ``first`` on (-1: from the start) up to here was taken back."""
MOVED = "moved"
"""The conversation goes on after the prompt at record ``first`` (-1: before all that were read)."""
RESTARTED = "restarted"
"""The prompt at record ``first`` turned out to start the conversation again."""
EXPANDED = "expanded"
"""The local prompt at record ``first`` was expanded, and so is a prompt to the model."""
UNKNOWN = "unknown"
"""A record of a type that says nothing to people; ``text`` is the type."""


class Prompt(Value):
    """A prompt. ``id``: the agent's id of the turn, '' if it has none."""

    position: int
    text: str
    time: float = 0.0
    id: str = ""
    by: str = PERSON


class Answer(Value):
    """A part of an API response; all parts have its ``id``.

    ``end``: the byte after the native record, 0 where bytes say nothing, as in a document. ``usage``: the tokens of the
    whole response; None if this part does not tell.
    """

    position: int
    id: str
    end: int = 0
    time: float = 0.0
    text: str = ""
    model: str = ""
    usage: TokenUsage | None = None
    is_local: bool = False  # the agent's own words, such as an API error
    is_open: bool = False  # its calls, if it made any, are written down when they are done
    is_again: bool = False  # says all that earlier parts said, and may go on


class Call(Value):
    """A tool call. ``answer``: the id of the response that made it, which ends with its last call (``end``: the byte
    after the native record); ``subject``: its most telling argument.
    """

    position: int
    id: str
    end: int = 0
    time: float = 0.0
    answer: str = ""
    tool: str = OTHER
    name: str = ""
    subject: str = ""
    command: str = ""
    edits: tuple[Edit, ...] = ()
    task: Subagent | None = None  # the subagent that it starts


class Result(Value):
    """What a tool answered, or the notice that its work in the background ended (``is_notice``)."""

    position: int
    call: str
    time: float = 0.0
    output: str = ""
    has_failed: bool = False
    paths: tuple[str, ...] = ()  # that it changed, if it has not failed
    edits: tuple[Edit, ...] = ()  # of what a shell command changed
    commits: tuple[str, ...] = ()  # abbreviated ids of the commits that git said it made
    task: Subagent | None = None  # the subagent that it is about
    goes_on: bool = False  # it only says that the tool works on in the background
    is_notice: bool = False


class Mark(Value):
    """A note of the agent about the conversation; ``kind`` is one of the constants above."""

    position: int
    kind: str
    time: float = 0.0
    first: int = -1
    text: str = ""


Record = Prompt | Answer | Call | Result | Mark


def is_before(at: int, stop: int | None) -> bool:
    """Tell whether a record comes before ``stop``; None: there is no end."""
    return stop is None or at < stop
