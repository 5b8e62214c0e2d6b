"""Finds secrets in plain text: keywords first, then a rule's pattern at each keyword.

A pattern is compiled when its keyword first occurs; clean text compiles almost nothing.
"""

from __future__ import annotations

from entire.model.value import Value
from entire.redact import keylines, opinion
from entire.redact.places import WORDS, candidates, tier_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.redact.places import Tier

LINE_END = b"\x1e\n"
"""Ends a line of JSON lines in a text; ends of lines within JSON strings are plain line feeds there."""

_ARROW = "→".encode()
"""Stands between the number of a line and the line in what agents read; no part of a word."""


class Finding(Value):
    """A secret: its rule's id, start and end, and, if it was mapped back to raw bytes, its value in the plain view."""

    rule: str
    start: int
    end: int
    value: bytes = b""


class Text:
    """A plain view to search: also in lower case with only its words, and its distinct words."""

    __slots__ = ("_lowered", "_words", "plain", "spread")

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        self.spread = plain.replace(_ARROW, b"   ").translate(WORDS)
        self._words: bytes | None = None
        self._lowered: bytes | None = None

    @property
    def lowered(self) -> bytes:
        """Return the whole text in lower case."""
        if self._lowered is None:
            self._lowered = self.plain.lower()
        return self._lowered

    @property
    def words(self) -> bytes:
        """Return the distinct words, made when first asked for, each after a blank."""
        if self._words is None:
            self._words = b" " + b" ".join(set(self.spread.split()))
        return self._words


def scan(plain: bytes, *, tier: Tier | None = None) -> list[Finding]:
    """Find the secrets in a plain view, as ``search`` does."""
    return search(Text(plain), tier=tier)


def search(searched: Text, *, tier: Tier | None = None) -> list[Finding]:
    """Find what the rules know in a text, sorted by position, overlapping ones included.

    No finding crosses a ``LINE_END`` or depends on what is behind one.
    """
    text = searched.plain
    found: set[tuple[int, int, str]] = set()
    line_start, line_end = 0, 0 if LINE_END in text else len(text)
    for rules, at in candidates(searched, tier or tier_for(len(text))):
        if not line_start <= at < line_end:
            line_start, line_end = _line_around(text, at)
        for rule in rules:
            if rule.match and not rule.match(text, at, line_end):  # most rules, most of the time
                continue
            for start, end in rule.spans(text, at, line_start, line_end):
                found.add((start, end, rule.id))
    found.update((start, end, opinion.RULE) for start, end in opinion.find(text, searched.spread))
    found.update((start, end, keylines.RULE) for start, end in keylines.find(text))
    return [Finding(rule=name, start=start, end=end) for start, end, name in sorted(found)]


def _line_around(text: bytes, at: int) -> tuple[int, int]:
    start, end = text.rfind(LINE_END, 0, at), text.find(LINE_END, at)
    return (0 if start < 0 else start + len(LINE_END)), (len(text) if end < 0 else end)
