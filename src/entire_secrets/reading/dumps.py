"""Reads dumps: bytes in hex with an offset before them, as ``xxd``, ``hexdump`` and ``od`` print them.

A secret in a dump stands there twice, in hex and, cut into pieces, beside it; so it takes whole lines with it.
"""

from __future__ import annotations

from bisect import bisect_right

from entire_secrets import patterns
from entire_secrets.reading import views

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match, Pattern

# What tools print before a line, the offset, the bytes: in groups behind a colon, else one by one or in pairs.
_BEFORE = rb"[ \t>|]{0,80}[\"'`]?(?:(?:[\w./@-]{1,200}[:-])?\d{1,7}(?:[:\t|-]|\xe2\x86\x92)[ \t]{0,80})?[+-]?[ \t]{0,8}"
_LINE = (
    rb"(?:0x)?(?P<offset>[0-9a-fA-F]{4,16})(?::[ ]{1,2}(?P<groups>(?:HH){1,32}(?:[ ](?:HH){1,32}){0,63})"
    rb"|[ ]{1,3}(?P<pairs>HHHH(?:[ ]{1,4}HHHH){0,7})|[ ]{1,3}(?P<bytes>HH(?:[ ]{1,3}HH){0,15}))(?![0-9A-Za-z])"
).replace(b"HH", b"[0-9a-fA-F]{2}")
_PATTERNS = {
    "first": _LINE,
    # What is shown may hold an escaped end of a line, or end in a backslash, which joins lines.
    "next": rb"[ ]{0,80}[^\x1e]{0,%d}?(?:\n" + _BEFORE + rb"|[ ](?=[0-9a-f]{8}: ))" + _LINE,
    "shown": rb"[ ]{1,80}(?:([|>])?[^\n\x1e]{0,%d}(?(1)[|<]?))",
}
_compiled: dict[str, Pattern[bytes]] = {}


class Dump(views.View):
    """The bytes of a dump as a person reads them."""

    __slots__ = ("_lines", "_starts")

    def __init__(self, data: bytes, lines: list[tuple[int, int, int]]) -> None:
        """Take the bytes, and of each line where its bytes start among them, and its start and end in the dump."""
        super().__init__(data)
        self._starts = [start for start, _, _ in lines]
        self._lines = lines

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the start and end, in the dump, of the lines that hold ``text[start:end]``, without their offsets."""
        start, end = super().origin(start, end)
        first, last = (bisect_right(self._starts, at) - 1 for at in (start, end - 1))
        return self._lines[first][1], self._lines[last][2]


def find(text: bytes, offsets: list[int]) -> Iterator[tuple[int, int, Dump]]:
    """Yield the dumps in a text, given where the first offset of one may be: start, end, and how they read."""
    end = 0
    for at in offsets:
        if at >= end and _starts_word(text, at) and (line := _pattern("first").match(text, at)):
            end, dump = _read(text, line)
            yield at, end, dump


def _starts_word(text: bytes, at: int) -> bool:
    """Tell whether no letter, digit or hyphen of an id stands before ``at``."""
    before = text[max(at - 2, 0) : at]
    if before[-1:] in (b"-", b"_"):
        return not before[:-1].isalnum()
    return not before[-1:].isalnum() or before == b"0x"


def _read(text: bytes, first: Match[bytes]) -> tuple[int, Dump]:
    """Return the end of the dump that starts with a line, and the dump."""
    begin, offset = first.start(), -1
    line: Match[bytes] | None = first
    lines: list[tuple[int, int, int]] = []
    data = bytearray()
    while line and int(line["offset"], 16) > offset:
        offset = int(line["offset"], 16)
        part = _bytes(line)
        shown = _pattern("shown", len(part)).match(text, line.end())
        lines.append((len(data), line.start(line.lastgroup or 0) - begin, (shown or line).end() - begin))
        data += part
        line = _pattern("next", len(part) + 5).match(text, line.end())
    return begin + lines[-1][2], Dump(bytes(data).replace(b"\x1e", b" "), lines)


def _bytes(line: Match[bytes]) -> bytes:
    part = bytes.fromhex(line[line.lastgroup or 0].decode())
    if line.lastgroup == "pairs":  # words of two bytes, the lower one first
        return b"".join(part[at : at + 2][::-1] for at in range(0, len(part), 2))
    return part


def _pattern(name: str, size: int = 0) -> Pattern[bytes]:
    key = f"{name} {size}"
    if key not in _compiled:
        source = _PATTERNS[name]
        _compiled[key] = patterns.compile(source % size if size else source)
    return _compiled[key]
