"""Finds where the keywords of rules stand in a text, in two tiers that find the same.

The *compiled* tier takes two passes: ``ahocorasick_rs`` finds the keywords whose rules are tried wherever they stand,
and RE2 those that are common, each together with its guard (see ``rules.guards``). The *pure* tier asks ``bytes.find``:
for words among the distinct words of the text, which are a small part of it, and then in one pass for each that is
there; it tries a guard at each place.
"""

from __future__ import annotations

from entire.redact import literals
from entire.redact.rules.guards import FOLLOWS, GUARD_OF, GUARDS, is_free
from entire.redact.rules.keywords import FREE, GUARDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from re import Match

    from entire.redact.engine import Text
    from entire.redact.rules.table import Rule

    Places = Callable[["Text"], Iterator[tuple[bytes, int]]]
    Guard = Callable[[bytes, int], Match[bytes] | None]

PIECE = 1 << 18
"""How much of a text is searched for keywords at once: bounds the memory for their places."""

AUTOMATON = 1 << 25
"""Bytes that RE2 may use for the states of its automaton; it makes them while it reads."""

WORDS = bytes(
    byte + 32 if 0x41 <= byte <= 0x5A else byte if byte >= 0x80 or chr(byte).isalnum() or byte in b"_.-" else 0x20
    for byte in range(256)
)
"""Translates a text to lower-case words and blanks."""

ARROW = "→".encode()
"""Stands between the number of a line and the line in what agents read; no part of a word."""

_SIGNS = b"abcdefghijklmnopqrstuvwxyz0123456789_.-"

_LOOSE = frozenset(word for word in (*FREE, *GUARDED) if word.removeprefix(b" ").translate(None, _SIGNS))
"""Keywords of more than a word's characters: they are searched in the whole text."""

_STARTS = {word: word[1:] for word in (*FREE, *GUARDED) if word.startswith(b" ") and word not in _LOOSE}
"""Keywords that count only where a word starts, and what of them stands there."""


class Tier:
    """A way to find places: of keywords whose rules are always tried, and of those with a guard that may hold."""

    __slots__ = ("free", "guarded")

    def __init__(self, free: Places, guarded: Places) -> None:
        self.free = free
        self.guarded = guarded


def candidates(text: Text, tier: Tier) -> Iterator[tuple[list[Rule], int]]:
    """Yield the rules to try, and the positions of their keywords."""
    for keyword, at in tier.free(text):
        yield _rules(keyword, None), at
    for keyword, at in tier.guarded(text):
        guard = _guards.get(keyword) or _compile(keyword)
        if (follows := guard(text.plain, at + len(_STARTS.get(keyword, keyword)))) and (
            rules := _rules(keyword, follows)
        ):
            yield rules, at


_guards: dict[bytes, Guard] = {}
_found: dict[tuple[bytes, str | None, bool], list[Rule]] = {}


def _compile(keyword: bytes) -> Guard:
    import re

    _guards[keyword] = guard = re.compile(GUARD_OF[keyword]).match
    return guard


def _rules(keyword: bytes, follows: Match[bytes] | None) -> list[Rule]:
    """Return the rules to try at a keyword, with what its guard found; the table of rules is loaded here."""
    asked = keyword, follows.lastgroup if follows else None, bool(follows)
    if asked not in _found:
        from entire.redact.rules.table import BY_KEYWORD

        group, is_guarded = asked[1:]
        of_keyword = BY_KEYWORD[keyword]
        _found[asked] = [
            rule
            for rule in of_keyword
            if is_free(keyword, rule.id) is not is_guarded
            and (not is_guarded or group in FOLLOWS.get(rule.id, (group,)))
        ]
    return _found[asked]


def _pure(keywords: Iterable[bytes]) -> Places:
    """Return a search for keywords that uses only ``bytes.find``."""
    words = [word for word in keywords if word not in _LOOSE]
    loose = [word for word in keywords if word in _LOOSE]
    starts = [word for word in words if word in _STARTS]

    def places(text: Text) -> Iterator[tuple[bytes, int]]:
        vocabulary = text.words
        for keyword in words:
            if keyword in vocabulary:
                shift = keyword in _STARTS
                yield from ((keyword, at + shift) for at in _occurrences(text.spread, keyword))
        yield from _at_start(text.spread, starts)
        for keyword in loose:
            yield from ((keyword, at) for at in _occurrences(text.lowered, keyword))

    return places


def _occurrences(text: bytes, keyword: bytes) -> Iterator[int]:
    at = text.find(keyword)
    while at >= 0:
        yield at
        at = text.find(keyword, at + 1)


def _at_start(spread: bytes, starts: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield which of ``_STARTS`` starts a word at the start of the text: no blank is before it."""
    for keyword in starts:
        if spread.startswith(_STARTS[keyword]):
            yield keyword, 0


PURE = Tier(_pure(FREE), _pure(GUARDED))


def _compiled(keywords: Iterable[bytes]) -> Places:
    """Return a search for keywords by ``ahocorasick_rs``, in one pass over what any of them contains."""
    from ahocorasick_rs import BytesAhoCorasick, Implementation

    others = bytes(sign for sign in set(b"".join(_LOOSE)) if sign < 0x80 and sign not in _SIGNS)
    signs = bytes(byte if byte in others else word for byte, word in enumerate(WORDS))
    spelled: list[tuple[bytes, bytes, int]] = []  # a keyword, how it is spelled, and where it begins there
    for keyword in keywords:
        if keyword in _STARTS:
            spelled += [(keyword, bytes((before,)) + _STARTS[keyword], 1) for before in others + ARROW[-1:]]
        else:
            spelled.append((keyword, keyword, 0))
    longest = max(len(spelling) for _, spelling, _ in spelled)
    implementation = Implementation.DFA
    search = BytesAhoCorasick([each for _, each, _ in spelled], implementation=implementation).find_matches_as_indexes
    starts = [keyword for keyword in keywords if keyword in _STARTS]

    def places(text: Text) -> Iterator[tuple[bytes, int]]:
        searched = text.plain.translate(signs)
        for begin in range(0, len(searched), PIECE):
            for number, start, _ in search(searched[begin : begin + PIECE + longest - 1], overlapping=True):
                if start < PIECE:  # else found again at the start of the next piece
                    keyword, _, shift = spelled[number]
                    if not shift or text.spread[begin + start] == 0x20:
                        yield keyword, begin + start + shift
        yield from _at_start(text.spread, starts)

    return places


def _sieve() -> Places:
    """Return a search for keywords with their guards by RE2, which may pass what the guard does not."""
    import re

    import re2

    patterns = []
    for keywords, guard in GUARDS:
        words = b"|".join(re.escape(_STARTS.get(keyword, keyword)) for keyword in keywords)
        simple = re.sub(rb"\(\?=[^()]*\)", b"", re.sub(rb"\?P<\w+>", b"?:", guard))
        simple = re.sub(rb"(?<=,)\d\d+\}", b"}", simple)  # an automaton need not count
        patterns.append(b"(?:" + words + b")(?:" + simple + b")")
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    options.max_mem = AUTOMATON
    options.case_sensitive = False
    search = re2.compile(b"|".join(patterns), options).search
    longest = max(map(len, GUARDED))
    by_beginning: dict[bytes, list[tuple[bytes, bytes]]] = {}
    for keyword in GUARDED:
        stands = _STARTS.get(keyword, keyword)
        by_beginning.setdefault(stands[:2], []).append((keyword, stands))

    def places(text: Text) -> Iterator[tuple[bytes, int]]:
        at = -1
        while found := search(text.plain, at + 1):
            at = found.start()
            beginning = text.plain[at : at + longest].lower()
            for keyword, stands in by_beginning.get(beginning[:2], ()):
                if beginning.startswith(stands) and (stands is keyword or not at or text.spread[at - 1] == 0x20):
                    yield keyword, at

    return places


_tiers: list[Tier | None] = []


def compiled_tier() -> Tier | None:
    """Return the compiled tier, built once per process, or None if its packages are not installed."""
    if not _tiers:
        try:
            _tiers.append(Tier(_compiled(FREE), _sieve()))
        except ImportError:
            _tiers.append(None)
    return _tiers[0]


def tier_for(size: int) -> Tier:
    """Choose a tier for a text of ``size`` bytes."""
    return (compiled_tier() if _tiers or size >= literals.COMPILED_FROM else None) or PURE
