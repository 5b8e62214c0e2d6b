"""What a scripted model says: turns, their answers, and the neutral form of what an agent asks.

An answer is found from the conversation alone (the newest prompt that the script knows, and how many answers it already
got), so several sessions, subagents and resumed conversations need no set-up.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens of one answer, by the counters that providers report; those of `reasoning` are part of the output."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_creation: int = 0
    reasoning: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_creation=self.cache_creation + other.cache_creation,
            reasoning=self.reasoning + other.reasoning,
        )


@dataclass(frozen=True, kw_only=True)
class Text:
    """A part of an answer that is plain text."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Thought:
    """A part of an answer that is what the model thought; the service signs it, and wants it back as it was."""

    text: str


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """A part of an answer that asks the agent to run one of its tools."""

    name: str
    input: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """An answer that is an error of the API instead of a message; `times` requests get it, then the answer follows."""

    status: int
    kind: str
    message: str
    times: int = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One answer of the model.

    `delay` seconds pass before its first byte and `pace` seconds between its parts, where a test may interrupt it.
    A `fault` is sent in place of the parts.
    """

    parts: tuple[Part, ...] = ()
    usage: Usage = Usage()
    delay: float = 0.0
    pace: float = 0.0
    fault: Fault | None = None


Part = Text | Thought | ToolCall


def text(words: str) -> Text:
    """Return a text part."""
    return Text(text=words)


def thought(words: str) -> Thought:
    """Return a part that is thought."""
    return Thought(text=words)


def tool(name: str, **arguments: Any) -> ToolCall:
    """Return a tool call with these arguments."""
    return ToolCall(name=name, input=arguments)


def answer(*parts: Part, usage: Usage | None = None, delay: float = 0.0, pace: float = 0.0) -> Answer:
    """Return an answer of these parts."""
    return Answer(parts=parts, usage=usage or Usage(), delay=delay, pace=pace)


def fault(status: int, kind: str, message: str, *, times: int = 1_000_000) -> Answer:
    """Return an answer that is an error of the API."""
    return Answer(fault=Fault(status=status, kind=kind, message=message, times=times))


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A prompt and the answers to it, in order: after each answer with tool calls the agent asks for the next one.

    A prompt is matched as a whole; a compiled pattern is searched, for prompts whose words the agent makes.
    The prompt of a subagent is a turn like any other.
    """

    prompt: str | re.Pattern[str]
    answers: tuple[Answer, ...]

    def fits(self, words: str) -> bool:
        """Tell whether these words are the prompt of this turn."""
        if isinstance(self.prompt, str):
            return self.prompt.strip() == words.strip()
        return self.prompt.search(words) is not None

    def usage(self) -> Usage:
        """Return the tokens of all answers of the turn."""
        return sum((a.usage for a in self.answers), Usage())


def turn(prompt: str | re.Pattern[str], *answers: Answer) -> Turn:
    """Return a turn."""
    return Turn(prompt=prompt, answers=answers)


class Script:
    """The turns a server knows."""

    def __init__(self, *turns: Turn) -> None:
        """Start with these turns."""
        self._turns = list(turns)
        self._faults: dict[tuple[int, int], int] = {}
        self._lock = threading.Lock()

    def add(self, *turns: Turn) -> None:
        """Add turns; a later one is asked first, so it may replace the answers to a prompt."""
        with self._lock:
            self._turns.extend(turns)

    def find(self, conversation: Sequence[Message]) -> tuple[Turn, int] | None:
        """Return the turn the conversation stands in and how many of its answers were already given, or None."""
        given = 0
        for message in reversed(conversation):
            if message.role == "assistant":
                given += bool(message.calls)
                continue
            found = next((t for words in reversed(message.texts) for t in self._known() if t.fits(words)), None)
            if found is not None:
                return found, given
        return None

    def find_aside(self, conversation: Sequence[Message]) -> tuple[Turn, int] | None:
        """Return the turn of a request without tools (a summary): its words are the agent's, so only a pattern fits."""
        newest = next((message.texts for message in reversed(conversation) if message.texts), ())
        turns = (t for t in self._known() if isinstance(t.prompt, re.Pattern))
        return next(((t, 0) for t in turns if any(t.fits(words) for words in newest)), None)

    def answer(self, found: Turn, given: int) -> Answer | None:
        """Return the answer with this number; a fault that was sent often enough is passed over."""
        with self._lock:
            for answer in found.answers[given:]:
                if answer.fault is None:
                    return answer
                key = (id(found), given)
                self._faults[key] = self._faults.get(key, 0) + 1
                if self._faults[key] <= answer.fault.times:
                    return answer
            return None

    def _known(self) -> list[Turn]:
        with self._lock:
            return self._turns[::-1]


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message of a conversation, without the provider's form.

    `texts` leaves out what the agent itself adds to remind the model; `results` pairs call ids with their texts.
    """

    role: str
    texts: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    results: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Request:
    """What an agent asked for."""

    conversation: tuple[Message, ...]
    tools: tuple[str, ...]
    stream: bool
    model: str = ""
    session: str = ""
    system: str = ""
    wants_json: bool = False


class Dialect(Protocol):
    """How one provider's API looks; a new provider is a class of this shape and a line in `DIALECTS`."""

    def serves(self, method: str, path: str) -> bool:
        """Tell whether this is the path that asks for an answer."""

    def aside(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Return the answer to a small request that is not a conversation (count tokens, list models), or None."""

    def parse(self, path: str, body: dict[str, Any]) -> Request:
        """Read a request."""

    def problem(self, body: dict[str, Any]) -> str:
        """Return why the service refuses a request, '' if it does not."""

    def render(self, request: Request, answer: Answer, mark: str) -> Iterator[bytes]:
        """Write an answer, one chunk per part where it is streamed; `mark` makes its ids unique."""

    def refuse(self, status: int, kind: str, message: str) -> dict[str, Any]:
        """Write an error."""
