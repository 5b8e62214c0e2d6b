"""Finds secrets in plain text: keywords first, then a rule's pattern at each keyword.

Two tiers find the keywords: ``ahocorasick_rs``, in one compiled pass over the text; and ``bytes.find``, among the
distinct words of the text, which are a small part of it, and then in one pass for each keyword that is there. Both find
the same places. A pattern is compiled when its keyword first occurs; clean text compiles almost nothing.
"""

from __future__ import annotations

from itertools import chain

from entire.model.value import Value
from entire.redact import keylines, opinion
from entire.redact.rules.table import GUARDS, RULES, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from re import Match

    Prepared = tuple[list[Rule], Callable[[bytes, int], Match[bytes] | None] | None, dict[str | None, list[Rule]]]
    Places = Callable[["Text"], Iterator[tuple[bytes, int]]]

LINE_END = b"\x1e\n"
"""Ends a line of JSON lines in a text; ends of lines within JSON strings are plain line feeds there."""

COMPILED_FROM = 1 << 15
"""Size of a text from which the compiled tier pays: making it takes 4 ms."""

PIECE = 1 << 18
"""How much of a text is searched at once: bounds the memory for the places of keywords."""

_WORDS = bytes(
    byte + 32 if 0x41 <= byte <= 0x5A else byte if byte >= 0x80 or chr(byte).isalnum() or byte in b"_.-" else 0x20
    for byte in range(256)
)
"""Translates a text to lower-case words and blanks."""

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
        self.spread = plain.replace(_ARROW, b"   ").translate(_WORDS)
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


_owners: dict[bytes, list[Rule]] = {}
for _rule in RULES:
    for _keyword in _rule.keywords:
        _owners.setdefault(_keyword, []).append(_rule)

LOOSE: tuple[bytes, ...] = tuple(word for word in _owners if b" " in word[1:] or word.translate(_WORDS) != word)
"""Keywords that contain more than a word's characters; searched in the whole text."""

KEYWORDS: tuple[bytes, ...] = tuple(word for word in _owners if word not in LOOSE)
"""Keywords that are searched among the words."""

_LONGEST = max(map(len, _owners))
_STARTS = frozenset(word for word in KEYWORDS if word.startswith(b" "))
_automaton: list[Places] = []


def places_pure(text: Text) -> Iterator[tuple[bytes, int]]:
    """Yield each keyword and where it stands, using only ``bytes.find``."""
    for keyword in KEYWORDS:
        if keyword in text.words:
            yield from _occurrences(text.spread, keyword)
    for keyword in LOOSE:
        yield from _occurrences(text.lowered, keyword)


def compiled_tier() -> Places | None:
    """Return the compiled tier, built once per process, or None if its package is not installed."""
    if not _automaton:
        try:
            from ahocorasick_rs import BytesAhoCorasick, Implementation
        except ImportError:
            return None
        words, loose = (
            BytesAhoCorasick(keywords, implementation=Implementation.DFA).find_matches_as_indexes
            for keywords in (KEYWORDS, LOOSE)
        )

        def places(text: Text) -> Iterator[tuple[bytes, int]]:
            for keywords, searched, search in ((KEYWORDS, text.spread, words), (LOOSE, text.lowered, loose)):
                for begin in range(0, len(searched), PIECE):
                    for number, start, _ in search(searched[begin : begin + PIECE + _LONGEST - 1], overlapping=True):
                        if start < PIECE:  # else found again at the start of the next piece
                            yield keywords[number], begin + start

        _automaton.append(places)
    return _automaton[0]


def tier_for(size: int) -> Places:
    """Choose a tier for a text of ``size`` bytes."""
    return (compiled_tier() if _automaton or size >= COMPILED_FROM else None) or places_pure


def _occurrences(text: bytes, keyword: bytes) -> Iterator[tuple[bytes, int]]:
    at = text.find(keyword)
    while at >= 0:
        yield keyword, at
        at = text.find(keyword, at + 1)


def _at_start(text: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the keywords that start a word at the start of the text: no blank is before it."""
    if text[:1] != b" ":
        for keyword in _STARTS:
            if text.startswith(keyword[1:]):
                yield keyword, -1


def scan(plain: bytes, *, places: Places | None = None) -> list[Finding]:
    """Find the secrets in a plain view, as ``search`` does."""
    return search(Text(plain), places=places)


def search(searched: Text, *, places: Places | None = None) -> list[Finding]:
    """Find what the rules know in a text, sorted by position, overlapping ones included.

    No finding crosses a ``LINE_END`` or depends on what is behind one.
    """
    text = searched.plain
    found: set[tuple[int, int, str]] = set()
    line_start, line_end = 0, 0 if LINE_END in text else len(text)
    for rules, at in _candidates(searched, places):
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


def _candidates(text: Text, places: Places | None) -> Iterator[tuple[list[Rule], int]]:
    """Yield the rules to try, and the positions of their keywords."""
    found = (places or tier_for(len(text.plain)))(text)
    for keyword, place in chain(found, _at_start(text.spread)):
        free, guard, guarded = _by_keyword.get(keyword) or _prepared(keyword)
        rules = free
        if guard and (follows := guard(text.plain, place + len(keyword))):
            rules = guarded[follows.lastgroup]
        if rules:
            yield rules, place + (keyword in _STARTS)


_by_keyword: dict[bytes, Prepared] = {}
_GUARDS = {keyword: pattern for keywords, pattern in GUARDS for keyword in keywords}


def _prepared(keyword: bytes) -> Prepared:
    """Return the rules of a keyword that are always tried, its guard, and the rules for what the guard finds."""
    rules = _owners[keyword]
    prepared: Prepared = rules, None, {}
    if keyword in _GUARDS:
        import re

        guard = re.compile(_GUARDS[keyword])
        behind = {
            group: [rule for rule in rules if not rule.follows or group in rule.follows]
            for group in (None, *guard.groupindex)
        }
        prepared = [rule for rule in rules if not rule.is_guarded], guard.match, behind
    _by_keyword[keyword] = prepared
    return prepared
