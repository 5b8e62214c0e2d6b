"""A chat in the older form: one JSON document with all messages."""

from __future__ import annotations

from entire.agents.documents import DocumentTranscript
from entire.agents.gemini import records
from entire.agents.gemini.conversation import Conversation
from entire.agents.gemini.transcript import DOCUMENT, Chat
from entire.model.transcripts import START, Position


class ChatDocument(DocumentTranscript, Chat):
    """A chat in the older form. ``place``: where the document is, if the agent will continue it at ``session_ref``."""

    def __init__(self, session_ref: str, stored: bytes | None = None, place: str = "") -> None:
        super().__init__(session_ref, stored)
        self.source = place or self.source
        self._parts: dict[int, Conversation] = {}

    def end(self, known: Position = START) -> Position:
        last = self.records()[-1:]
        name = records.message_id(last[0]) if last and isinstance(last[0], dict) else ""
        found = super().end(known)
        return Position(count=found.count, byte=found.byte, mark=DOCUMENT + name if name else "")

    def _part(self, since: Position) -> Conversation:
        part = self._parts.get(since.count)
        if part is None:
            part = self._parts[since.count] = Conversation(is_start=not since.count)
            for at, record in enumerate(self.records()[since.count :], since.count):
                if isinstance(record, dict):
                    part.take(record, at, (at + 1, 0))
        return part
