"""Answers the framework's questions about a transcript from its records: a base for adapters that yield them."""

from __future__ import annotations

from entire.agents import transcripts
from entire.conversation.conversation import Conversation
from entire.model.positions import START, Position
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from entire.agents.transcripts import Source
    from entire.conversation.records import Prompt, Record
    from entire.conversation.windows import Activity
    from entire.model.tokens import TokenUsage
    from entire.model.transcripts import FileReport, Subagent

    class Stream(Protocol):
        """The records after a position. ``known``: the answer that was counted before it."""

        known: str

        def __iter__(self) -> Iterator[Record]:
            """Yield the records, once."""
            ...

        @property
        def end(self) -> Position:
            """The end of what was read; known when all records were."""
            ...


_MAX_PARTS = 4  # parts that were read, kept for the next question


class RecordSource:
    """The part after a position is read once for all questions, and again when the transcript has changed."""

    source: Source

    def stream(self, since: Position, *, details: bool = False) -> Stream:
        """Return the records after a position. ``details``: with what only display and a search for commits need."""
        raise NotImplementedError

    def records(self, since: Position = START) -> Iterator[Record]:
        """Yield the records after a position, with all details."""
        return iter(self.stream(since, details=True))

    def conversation(self, since: Position) -> Conversation:
        """Return what is said after a position."""
        return self._part(since)[0]

    def _part(self, since: Position) -> tuple[Conversation, Position]:
        parts: dict[Position, tuple[object, Conversation, Position]] = vars(self).setdefault("_parts", {})
        version = transcripts.version(self.source)
        cached = parts.get(since)
        if cached is None or cached[0] != version:
            parts.pop(since, None)
            while len(parts) >= _MAX_PARTS:
                del parts[next(iter(parts))]
            stream = self.stream(since)
            part = Conversation(stream, stream.known)
            cached = parts[since] = (version, part, stream.end)
        return cached[1:]

    # ---------------------------------------------------------------- questions

    def files(self, since: Position, until: Position | None = None) -> list[FileReport]:
        return self.conversation(since).files(stop_of(until))

    def prompts(self, since: Position, until: Position | None = None) -> list[Prompt]:
        return self.conversation(since).prompts(stop_of(until))

    def summary(self, since: Position) -> str:
        return self.conversation(since).summary()

    def has_answers(self, since: Position, until: Position | None = None) -> bool:
        return self.conversation(since).has_answers(stop_of(until))

    def model(self, since: Position, until: Position | None = None) -> str:
        return self.conversation(since).model(stop_of(until))

    def tokens(self, since: Position, until: Position | None = None) -> TokenUsage:
        return self.conversation(since).tokens(stop_of(until))

    def activity(self, since: Position, until: Position | None = None) -> Activity | None:
        return self.conversation(since).activity(stop_of(until))

    def answer_boundary(self, since: Position, moment: float, commit: str = "") -> Position:
        """Return the end of the answer whose tool call made ``commit``, else of the last one that had begun by
        ``moment``; ``since`` if there is none. Without times, it is the end of the transcript.
        """
        part, end = self._part(since)
        if part.responses.by_id and not part.has_times:
            return end
        maker = self._maker(since, moment, commit)
        maker = maker if maker in part.responses.by_id else part.begun_by(moment)
        place = part.end_of(maker) if maker else since
        return place if place.count >= since.count else since

    def makes_commit(self, since: Position, moment: float, commit: str) -> bool:
        return bool(self._maker(since, moment, commit))

    def _maker(self, since: Position, moment: float, commit: str) -> str:
        """Return the answer whose tool call made a commit, '' if no call says so."""
        if not commit:
            return ""
        from entire.conversation import commits

        call = commits.maker(self.stream(since, details=True), commit, moment)
        return call.answer if call is not None else ""


class SourceWithSubagents(RecordSource):
    """That of an agent whose calls and results tell of subagents, which have transcripts of their own."""

    def subagents(self, since: Position, until: Position | None = None) -> list[Subagent]:
        told = self.conversation(since).subagents(stop_of(until))
        return [replace(subagent, session_ref=self.subagent_ref(subagent.id)) for subagent in told]

    def subagent_ref(self, subagent_id: str) -> str:
        """Return where a subagent's transcript is; '' for an id that could lead outside the session's."""
        raise NotImplementedError


def stop_of(until: Position | None) -> int | None:
    """Return the number of the native record before which a part ends, None if it goes on to the end."""
    return None if until is None else until.count
