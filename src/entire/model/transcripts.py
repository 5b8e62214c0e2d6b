"""What adapters report about transcripts: positions, prompts, tokens, subagents."""

from __future__ import annotations

from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any, BinaryIO, Protocol

    class LongContent(Protocol):
        """Bytes that are too many for memory, and stay where they are (``entire.contents``)."""

        def __len__(self) -> int: ...

        def __bytes__(self) -> bytes: ...

        def part(self, start: int, stop: int) -> Content: ...

        def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]: ...

        def open(self) -> BinaryIO: ...

    Content = bytes | LongContent


class Position(Value):
    """A place between two records of a transcript, made by its adapter. Elsewhere it is stored and handed back, but not
    compared or computed with: a transcript may be rewritten, and only its adapter knows what that means.

    ``count``: the records before it, in the agent's unit (lines of a JSONL file, messages of a document); metadata and
    people see it. ``byte`` and ``mark`` are the adapter's own, such as a file offset (0 with a count above 0: unknown)
    and the id of the last API answer before it, because an answer's records can be on both sides.
    """

    count: int = 0
    byte: int = 0
    mark: str = ""

    def to_json(self) -> list[int | str]:
        return [self.count, self.byte, self.mark]

    @classmethod
    def from_json(cls, value: Sequence[Any] | None) -> Position:
        """Return a position from its stored form; START for none."""
        count, byte, mark = value or (0, 0, "")
        return cls(count=count, byte=byte, mark=mark)


START = Position()


class SessionRef(str):
    """Says where the agent keeps a session: it is a file or folder, rows of a database, or what a program answers.

    Its text is what events, states and plugins carry: an absolute path, ``rows:<path of the database>#<session>``, or
    anything else, which only the agent's own program understands.
    """

    __slots__ = ()

    @classmethod
    def of_rows(cls, database: str, session: str) -> SessionRef:
        """Return the reference to what a database, which is a file, holds of a session."""
        return cls(f"{_ROWS}{database}#{session}")

    @property
    def file(self) -> str:
        """The path of the file or folder; '' if this is not a path."""
        return str(self) if self[:1] == "/" else ""

    @property
    def database(self) -> str:
        """The path of the database; '' if it is in none."""
        return self.removeprefix(_ROWS).rpartition("#")[0] if self.startswith(f"{_ROWS}/") else ""

    @property
    def key(self) -> str:
        """What names the session in its database, or to its agent's program; '' for a file."""
        return self.rpartition("#")[2] if self.database else "" if self.file else str(self)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that change with it: what is not written to its database yet is beside that."""
        database = self.database
        return (database, f"{database}-wal") if database else (self.file,) if self.file else ()


_ROWS = "rows:"


class Agreement(Value):
    """How a stored transcript, which is redacted, and the agent's own agree from their beginning."""

    common: Content  # the agent's own content, as far as both agree
    joined: Content  # that, and then what only the stored one has after it
    extent: int  # how much of the stored one agrees: larger is more
    stored_is_longer: bool  # the stored one goes on after it
    own_is_longer: bool  # the agent's own goes on after it


class FileLines(Value):
    """The lines of a transcript up to a position: their number and size in bytes. They are in the file ``path``, which
    only grows, or, with the path '', they are the ``content`` that an adapter composed of something else.

    ``settled``: how many bytes of the content do not change any more; None: all but those of its last line.
    """

    path: str = ""
    lines: int
    size: int
    content: bytes = b""
    settled: int | None = None


class StoredLines(Value):
    """How much of a transcript is stored in parts. ``mark``: a hash of what precedes the end."""

    lines: int = 0  # 0 if it is stored whole, in one part
    size: int = 0
    mark: str = ""


def cut_record(size: int) -> bytes:
    """Return the JSON record that stands for one of ``size`` bytes which is too large."""
    return f'{{"type":"cut","bytes":{size}}}'.encode()


class FileReport(Value):
    """A file that a tool reports as changed. ``call``: the id of the tool call, '' if the agent does not tell."""

    path: str
    call: str = ""


class SessionFile(Value):
    """A session that the agent itself keeps: its transcript, and when that changed (seconds since the epoch)."""

    session_id: str
    session_ref: str
    changed: float


class Edit(Value):
    """A text that a tool call wrote into a file. ``path`` is as the agent gave it, maybe absolute on another machine.

    ``old`` is what it replaced, '' if there was nothing or it is unknown. ``is_whole``: ``new`` is the whole file.
    """

    path: str
    old: str = ""
    new: str = ""
    is_whole: bool = False


class ToolCall(Value):
    """What a tool was asked to do, and what it answered. ``id`` is the agent's; ``command``: a shell command it ran."""

    id: str = ""
    command: str = ""
    edits: tuple[Edit, ...] = ()
    output: str = ""  # complete; '' if nothing is recorded
    has_failed: bool = False  # the agent recorded an error, or the command's exit code was not 0
    subagent: str = ""  # the task, in a few words, if the call started a subagent


class Message(Value):
    """A text or tool call, for display. ``who``: user, agent or tool; ``at``: records before it; ``name``: the tool's
    name, whose ``text`` is the most telling argument. ``time`` is in seconds since the epoch, 0 if it is not recorded.
    """

    who: str
    text: str
    at: int
    name: str = ""
    time: float = 0.0
    call: ToolCall | None = None  # of a tool's message


class TokenUsage(Value):
    """Tokens of API answers, each counted once; ``subagents``: what subagents used, or None.

    A figure is None if it is unknown; 0 is known. ``at_least`` names the figures that are sums of known and unknown
    parts, in the order of ``FIGURES``: the known ones then say too little. A sum of 0 and an unknown part is unknown.

    ``reasoning_tokens``: what the model took to think, as far as its agent tells (``conversation.responses``); as many
    of them as ``reasoning_beside`` says are not in ``output_tokens``.
    """

    input_tokens: int | None = 0
    cache_creation_tokens: int | None = 0
    cache_read_tokens: int | None = 0
    output_tokens: int | None = 0
    api_call_count: int | None = 0
    subagents: TokenUsage | None = None
    at_least: tuple[str, ...] = ()
    reasoning_tokens: int | None = None
    reasoning_beside: int = 0

    def __bool__(self) -> bool:
        """Tell whether this is more than a known zero."""
        return bool(self.subagents) or any(getattr(self, name) != 0 for name in FIGURES)

    def __add__(self, other: TokenUsage) -> TokenUsage:
        mine, theirs = self.subagents, other.subagents
        summed = of_figures(
            {name: (getattr(self, name) or 0) + (getattr(other, name) or 0) for name in FIGURES},
            {*uncertain(self), *uncertain(other)},
            mine + theirs if mine is not None and theirs is not None else theirs if mine is None else mine,
        )
        thoughts = [usage.reasoning_tokens for usage in (self, other) if usage.reasoning_tokens is not None]
        beside = self.reasoning_beside + other.reasoning_beside
        return summed.with_reasoning(sum(thoughts), beside) if thoughts else summed

    def with_reasoning(self, thoughts: int | None, beside: int) -> TokenUsage:
        return TokenUsage(**{**self.__dict__, "reasoning_tokens": thoughts, "reasoning_beside": beside})


class ModelTokens(Value):
    """What an API response took. ``at``: the record that tells; ``model``: '' if it is unknown."""

    at: int
    model: str
    tokens: TokenUsage


def by_model(told: Iterable[ModelTokens]) -> dict[str, TokenUsage]:
    """Sum up tokens for each model, in the order in which they were first used."""
    tokens: dict[str, TokenUsage] = {}
    for each in told:
        tokens[each.model] = tokens.get(each.model, TokenUsage()) + each.tokens
    return tokens


FIGURES = ("input_tokens", "cache_creation_tokens", "cache_read_tokens", "output_tokens", "api_call_count")
UNKNOWN = TokenUsage(
    input_tokens=None, cache_creation_tokens=None, cache_read_tokens=None, output_tokens=None, api_call_count=None
)


def of_figures(known: Mapping[str, int], too_low: Collection[str], subagents: TokenUsage | None = None) -> TokenUsage:
    """Return the usage with these known parts of the figures; ``too_low``: those that also have unknown parts."""
    figures: dict[str, Any] = {name: None if name in too_low and not known[name] else known[name] for name in FIGURES}
    return TokenUsage(
        **figures, subagents=subagents, at_least=tuple(name for name in FIGURES if name in too_low and known[name])
    )


def uncertain(usage: TokenUsage) -> list[str]:
    """Return the figures that are unknown or have unknown parts."""
    return [name for name in FIGURES if getattr(usage, name) is None or name in usage.at_least]


def total(usages: Iterable[TokenUsage | None]) -> TokenUsage | None:
    """Return the sum of usages of which None is unknown; None if nothing of it is known."""
    summed = TokenUsage()
    for usage in usages:
        summed += UNKNOWN if usage is None else usage
    return None if summed == UNKNOWN else summed


class Subagent(Value):
    """A subagent that ran. ``session_ref``: its own transcript, as ``Agent.transcript`` takes it; '' if it has none."""

    id: str
    session_ref: str = ""
    tool_use_id: str = ""
    type: str = ""
    description: str = ""
    background: bool = False  # started without waiting: may write after its turn's end

    def updated(self, later: Subagent) -> Subagent:
        """Return it with what a later record says about it."""
        told: dict[str, Any] = {name: value for name, value in vars(later).items() if value}
        return replace(self, **told)
