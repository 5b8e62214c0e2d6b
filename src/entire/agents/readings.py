"""Transcripts as people read them: by the records that an adapter yields, else by their form. No hook uses it."""

from __future__ import annotations

from entire.agents.forms import reading
from entire.agents.record_source import RecordSource
from entire.conversation.messages import Reading
from entire.conversation.records import is_before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from entire.agents.contract import Agent
    from entire.conversation.records import Prompt
    from entire.model.tokens import ModelTokens
    from entire.model.transcripts import Message


def of(agent: Agent | None, data: bytes) -> Reading:
    """Return the conversation in a transcript."""
    return _by_records(_transcript(agent, data)) or Reading(reading.records(data))


def of_subagent(agent: Agent | None, data: bytes, subagent: str = "") -> Reading:
    """Return the conversation in a subagent's transcript; its first prompt is the task that it was given."""
    locate = getattr(agent.transcript(""), "subagent_ref", None) if agent is not None else None
    session_ref = locate(subagent) if locate is not None else ""
    told = _by_records(_transcript(agent, data, session_ref))
    return told or Reading(reading.records(data, is_subagent=True))


def messages(agent: Agent | None, data: bytes) -> list[Message]:
    """Return what was said and done in a transcript, as its adapter displays it if it does so in its own way."""
    return States().read(agent, data).messages()


class States:
    """Reads states of one conversation: later ones first, then their beginnings cost little."""

    def __init__(self) -> None:
        self._last: State | None = None

    def read(self, agent: Agent | None, data: bytes) -> State:
        """Return the conversation in a transcript, which the agent is asked for once: a plugin starts each time."""
        if self._last is not None and self._last.begins_with(data):
            return self._last.earlier(data)
        transcript = _transcript(agent, data)
        told = _by_records(transcript)
        self._last = State(data, told or Reading(reading.records(data)), is_native=told is not None)
        self._last.ask = getattr(transcript, "messages", None)
        return self._last


class State:
    """A conversation as a transcript has it. ``is_native``: its adapter read it, else it was read by its form."""

    def __init__(self, data: bytes, whole: Reading, stop: int | None = None, *, is_native: bool) -> None:
        self.data = data
        self.is_native = is_native
        self.ask: Callable[[], Iterable[Message]] | None = None
        """How its adapter displays it in its own way."""
        self._whole = whole
        self._stop = stop  # records of ``whole`` that it has
        self._counted: tuple[int, int] | None = None  # the bytes of the last earlier state, and their newlines

    def begins_with(self, part: bytes) -> bool:
        """Tell whether a transcript is an earlier state of this one: lines at its beginning."""
        ends = part.endswith(b"\n") or self.data[len(part) : len(part) + 1] in (b"", b"\n")
        return self.ask is None and ends and b"\n" in part and self.data.startswith(part)

    def earlier(self, part: bytes) -> State:
        """Return the state that a part at the beginning of this one is."""
        if self._counted is None or self._counted[0] < len(part):
            self._counted = len(self.data), self.data.count(b"\n")
        size, count = self._counted
        self._counted = len(part), count - self.data.count(b"\n", len(part), size)
        stop = self._counted[1] + (not part.endswith(b"\n"))
        return State(part, self._whole, stop, is_native=self.is_native)

    def messages(self, since: int = 0) -> list[Message]:
        """Return what was said and done; before record ``since`` only the prompts."""
        return self._whole.messages(self._stop, since) if self.ask is None else list(self.ask())

    def prompts(self) -> list[Prompt]:
        """Return what people asked, without what they took back."""
        return self._whole.prompts(self._stop)

    @property
    def tokens(self) -> tuple[ModelTokens, ...]:
        """The tokens of each response, with its model and the record at which they count."""
        return self._whole.responses.told(self._stop)

    @property
    def unknown(self) -> list[tuple[int, str]]:
        """The records that say nothing to people: their numbers and types."""
        return [one for one in self._whole.unknown if is_before(one[0], self._stop)]


def _transcript(agent: Agent | None, data: bytes, session_ref: str = "") -> Any:
    return agent.transcript(session_ref, data) if agent is not None else None


def _by_records(transcript: Any) -> Reading | None:
    """Return what an adapter's records say; None if it yields none: another agent may have written the transcript."""
    derived = Reading(transcript.records()) if isinstance(transcript, RecordSource) else None
    return derived if derived is not None and derived.says_something else None
