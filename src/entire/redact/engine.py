"""Finds secrets: keywords first, then a rule's pattern at each keyword.

Two tiers find the keywords: ``ahocorasick_rs``, in one compiled pass over the text, and ``bytes.find``, in one pass per
keyword. Both return the same places, and the same ``re`` patterns decide there, so both find the same secrets. A
pattern is compiled when its keyword first occurs; clean text compiles almost nothing.
"""

from __future__ import annotations

from entire.model.value import Value
from entire.redact import heuristics
from entire.redact.rules import BACK, GENERIC, GUARDS, PIECES, ROWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from re import Match, Pattern

    Places = Callable[[bytes], "Iterator[tuple[int, int]]"]

BLOCK = 1 << 22
"""Block size of the keyword search: limits memory for large texts."""

COMPILED_FROM = 1 << 14
"""Size from which the compiled tier pays: loading it takes 1.4 ms, the pure tier 0.1 ms per KB."""


class Finding(Value):
    """A secret: its rule's id, start and end."""

    rule: str
    start: int
    end: int


class Rule:
    """A row of the pattern table, compiled on first use."""

    __slots__ = ("back", "entropy", "generic", "group", "id", "keywords", "pattern", "source")

    def __init__(self, name: str, keywords: tuple[bytes, ...], source: bytes, entropy: float, *, generic: bool) -> None:
        self.id = name
        self.keywords = keywords
        self.source = source
        self.entropy = entropy
        self.generic = generic
        self.back = BACK.get(name, 0)
        self.pattern: Pattern[bytes] | None = None
        self.group: int = 0

    def compile(self) -> Pattern[bytes]:
        """Compile the pattern after expanding its abbreviations."""
        import re

        source = self.source
        for piece, meaning in PIECES:
            source = source.replace(piece, meaning)
        self.pattern = pattern = re.compile(source)
        self.group = pattern.groupindex.get("s", min(pattern.groups, 1))
        return pattern

    def is_secret(self, found: Match[bytes]) -> bool:
        """Check a match of the pattern by its rule's heuristics."""
        value = found.group(self.group)
        if heuristics.MARK in value:
            return False
        if self.entropy and heuristics.entropy(value) < self.entropy:
            return False
        if not self.generic:
            return True
        start = found.start()
        word = next(word for word in self.keywords if found.string[start : start + len(word)].lower() == word)
        before = found.string[max(start - 12, 0) : start]
        name = found.string[start : start + len(word)].strip(b"-")
        return heuristics.assigned(before, name, value, quoted=self.id == "generic-quoted")


RULES: tuple[Rule, ...] = (
    *(Rule(*row, generic=False) for row in ROWS),
    *(Rule(*row, generic=True) for row in GENERIC),
)
"""All rules in table order: vendors' first, then generic ones."""

BY_ID: dict[str, Rule] = {rule.id: rule for rule in RULES}

_by_keyword: dict[bytes, list[Rule]] = {}
for _rule in RULES:
    for _keyword in _rule.keywords:
        _by_keyword.setdefault(_keyword, []).append(_rule)

KEYWORDS: tuple[bytes, ...] = tuple(_by_keyword)
OWNERS: tuple[tuple[int, int, list[Rule]], ...] = tuple(
    (len(word), next((number for number, (words, _) in enumerate(GUARDS) if word in words), -1), rules)
    for word, rules in _by_keyword.items()
)
"""For each keyword its length, the number of its guard or -1, and its rules."""

_LONGEST = max(map(len, KEYWORDS))
_automaton: list[Places] = []


def places_pure(lowered: bytes) -> Iterator[tuple[int, int]]:
    """Yield (keyword number, position), using only ``bytes.find``."""
    find = lowered.find
    for number, keyword in enumerate(KEYWORDS):
        at = find(keyword)
        while at >= 0:
            yield number, at
            at = find(keyword, at + 1)


def compiled_tier() -> Places | None:
    """Return the compiled tier, built once per process, or None if its package is not installed."""
    if not _automaton:
        try:
            from ahocorasick_rs import BytesAhoCorasick, Implementation
        except ImportError:
            return None
        search = BytesAhoCorasick(KEYWORDS, implementation=Implementation.DFA).find_matches_as_indexes

        def places(lowered: bytes) -> Iterator[tuple[int, int]]:
            for number, start, _end in search(lowered, overlapping=True):
                yield number, start

        _automaton.append(places)
    return _automaton[0]


def tier_for(size: int) -> Places:
    """Choose a tier for a text of ``size`` bytes."""
    return (compiled_tier() if _automaton or size >= COMPILED_FROM else None) or places_pure


def scan(data: bytes, *, by_line: bool = False, places: Places | None = None) -> list[Finding]:
    """Find the secrets in ``data``, sorted by position, overlapping ones included.

    With ``by_line`` each line is a separate text: no finding crosses a line's end or depends on other lines.
    """
    found: set[tuple[int, int, str]] = set()
    line_start, line_end = (0, -1) if by_line else (0, len(data))
    for rule, at in _candidates(data, places or tier_for(len(data))):
        if by_line and not line_start <= at <= line_end:
            line_start, line_end = line_around(data, at)
        match = (rule.pattern or rule.compile()).match(data, at - rule.back, line_end)
        if match is not None and rule.is_secret(match):
            found.add((*match.span(rule.group), rule.id))
    return [Finding(rule=name, start=start, end=end) for start, end, name in sorted(found)]


def line_around(data: bytes, at: int) -> tuple[int, int]:
    """Return the start and end of the line around ``at``, without its line feed."""
    end = data.find(b"\n", at)
    return data.rfind(b"\n", 0, at) + 1, len(data) if end < 0 else end


def _candidates(data: bytes, places: Places) -> Iterator[tuple[Rule, int]]:
    """Yield the rules to try, and the positions of their keywords."""
    guards: list[Callable[[bytes, int], object]] = []
    for begin in range(0, len(data), BLOCK):
        for number, place in places(data[begin : begin + BLOCK + _LONGEST - 1].lower()):
            if place >= BLOCK:
                continue  # found again at the start of the next block
            at = begin + place
            length, guard, rules = OWNERS[number]
            if guard >= 0:
                if not _QUICK_CHECKS[guard](data, at + length):
                    continue
                guards = guards or _compile_guards()
                if not guards[guard](data, at + length):
                    continue
            for rule in rules:
                if at >= rule.back:
                    yield rule, at


_NAME = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")
_BETWEEN = frozenset(b"\\\"'` \t")
_AFTER = frozenset(b":=> \t")
_DIGITS = b"0123456789"


def _may_assign(data: bytes, at: int) -> bool:
    """Tell whether a name may be assigned a value here: as permissive as the guard of NAMES and its rules, but without
    ``re`` (4 ms to import).
    """
    size = len(data)
    stop = min(size, at + 24)
    while at < stop and data[at] in _NAME:
        at += 1
    stop = min(size, at + 48)
    while at < stop and data[at] in _BETWEEN:
        at += 1
    if data[at : at + 4] == b"u003":
        return True
    if at >= size or data[at] not in b":=":
        return False
    while at < stop and data[at] in _AFTER:
        at += 1
    if data[at : at + 1] in (b"{", b"["):
        return False  # such as a transcript's token counts; no rule's value starts with a bracket
    value = data[at : at + 10].lstrip(_DIGITS)
    return not (data[at : at + 1].isdigit() and value[:1] in (b",", b"}"))


def _may_be_login(data: bytes, at: int) -> bool:
    """Tell whether an ``@`` follows ``://`` before anything that ends a login."""
    place = data.find(b"@", at, at + 401)
    return place > at and len(data[at:place].translate(None, b" \t\n\r\v\f\"'`/?#<>")) == place - at


_QUICK_CHECKS = (_may_assign, _may_be_login)
"""One per guard: a check on bytes alone, so that clean text needs no pattern."""


def _compile_guards() -> list[Callable[[bytes, int], object]]:
    import re

    return [re.compile(pattern).match for _, pattern in GUARDS]
