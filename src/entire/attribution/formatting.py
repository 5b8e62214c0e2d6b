"""Recognises lines that changed only in white space, quotes, trailing commas or line breaks (linking.md section 1).

A formatter joins and splits lines. So the removed lines of a block are compared as one text, without what a formatter
may change, and each added line takes the part of it that follows the previous line's. Where both differ, the comparison
goes on at the next removed line that an added line starts with. Takes time in proportion to the lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_IGNORED = b" \t\r\n\v\f'\""
_OPTIONAL = b",;"  # at the end of a line
_OPENING, _CLOSING = b"([{", b")]}"
_EVIDENCE = re.compile(rb"[0-9A-Za-z\x80-\xff]")
_KEY = 8  # characters by which a line is found
_MAX_ALIKE = 8  # lines with the same first characters that are tried


class Comparison:
    """Which lines of a block changed only in format."""

    def __init__(self, sources: list[int], remaining: frozenset[int]) -> None:
        self.sources = sources  # for each added line the index of the removed line it was, -1 if it is new
        self.remaining = remaining  # indexes of the removed lines that the added lines contain


def compare(removed: Sequence[bytes], added: Sequence[bytes]) -> Comparison:
    """Find the removed lines of a block among the added ones. Blank lines and brackets alone prove nothing: they
    belong to the line before or after them.
    """
    old = _FormattedText(removed)
    texts = [_normal(line).strip(_OPTIONAL) for line in added]
    spans = _spans(old, texts)
    remaining = old.covered(spans)
    if not any(map(_EVIDENCE.search, (old.text, *texts))):
        is_same = old.text.replace(b",", b"") == b"".join(texts).replace(b",", b"")
        last = len(removed) - 1
        return Comparison([min(place, last) if is_same else -1 for place in range(len(added))],
                          frozenset(range(len(removed)) if is_same else ()))  # fmt: skip
    sources = [
        old.main_line(span) if span and _EVIDENCE.search(text) and old.lines(span) <= remaining else -1
        for span, text in zip(spans, texts, strict=True)
    ]
    is_trivial = [not _EVIDENCE.search(text) for text in texts]
    for order in (range(1, len(added)), range(len(added) - 2, -1, -1)):
        for place in order:
            if is_trivial[place] and sources[place] < 0:
                sources[place] = sources[place - order.step]
    return Comparison(sources, remaining if max(sources, default=-1) >= 0 else frozenset())


def _normal(line: bytes) -> bytes:
    text = line.replace(b"\\'", b"").replace(b'\\"', b"").translate(None, _IGNORED)
    for bracket in (b")", b"]", b"}"):
        text = text.replace(b"," + bracket, bracket)
    return text


class _FormattedText:
    """The removed lines of a block as one text."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        parts = [_normal(line) for line in lines]
        last = -1
        for place, part in enumerate(parts):
            if last >= 0 and part[:1] and part[:1] in _CLOSING and parts[last].endswith(b","):
                parts[last] = parts[last][:-1]  # a trailing comma
            last = place if part else last
        self.text = b"".join(parts)
        self.parts = parts
        self.starts: list[int] = []  # of the lines, and the end
        self._by_key: dict[bytes, list[int]] = {}
        at = 0
        for part in (*parts, b""):
            self.starts.append(at)
            at += len(part)

    def line_at(self, at: int) -> int:
        """Return the index of the line that contains a position."""
        return bisect_right(self.starts, at, 0, len(self.parts)) - 1

    def lines_like(self, text: bytes, first: int, near: int) -> list[int]:
        """Return indexes, from ``first`` on, of lines that may start with ``text``; of a short text, only some."""
        if not self._by_key:
            for place, part in enumerate(self.parts):
                start = self.starts[place]
                key = part if len(part) < _KEY else part[:_KEY]
                for text_key in {key, self.text[start : start + _KEY]}:
                    self._by_key.setdefault(text_key, []).append(place)
        alike = self._by_key.get(text[:_KEY], [])
        at = bisect_left(alike, first)
        near = min(near, _MAX_ALIKE) if len(text) < _KEY else 0
        beside = range(first, min(first + near, len(self.parts)))
        return sorted({*alike[at : at + _MAX_ALIKE], *beside})

    def match(self, text: bytes, at: int) -> tuple[int, int] | None:
        """Return the span of ``text`` that starts at a position; commas and semicolons there may be missing."""
        while self.text[at : at + 1] and self.text[at : at + 1] in _OPTIONAL:
            at += 1
        for form in (text, text[:-1] if text[-1:] in _OPENING else b"", text.lstrip(_CLOSING)):
            if form and self.text.startswith(form, at):
                return at, at + len(form)
        return None

    def lines(self, span: tuple[int, int]) -> set[int]:
        """Return the indexes of the lines of a span."""
        first, last = self.line_at(span[0]), self.line_at(span[1] - 1)
        return {place for place in range(first, last + 1) if self.parts[place]}

    def main_line(self, span: tuple[int, int]) -> int:
        """Return the index of the line with the largest share of a span."""
        return max(sorted(self.lines(span)), key=lambda place: self._share(place, span))

    def _share(self, place: int, span: tuple[int, int]) -> int:
        first, last = max(span[0], self.starts[place]), min(span[1], self.starts[place + 1])
        return _size(self.text[first:last])

    def covered(self, spans: Sequence[tuple[int, int] | None]) -> frozenset[int]:
        """Return the indexes of the lines that lie in the spans as a whole."""
        covered = [0] * len(self.parts)
        for span in spans:
            for place in self.lines(span) if span else ():
                covered[place] += self._share(place, span) if span else 0
        return frozenset(place for place, part in enumerate(self.parts) if covered[place] == _size(part))


def _size(text: bytes) -> int:
    return len(text.translate(None, _OPTIONAL))


def _spans(old: _FormattedText, texts: Sequence[bytes]) -> list[tuple[int, int] | None]:
    """Return for each added line the part of the removed text that it equals."""
    spans: list[tuple[int, int] | None] = []
    at = unmatched = 0
    for place, text in enumerate(texts):
        span = old.match(text, at) if text else None
        if span is None and _EVIDENCE.search(text):
            following = next((later for later in texts[place + 1 : place + 4] if _EVIDENCE.search(later)), b"")
            span = _span_ahead(old, text, at, following, near=unmatched + 1)
            unmatched += 1
        if span is not None:
            at, unmatched = span[1], 0
        spans.append(span)
    return spans


def _span_ahead(old: _FormattedText, text: bytes, at: int, following: bytes, near: int) -> tuple[int, int] | None:
    """Find a later line that starts with ``text``; beyond ``near`` lines it counts only if the next one agrees too."""
    first = old.line_at(at) + 1
    for place in old.lines_like(text, first, near):
        span = old.match(text, old.starts[place])
        if span is not None and (place < first + near or not following or old.match(following, span[1])):
            return span
    return None
