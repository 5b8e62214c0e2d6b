"""What adapters report about transcripts: positions, prompts, tokens, subagents."""

from __future__ import annotations

from entire.model.value import Value


class Position(Value):
    """A place between two records of a transcript.

    ``count`` is in the agent's unit (lines of a JSONL file, messages of a document) and is stored in metadata. ``byte``
    is the file offset, so that reading on covers only new data (0 with a count above 0: unknown). ``mark`` is the id of
    the last API answer before it, because an answer's records can be on both sides.
    """

    count: int = 0
    byte: int = 0
    mark: str = ""


START = Position()


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
    """A subagent that ran. ``session_ref`` is its own transcript, '' if it has none."""

    id: str
    session_ref: str = ""
    tool_use_id: str = ""
    type: str = ""
    description: str = ""
    background: bool = False  # started without waiting: may write after its turn's end
