"""Transcripts that are JSON lines, each of which says something by itself: a base for adapters of simple agents."""

from __future__ import annotations

from entire.agents import transcripts
from entire.agents.lines import LineTranscript
from entire.agents.record_source import RecordSource
from entire.conversation.records import Answer
from entire.model.positions import START, Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from entire.conversation.records import Record

    Native = dict[str, Any]


class RecordLines(RecordSource, LineTranscript):
    """A file of JSON lines that only grows, or a stored copy of one. An adapter says what a line means."""

    def read(self, native: Native, position: int, end: int, *, details: bool) -> Iterable[Record]:
        """Return what a line says: the ``position``-th, which ends at byte ``end``. ``details``: with what only display
        and a search for commits need.
        """
        raise NotImplementedError

    def stream(self, since: Position, *, details: bool = False) -> LineStream:
        since = self.readable(since)
        return LineStream(self, since, self.offset(since), details=details)

    def end(self, known: Position = START) -> Position:
        known = self.readable(known if self.holds(known) else START)
        if known.count and not known.byte:
            known = START  # only reading from the start finds the last answer before it
        return self._part(known)[1]


class LineStream:
    """The records after a position. ``known``: the answer that began before it."""

    def __init__(self, transcript: RecordLines, since: Position, byte: int, *, details: bool) -> None:
        self.known = since.mark
        self.end = since
        self._transcript = transcript
        self._byte = byte
        self._details = details

    def __iter__(self) -> Iterator[Record]:
        source, count, mark = self._transcript.source, self.end.count, self.known
        if self._byte and transcripts.byte_before(source, self._byte) != b"\n":
            self._byte += 1  # the newline of the line before was written after the position was taken
        for natives, end in transcripts.natives(source, self._byte):
            for native in natives:
                for record in self._transcript.read(native, count, end, details=self._details):
                    mark = record.id if isinstance(record, Answer) else mark
                    yield record
            count += 1
            self.end = Position(count=count, byte=end, mark=mark)
