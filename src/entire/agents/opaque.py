"""Transcripts of unknown form: a base for adapters that store them without reading them."""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.lines import is_same_record
from entire.model.positions import START, Position
from entire.model.transcripts import Agreement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents.transcripts import Source
    from entire.model.transcripts import Content, FileLines


class OpaqueTranscript:
    """A file of any content, or a stored copy of one. A position counts nothing; its byte is the size."""

    def __init__(self, session_ref: str, stored: Content | None = None) -> None:
        self.session_ref = session_ref
        self.source: Source = session_ref if stored is None else stored

    def snapshot(self) -> bytes:
        return transcripts.read(self.source)

    def end(self, known: Position = START) -> Position:  # noqa: ARG002
        return Position(byte=transcripts.size(self.source))

    def at(self, count: int) -> Position:
        return self.end() if count else START

    def cut(self, end: Position) -> bytes:
        return self.snapshot()[: end.byte]

    def holds(self, position: Position) -> bool:
        return position.byte <= transcripts.size(self.source)

    def is_later(self, position: Position, other: Position) -> bool:
        return position.byte > other.byte

    def agreement(self, stored: bytes) -> Agreement:
        """Compare whole contents: in one that is redacted, no part can be told from another."""
        own = self.snapshot()
        if is_same_record(stored, own):
            return Agreement(common=own, joined=own, extent=len(stored), stored_is_longer=False, own_is_longer=False)
        if stored.startswith(own) or own.startswith(stored):
            shorter = min(stored, own, key=len)
            return Agreement(common=shorter, joined=stored, extent=len(shorter), stored_is_longer=own == shorter,
                             own_is_longer=stored == shorter)  # fmt: skip
        return Agreement(common=b"", joined=stored, extent=0, stored_is_longer=True, own_is_longer=True)

    def file_lines(self, end: Position) -> FileLines | None:  # noqa: ARG002
        return None


def is_later(position: Position, other: Position) -> bool:
    """Compare positions whose adapter cannot be asked: by its own numbers, or by sizes where it gives none."""
    if position.count or other.count:
        return position.count > other.count
    return position.byte > other.byte
