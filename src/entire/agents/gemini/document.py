"""A chat in the older form: one JSON document with all messages."""

from __future__ import annotations

from entire.agents.documents import DocumentTranscript
from entire.agents.gemini import records
from entire.agents.gemini.transcript import DOCUMENT, Chat
from entire.model.positions import START, Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents.gemini.stream import ChatStream
    from entire.conversation.conversation import Conversation
    from entire.model.transcripts import Content


class ChatDocument(Chat, DocumentTranscript):
    """A chat in the older form. ``place``: where the document is, if the agent will continue it at ``session_ref``."""

    def __init__(self, session_ref: str, stored: Content | None = None, place: str = "") -> None:
        super().__init__(session_ref, stored)
        self.source = place or self.source

    def end(self, known: Position = START) -> Position:
        last = self.natives()[-1:]
        name = records.message_id(last[0]) if last and isinstance(last[0], dict) else ""
        end = super().end(known)
        return Position(count=end.count, byte=end.byte, mark=DOCUMENT + name if name else "")

    def stream(self, since: Position, *, details: bool = False) -> ChatStream:
        numbered = enumerate(self.natives()[since.count :], since.count)
        natives = ((native, at, 0) for at, native in numbered if isinstance(native, dict))
        return self._stream(natives, Position(count=since.count), details=details)

    def _part(self, since: Position) -> tuple[Conversation, Position]:
        return super()._part(since)[0], self.end()
