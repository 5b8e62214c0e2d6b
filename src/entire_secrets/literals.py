"""Finds literals that are rare: dozens of them in a tenth of the time that ``bytes.find`` takes for one.

The search of ``ahocorasick_rs`` compares many bytes at once, but only for some dozens of literals of two bytes or more.
The keywords of rules are too many for that: ``keyword_search`` finds them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ahocorasick_rs import BytesAhoCorasick

COMPILED_FROM = 1 << 17
"""Size of a text from which it pays to load and make what is compiled."""

_SAMPLE = 1 << 15
"""How much of a text is looked at first: what is frequent is there."""

_automata: dict[tuple[bytes, ...], BytesAhoCorasick | None] = {}


def occur(text: bytes, literals: tuple[bytes, ...]) -> bool:
    """Tell whether one of the literals occurs in a text."""
    sample = text[:_SAMPLE]
    return any(each in sample for each in literals) or (len(sample) < len(text) and bool(places(text, literals)))


def places(text: bytes, literals: tuple[bytes, ...]) -> list[int]:
    """Return where the literals stand in a text, in order; of those that overlap, perhaps only the first."""
    automaton = _automaton(literals) if len(text) >= COMPILED_FROM else None
    starts = [start for _, start, _ in automaton.find_matches_as_indexes(text)] if automaton else []
    for literal in literals:
        if automaton is None or len(literal) == 1:
            starts += occurrences(text, literal)
    return sorted(starts)


def occurrences(text: bytes, literal: bytes) -> Iterator[int]:
    """Yield where a literal stands in a text, also where it overlaps itself."""
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + 1)


def _automaton(literals: tuple[bytes, ...]) -> BytesAhoCorasick | None:
    """Return what searches for all literals but single bytes, or None if there is none."""
    if literals not in _automata:
        _automata[literals] = _compiled([each for each in literals if len(each) > 1])
    return _automata[literals]


def _compiled(literals: list[bytes]) -> BytesAhoCorasick | None:
    if not literals:
        return None
    try:
        from ahocorasick_rs import BytesAhoCorasick, MatchKind
    except ImportError:
        return None
    return BytesAhoCorasick(literals, matchkind=MatchKind.LeftmostFirst)
