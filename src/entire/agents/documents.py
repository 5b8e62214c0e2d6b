"""Transcripts that are one JSON document with a list of messages: a base for adapters whose agent rewrites its file."""

from __future__ import annotations

from entire.agents import transcripts, untrusted
from entire.agents.lines import is_same_record
from entire.model import jsontext
from entire.model.positions import START, Position
from entire.model.transcripts import Agreement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.agents.transcripts import Source
    from entire.model.transcripts import Content, FileLines


class DocumentTranscript:
    """A document, or a stored copy of one. A position counts messages."""

    messages_key = "messages"

    def __init__(self, session_ref: str, stored: Content | None = None) -> None:
        self.session_ref = session_ref
        self.source: Source = session_ref if stored is None else stored
        self._read: tuple[bytes, list[Any]] | None = None

    def snapshot(self) -> bytes:
        return self._content()[0]

    def natives(self) -> list[Any]:
        """Return the document's messages as they are in it; none if it cannot be read."""
        return self._content()[1]

    def end(self, known: Position = START) -> Position:  # noqa: ARG002  # a document is read as a whole
        return Position(count=len(self.natives()), byte=len(self.snapshot()))

    def at(self, count: int) -> Position:
        if count >= len(self.natives()):
            return self.end()
        return Position(count=max(count, 0))

    def cut(self, end: Position) -> bytes:
        data, records = self._content()
        if end.count >= len(records):
            return data
        document = self._document(data)
        document[self.messages_key] = records[: end.count]
        return _printed(document)

    def holds(self, position: Position) -> bool:
        return position.count <= len(self.natives())

    def is_later(self, position: Position, other: Position) -> bool:
        return position.count > other.count

    def shares_answer(self, position: Position) -> bool:
        mark = position.mark.encode("utf-8", "replace")
        return bool(mark) and mark in self.snapshot()

    def agreement(self, stored: bytes) -> Agreement:
        """Compare message by message: what else the document holds, such as its last change, is not compared."""
        own, copy = self.natives(), type(self)(self.session_ref, stored)
        kept = copy.natives()
        extent = 0
        while extent < min(len(own), len(kept)) and _is_same(kept[extent], own[extent]):
            extent += 1
        if not own and not kept and stored != self.snapshot():  # neither can be read
            return Agreement(common=b"", joined=stored, extent=0, stored_is_longer=bool(stored),
                             own_is_longer=bool(self.snapshot()))  # fmt: skip
        common = self.cut(Position(count=extent)) if extent else b""
        return Agreement(
            common=common,
            joined=self._joined(copy, extent) if extent < len(kept) else common,
            extent=extent,
            stored_is_longer=extent < len(kept),
            own_is_longer=extent < len(own),
        )

    def file_lines(self, end: Position) -> FileLines | None:  # noqa: ARG002
        return None

    def _joined(self, stored: DocumentTranscript, extent: int) -> bytes:
        """Return the stored document with the agent's own messages, as far as both agree."""
        if not extent:
            return stored.snapshot()
        document = self._document(stored.snapshot())
        document[self.messages_key] = [*self.natives()[:extent], *stored.natives()[extent:]]
        return _printed(document)

    def _content(self) -> tuple[bytes, list[Any]]:
        if self._read is None:
            data = transcripts.read(self.source)
            messages = self._document(data).get(self.messages_key)
            self._read = data, messages if isinstance(messages, list) else []
        return self._read

    def _document(self, data: bytes) -> dict[str, Any]:
        value = untrusted.loads(data)
        return value if isinstance(value, dict) else {}


def _printed(document: dict[str, Any]) -> bytes:
    import json  # for its indentation; no hook prints a document

    return json.dumps(document, ensure_ascii=False, indent=2).encode("utf-8", "replace")


def _is_same(stored: object, own: object) -> bool:
    return stored == own or is_same_record(*(_dumps(message) for message in (stored, own)))


def _dumps(message: object) -> bytes:
    return jsontext.dumps(message, ensure_ascii=False, compact=True).encode("utf-8", "replace")
