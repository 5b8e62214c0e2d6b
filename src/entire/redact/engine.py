"""Finds secrets in plain text: keywords among the words first, then a rule's pattern at each keyword.

The words of a text, each taken once, are a small part of it; so hundreds of keywords cost little. Two tiers find the
keywords among them: ``ahocorasick_rs``, in one compiled pass, and ``bytes.find``, in one pass per keyword. A pattern is
compiled when its keyword first occurs; clean text compiles almost nothing.
"""

from __future__ import annotations

from entire.model.value import Value
from entire.redact.rules.table import GUARDS, RULES, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from re import Match

    Present = Callable[[bytes], set[int]]

LINE_END = b"\x1e\n"
"""Ends a line of JSON lines in a text; ends of lines within JSON strings are plain line feeds there."""

COMPILED_FROM = 1 << 14
"""Size of the words from which the compiled tier pays: loading it takes 1.4 ms."""

_WORDS = bytes(
    byte + 32 if 0x41 <= byte <= 0x5A else byte if byte >= 0x80 or chr(byte).isalnum() or byte in b"_.-" else 0x20
    for byte in range(256)
)
"""Translates a text to lower-case words and blanks."""


class Finding(Value):
    """A secret: its rule's id, start and end, and, if it was mapped back to raw bytes, its value in the plain view."""

    rule: str
    start: int
    end: int
    value: bytes = b""


class Text:
    """A plain view to search: also in lower case with only its words, and its distinct words."""

    __slots__ = ("plain", "spread", "words")

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        self.spread = plain.translate(_WORDS)
        self.words = b" ".join(set(self.spread.split()))


_owners: dict[bytes, list[Rule]] = {}
for _rule in RULES:
    for _keyword in _rule.keywords:
        _owners.setdefault(_keyword, []).append(_rule)

LOOSE: tuple[bytes, ...] = tuple(word for word in _owners if word.translate(_WORDS) != word)
"""Keywords that contain more than a word's characters; searched in the whole text."""

KEYWORDS: tuple[bytes, ...] = tuple(word for word in _owners if word not in LOOSE)
"""Keywords that are searched among the words."""

_automaton: list[Present] = []


def present_pure(words: bytes) -> set[int]:
    """Return the numbers of the keywords in ``words``, using only ``bytes.find``."""
    return {number for number, keyword in enumerate(KEYWORDS) if keyword in words}


def compiled_tier() -> Present | None:
    """Return the compiled tier, built once per process, or None if its package is not installed."""
    if not _automaton:
        try:
            from ahocorasick_rs import BytesAhoCorasick, Implementation
        except ImportError:
            return None
        search = BytesAhoCorasick(KEYWORDS, implementation=Implementation.DFA).find_matches_as_indexes
        _automaton.append(lambda words: {number for number, _, _ in search(words, overlapping=True)})
    return _automaton[0]


def tier_for(size: int) -> Present:
    """Choose a tier for ``size`` bytes of words."""
    return (compiled_tier() if _automaton or size >= COMPILED_FROM else None) or present_pure


def scan(plain: bytes, *, present: Present | None = None) -> list[Finding]:
    """Find the secrets in a plain view, as ``search`` does."""
    return search(Text(plain), present=present)


def search(searched: Text, *, present: Present | None = None) -> list[Finding]:
    """Find what the rules know in a text, sorted by position, overlapping ones included.

    No finding crosses a ``LINE_END`` or depends on what is behind one.
    """
    text = searched.plain
    found: set[tuple[int, int, str]] = set()
    line_start, line_end = 0, 0 if LINE_END in text else len(text)
    for rule, at in _candidates(searched, present):
        if not line_start <= at < line_end:
            line_start, line_end = _line_around(text, at)
        start = max(at - rule.back, line_start)
        match = (rule.pattern or rule.compile()).match(text, start, line_end)
        if match is not None and rule.is_secret(match):
            found.add((*match.span(rule.group), rule.id))
    return [Finding(rule=name, start=start, end=end) for start, end, name in sorted(found)]


def _line_around(text: bytes, at: int) -> tuple[int, int]:
    start, end = text.rfind(LINE_END, 0, at), text.find(LINE_END, at)
    return (0 if start < 0 else start + len(LINE_END)), (len(text) if end < 0 else end)


def _candidates(text: Text, present: Present | None) -> Iterator[tuple[Rule, int]]:
    """Yield the rules to try, and the positions of their keywords."""
    for number in (present or tier_for(len(text.words)))(text.words):
        yield from _tries(text.plain, text.spread, KEYWORDS[number])
    lowered = text.plain.lower()
    for keyword in LOOSE:
        yield from _tries(text.plain, lowered, keyword)


def _tries(text: bytes, lowered: bytes, keyword: bytes) -> Iterator[tuple[Rule, int]]:
    at = lowered.find(keyword)
    if at < 0:
        return
    guard = _compiled(_GUARDS[keyword]) if keyword in _GUARDS else None
    free = [rule for rule in _owners[keyword] if not (guard and rule.is_guarded)]
    guarded = [rule for rule in _owners[keyword] if rule not in free]
    size = len(keyword)
    while at >= 0:
        for rule in free:
            yield rule, at
        if guard and guard(text, at + size):
            for rule in guarded:
                yield rule, at
        at = lowered.find(keyword, at + 1)


_GUARDS = {keyword: pattern for keywords, pattern in GUARDS for keyword in keywords}


def _compiled(pattern: bytes) -> Callable[[bytes, int], Match[bytes] | None]:
    import re

    return re.compile(pattern).match
