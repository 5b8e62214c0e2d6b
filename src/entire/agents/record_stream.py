"""Reads the lines after a position once and yields records: a base for adapters whose agent appends JSON lines."""

from __future__ import annotations

from entire.agents import transcripts
from entire.model.positions import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, ClassVar

    from entire.agents.transcripts import Source
    from entire.conversation.records import Record

    Native = dict[str, Any]

_LOOK_BACK = 4 << 20  # bytes before a position in which to search


class RecordStream:
    """The records in ``source`` from ``since`` on; iterate once, then ask for the ``end``. An adapter says what a line
    means, and keeps the last answer's id in ``last``.
    """

    known = ""  # for agents that tell an answer's tokens once
    skipped: ClassVar[tuple[bytes, ...]] = ()
    """How lines begin that say nothing."""

    def __init__(self, source: Source, since: Position, *, details: bool) -> None:
        self.source = source
        self.details = details
        self.start, self._count = since.byte, since.count
        if since.count and not since.byte:
            self.start, self._count = transcripts.offset_of(source, since.count)
        self._byte = self.start
        self.last = since.mark

    @property
    def end(self) -> Position:
        """The end of the last complete line that was read; its mark is the last answer before."""
        return Position(count=self._count, byte=self._byte, mark=self.last)

    def __iter__(self) -> Iterator[Record]:
        start = self.start
        if start:
            self.look_back()
            if transcripts.byte_before(self.source, start) != b"\n":
                start += 1  # the newline of the line before was written after the position was taken
        for natives, end in self.natives(start):
            for native in natives:
                yield from self.take(native, self._count, end)
            self._count, self._byte = self._count + 1, end

    def natives(self, start: int) -> Iterable[tuple[list[Native], int]]:
        """Return what the lines from a byte on hold, and the byte after each."""
        return transcripts.natives(self.source, start, skipped=self.skipped)

    def take(self, native: Native, at: int, end: int) -> Iterator[Record]:
        """Yield what a line says: the ``at``-th, which ends at byte ``end``."""
        raise NotImplementedError

    def look_back(self) -> None:
        """Learn what has to be known of the lines before the position."""

    def before(self) -> Iterator[bytes]:
        """Yield the lines before the position, last first."""
        return transcripts.last_lines(self.source, self.start, _LOOK_BACK)
