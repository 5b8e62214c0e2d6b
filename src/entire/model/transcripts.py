"""What adapters report about transcripts: positions, prompts, tokens, subagents."""

from __future__ import annotations

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


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


class Agreement(Value):
    """How a stored transcript, which is redacted, and the agent's own agree from their beginning."""

    common: bytes  # the agent's own content, as far as both agree
    joined: bytes  # that, and then what only the stored one has after it
    extent: int  # how much of the stored one agrees: larger is more
    stored_is_longer: bool  # the stored one goes on after it
    own_is_longer: bool  # the agent's own goes on after it


class FileLines(Value):
    """The lines of a transcript that is a file which only grows, up to a position: their number and size in bytes."""

    path: str
    lines: int
    size: int


class StoredLines(Value):
    """How much of a transcript that grows by lines is stored in parts. ``mark``: a hash of what precedes the end."""

    lines: int = 0
    size: int = 0
    mark: str = ""


class FileReport(Value):
    """A file that a tool reports as changed. ``call``: the id of the tool call, '' if the agent does not tell."""

    path: str
    call: str = ""


class SessionFile(Value):
    """A session that the agent itself keeps: its transcript, and when that changed (seconds since the epoch)."""

    session_id: str
    session_ref: str
    changed: float


class Prompt(Value):
    """A person's prompt. ``position``: the number of records before it; ``id``: the agent's id of the turn."""

    text: str
    position: int
    time: float = 0.0
    id: str = ""


class TokenUsage(Value):
    """Tokens of API answers, each counted once; ``subagents``: what subagents used, or None."""

    input_tokens: int = 0
    cache_creation_tokens: int = 0
    cache_read_tokens: int = 0
    output_tokens: int = 0
    api_call_count: int = 0
    subagents: TokenUsage | None = None

    def __bool__(self) -> bool:
        return any(
            (
                self.input_tokens,
                self.cache_creation_tokens,
                self.cache_read_tokens,
                self.output_tokens,
                self.api_call_count,
                self.subagents,
            )
        )

    def __add__(self, other: TokenUsage) -> TokenUsage:
        mine, theirs = self.subagents, other.subagents
        return TokenUsage(
            input_tokens=self.input_tokens + other.input_tokens,
            cache_creation_tokens=self.cache_creation_tokens + other.cache_creation_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            api_call_count=self.api_call_count + other.api_call_count,
            subagents=mine + theirs if mine and theirs else mine or theirs,
        )


class Subagent(Value):
    """A subagent that ran. ``session_ref``: its own transcript, as ``Agent.transcript`` takes it; '' if it has none."""

    id: str
    session_ref: str = ""
    tool_use_id: str = ""
    type: str = ""
    description: str = ""
    background: bool = False  # started without waiting: may write after its turn's end
