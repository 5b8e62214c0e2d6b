"""A session's chat, or a subagent's, in the form of lines; and what both of its forms share."""

from __future__ import annotations

import os
from itertools import islice

from entire.agents import transcripts
from entire.agents.gemini import records, sessions
from entire.agents.gemini.stream import ChatStream
from entire.agents.lines import LineTranscript
from entire.agents.record_source import SourceWithSubagents
from entire.conversation.records import AGENT, PERSON
from entire.model.ids import is_tool_id
from entire.model.positions import START, Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from entire.agents.gemini.stream import Placed
    from entire.model.transcripts import FileLines

DOCUMENT = "document:"
"""How a mark in a document begins; the id of the last message follows."""


class Chat(SourceWithSubagents):
    """What both forms share. The native records are described in ``records``; what they yield is in ``stream``. They
    tell of a subagent when its call is done; until then, only the hooks know of it.
    """

    session_ref: str
    committed: tuple[str, ...] = ()
    """Abbreviated ids of commits that hooks reported."""

    def _stream(self, natives: Iterable[Placed], since: Position, *, details: bool = False) -> ChatStream:
        by = AGENT if sessions.is_subagent(self.source) else PERSON
        return ChatStream(natives, since, self.session_ref, by=by, details=details)

    def makes_commit(self, since: Position, moment: float, commit: str) -> bool:
        """Tell whether a command made a commit, one that is in the transcript or the one that just ended."""
        return any(map(commit.startswith, self.committed)) or super().makes_commit(since, moment, commit)

    def subagent_ref(self, subagent_id: str) -> str:
        """Return where a subagent's chat is: in a folder named after its session, also for subagents of subagents."""
        if sessions.is_subagent(self.source):
            beside = os.path.join(os.path.dirname(self.session_ref), f"{subagent_id}.jsonl")
            return beside if is_tool_id(subagent_id) else ""
        return sessions.subagent_file(self.session_ref, sessions.session_id(self.source), subagent_id)


class ChatLines(Chat, LineTranscript):
    """A chat that grows by lines. It is stored whole, because the Go CLI reads parts of this agent as documents."""

    def stream(self, since: Position, *, details: bool = False) -> ChatStream:
        start = self._marked(self.readable(since))
        return self._stream(self._natives(start), start, details=details)

    def end(self, known: Position = START) -> Position:
        return self._part(known if self.holds(known) else START)[1]

    def at(self, count: int) -> Position:
        return self._marked(Position(count=max(count, 0)))

    def is_later(self, position: Position, other: Position) -> bool:
        return super().is_later(self.readable(position), self.readable(other))

    def file_lines(self, end: Position) -> FileLines | None:  # noqa: ARG002
        return None

    def readable(self, position: Position) -> Position:
        """Return a position for reading here; one in the document that these lines continue is found by its message."""
        if not position.mark.startswith(DOCUMENT):
            return super().readable(position)
        wanted = position.mark.removeprefix(DOCUMENT)
        numbers = (at for native, at, _ in self._natives(START) if records.message_id(native) == wanted)
        return self.at(next(numbers, -1) + 1)

    def _marked(self, position: Position) -> Position:
        """Return a position with its byte and mark: without a byte it is not ours, such as one in metadata."""
        if position.byte or not position.count:
            return position
        before = self._stream(islice(self._natives(START), position.count), START)
        for _ in before:
            pass
        return before.end

    def _natives(self, start: Position) -> Iterator[Placed]:
        """Yield each line's native record ({} if it has none), its number and the byte after it."""
        lines = transcripts.natives(self.source, start.byte, skipped=records.WITHOUT_MEANING)
        for at, (natives, end) in enumerate(lines, start.count):
            yield natives[0] if natives else {}, at, end
