"""Transcripts that are JSON lines: a base for adapters whose agent appends to a file.

Stored transcripts are redacted. Where the agent's own file still agrees with a stored one, its own lines count as the
same, so redaction does not get into the agent's file when the transcript is put back.
"""

from __future__ import annotations

from entire.agents import transcripts
from entire.model.positions import START, Position
from entire.model.transcripts import Agreement, FileLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.agents.transcripts import Source
    from entire.model.transcripts import Content

    Record = dict[str, Any]

_SMALL, _BIG = 1 << 12, 1 << 20  # bytes compared at once: few where lines differ, many where they are equal
_LONGEST = 64 << 20
"""Bytes of a line that may differ at marks: we store no longer one, and both lines have to fit into memory."""
_MARK = rb"\[REDACTED:[A-Za-z0-9_.-]+\]|REDACTED"  # our mark, and the Go CLI's


class LineTranscript:
    """A file of JSON lines that only grows, or a stored copy of one.

    A position counts lines; its byte is the offset of the line's end.
    """

    def __init__(self, session_ref: str, stored: Content | None = None) -> None:
        self.session_ref = session_ref
        self.source: Source = session_ref if stored is None else stored

    def snapshot(self) -> bytes:
        return transcripts.read(self.source)

    def long_content(self) -> Content:
        """Return what ``snapshot`` does; a long transcript is not read for it, unless an adapter has its own way."""
        is_ours = type(self).snapshot is LineTranscript.snapshot
        return transcripts.content(self.source) if is_ours else self.snapshot()

    def end(self, known: Position = START) -> Position:
        known = known if self.holds(known) else START
        start = self.offset(known)
        ends = [end for _, end in transcripts.lines(self.source, start)]
        return Position(count=known.count + len(ends), byte=ends[-1]) if ends else known

    def at(self, count: int) -> Position:
        byte, reached = transcripts.offset_of(self.source, count) if count > 0 else (0, 0)
        return Position(count=reached, byte=byte)

    def cut(self, end: Position) -> bytes:
        return bytes(self.long_content_until(end))

    def long_content_until(self, end: Position) -> Content:
        """Return what ``cut`` does; a long transcript is not read for it, unless an adapter has its own way."""
        from entire import contents

        if type(self).cut is not LineTranscript.cut:
            return self.cut(end)
        return contents.part(self.long_content(), 0, self.offset(end))

    def holds(self, position: Position) -> bool:
        """Tell whether there are as many lines as before a position."""
        position = self.readable(position)
        if position.byte or not position.count:
            return position.byte <= transcripts.size(self.source)
        return position.count <= transcripts.offset_of(self.source, position.count)[1]

    def is_later(self, position: Position, other: Position) -> bool:
        return position.count > other.count

    def shares_answer(self, position: Position) -> bool:
        mark = position.mark.encode("utf-8", "replace")
        return bool(mark) and transcripts.contains(self.source, (mark,), transcripts.size(self.source))

    def agreement(self, stored: Content) -> Agreement:
        from entire import contents

        own = self.long_content()
        at, to = _agreement(stored, own)
        rest = len(own) - to
        # The last line was cut when its writer was killed.
        is_cut_line = contents.line_end(own, to) == len(own) and contents.same(own, to, stored, at, rest)
        is_cut_line = is_cut_line and contents.read(own, len(own) - 1, len(own)) != b"\n"
        common = contents.part(own, 0, to)
        return Agreement(
            common=common,
            joined=_continued(common, contents.part(stored, at)) if at < len(stored) else common,
            extent=_count(contents.part(stored, 0, at)),
            stored_is_longer=at < len(stored),
            own_is_longer=to < len(own) and not (is_cut_line and at < len(stored)),
        )

    def file_lines(self, end: Position) -> FileLines | None:
        if not isinstance(self.source, str):
            return None
        return FileLines(path=self.source, lines=end.count, size=self.offset(end))

    def offset(self, position: Position) -> int:
        """Return a position's byte offset."""
        position = self.readable(position)
        if position.byte or not position.count:
            return position.byte
        return transcripts.offset_of(self.source, position.count)[0]

    def readable(self, position: Position) -> Position:
        """Return a position in the file for reading here: redaction has moved the bytes of a stored copy's lines."""
        return position if isinstance(self.source, str) else Position(count=position.count, mark=position.mark)


def _agreement(stored: Content, own: Content) -> tuple[int, int]:
    """Return how far both agree in whole lines, as an offset in each.

    Equal blocks are compared as bytes, so a large transcript costs no more than comparing memory.
    """
    from entire import contents

    at = to = 0
    size = _BIG
    while at < len(stored) and to < len(own):
        block = contents.read(stored, at, at + size)
        whole = block.rfind(b"\n") + 1
        if whole and contents.same(stored, at, own, to, whole):
            at, to, size = at + whole, to + whole, min(size * 2, _BIG)
            continue
        end, stop = contents.line_end(stored, at), contents.line_end(own, to)
        if not _is_same_line((stored, at, end), (own, to, stop)):
            break
        at, to, size = end, stop, _SMALL
    return at, to


def _is_same_line(*lines: tuple[Content, int, int]) -> bool:
    from entire import contents

    (stored, at, end), (own, to, stop) = lines
    if end - at == stop - to and contents.same(stored, at, own, to, end - at):
        return True
    if max(end - at, stop - to) > _LONGEST:
        return False
    one, other = (contents.read(*line).rstrip(b"\n") for line in lines)
    return is_same_record(one, other)


def is_same_record(stored: bytes, own: bytes) -> bool:
    """Tell whether a stored record is the agent's own, perhaps redacted; or, put back, without a block that was."""
    if stored == own:
        return True
    if b"REDACTED" not in stored:
        return False
    from entire.redact import seals

    if _matches_marks(stored, own):
        return True
    whole = bytes(seals.without_broken(stored))
    return whole != stored and is_same_record(whole, own)


def _matches_marks(stored: bytes, own: bytes) -> bool:
    """Tell whether two records differ only at redaction marks, whatever the rules were: those of another version, of a
    repository, or of the Go CLI. A mark replaces a part of one string of JSON, in whole escapes.
    """
    import re

    first, *more = re.split(_MARK, stored)
    if not more or not own.startswith(first):
        return False
    is_json = own.lstrip()[:1] in (b"{", b"[", b'"')
    string = re.compile(rb'(?:[^"\\]++|\\.)*+' if is_json else rb".*+", re.DOTALL)
    at, limit = len(first), -1
    for number, piece in enumerate(more, 1):
        if at > limit:
            end = string.match(own, at)
            limit = end.end() if end is not None else at
        next_at = own.find(piece, at + 1, limit + len(piece)) if number < len(more) else len(own) - len(piece)
        while is_json and at < next_at <= limit and _splits_escape(own, at, next_at) and number < len(more):
            next_at = own.find(piece, next_at + 1, limit + len(piece))
        if not at < next_at <= limit or (is_json and _splits_escape(own, at, next_at)):
            return False
        at = next_at + len(piece)
    return at == len(own) and own.endswith(more[-1])


def _splits_escape(data: bytes, low: int, at: int) -> bool:
    run = at
    while run > low and data[run - 1] == 0x5C:
        run -= 1
    return (at - run) % 2 == 1


def _continued(beginning: Content, rest: Content) -> Content:
    """Return both, with the final newline that a killed writer may have left out of the first."""
    from entire import contents

    size = len(beginning)
    newline = b"\n" if size and contents.read(beginning, size - 1, size) != b"\n" else b""
    return contents.joined(beginning, newline, rest)


def _count(data: Content) -> int:
    from entire import contents

    size = len(data)
    return contents.count_lines(data) + (size > 0 and contents.read(data, size - 1, size) != b"\n")
