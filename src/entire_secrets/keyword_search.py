"""Finds where the keywords of rules stand in a text, in two tiers that find the same.

The *compiled* tier takes two passes: ``ahocorasick_rs`` finds the keywords whose rules are tried wherever they stand,
and RE2 those that are common, each together with its guard (see ``rules.guards``). The *pure* tier looks up which runs
of three bytes the distinct words of the text have, which are a small part of it: few keywords have one of them. It asks
``bytes.find`` for these, among the distinct words and then in one pass over the text; it tries a guard at each place.
"""

from __future__ import annotations

from entire_secrets import literals, patterns
from entire_secrets.rules.keywords import FREE, GUARDED
from entire_secrets.text import ARROW, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from re import Match

    from entire_secrets.rules.rule import Rule
    from entire_secrets.text import Text

    Places = Callable[["Text"], Iterator[tuple[bytes, int]]]
    Guard = Callable[[bytes, int], Match[bytes] | None]

PIECE = 1 << 18
"""How much of a text is searched for keywords at once: bounds the memory for their places."""

AUTOMATON = 1 << 23
"""Bytes that RE2 may use for the states of its automaton; it makes them while it reads."""

SIGNS = b"abcdefghijklmnopqrstuvwxyz0123456789_.-"
"""What words consist of, as keywords write them."""


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
    plain = text.plain
    for keyword, at in tier.guarded(text):
        if keyword == COUNTED and _is_count(plain, at):
            continue
        guard, size = _guards.get(keyword) or _compile(keyword)
        if (follows := guard(plain, at + size)) and (rules := _rules(keyword, follows)):
            yield rules, at


def _is_count(text: bytes, at: int) -> bool:
    """Tell without a pattern whether ``COUNTED`` at ``at`` is in a name with a number, as in ``"input_tokens": 1034,``,
    or with several: every message of an agent has such counts, and no rule takes one for a secret.
    """
    end = at + len(COUNTED)
    if not text.startswith(b's":', end):
        return False
    name = text[text.rfind(b'"', max(at - LONGEST_NAME, 0), at) + 1 : at]
    number = text[end + 3 : end + 3 + LONGEST_COUNT].removeprefix(b" ")
    rest = number.lstrip(b"0123456789")
    is_number = rest != number and rest.startswith((b',"', b", ", b"}"))
    return (is_number or number.startswith(b"{")) and (not name or name.replace(b"_", b"").isalpha())


COUNTED = b"token"
"""The keyword in names of counts."""

LONGEST_NAME = 40
LONGEST_COUNT = 20
"""Sizes of what is looked at before the keyword, and of the number with what is around it."""

_guards: dict[bytes, tuple[Guard, int]] = {}
"""Of each keyword its guard, and the size of what stands before that."""

_rules_by_keyword: dict[tuple[bytes, str | None, bool], list[Rule]] = {}


def _compile(keyword: bytes) -> tuple[Guard, int]:

    from entire_secrets.rules.guards import GUARD_OF

    _guards[keyword] = compiled = patterns.compile(GUARD_OF[keyword]).match, len(_standing(keyword))
    return compiled


def _rules(keyword: bytes, follows: Match[bytes] | None) -> list[Rule]:
    """Return the rules to try at a keyword, with what its guard found; their modules are loaded here."""
    asked = keyword, follows.lastgroup if follows else None, bool(follows)
    if asked not in _rules_by_keyword:
        from entire_secrets.rules.guards import FOLLOWS, is_free
        from entire_secrets.rules.modules import MODULES
        from entire_secrets.rules.rule import of_module

        group, is_guarded = asked[1:]
        _rules_by_keyword[asked] = [
            rule
            for name in MODULES[keyword].split()
            for rule in of_module(name)
            if keyword in rule.keywords
            and is_free(keyword, rule.id) is not is_guarded
            and (not is_guarded or group in FOLLOWS.get(rule.id, (group,)))
        ]
    return _rules_by_keyword[asked]


def _is_loose(keyword: bytes) -> bool:
    """Tell whether a keyword has more than a word's characters: it is searched in the whole text."""
    return bool(keyword.removeprefix(b" ").translate(None, SIGNS))


def _is_start(keyword: bytes) -> bool:
    """Tell whether a keyword counts only where a word starts: a blank before it says so."""
    return keyword.startswith(b" ") and not _is_loose(keyword)


def _standing(keyword: bytes) -> bytes:
    """Return what of a keyword stands in a text."""
    return keyword[1:] if _is_start(keyword) else keyword


def _pure(by_trigram: dict[bytes, tuple[bytes, ...]]) -> Places:
    """Return a search for keywords that uses only ``bytes.find``."""

    def places(text: Text) -> Iterator[tuple[bytes, int]]:
        for trigram in (b"", *sorted(by_trigram.keys() & text.trigrams)):
            for keyword in by_trigram.get(trigram, ()):
                if _is_loose(keyword):
                    yield from ((keyword, at) for at in literals.occurrences(text.lowered, keyword))
                elif keyword in text.words:
                    shift = keyword.startswith(b" ")
                    yield from ((keyword, at + shift) for at in literals.occurrences(text.spread, keyword))
                    if shift:
                        yield from _at_start(text.spread, (keyword,))

    return places


def _at_start(spread: bytes, starts: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield which of the keywords that count where a word starts is at the start of the text: no blank is before it."""
    for keyword in starts:
        if spread.startswith(keyword[1:]):
            yield keyword, 0


PURE = Tier(_pure(FREE), _pure(GUARDED))


def _compiled(keywords: tuple[bytes, ...]) -> Places:
    """Return a search for keywords by ``ahocorasick_rs``, in one pass over what any of them contains."""
    from ahocorasick_rs import BytesAhoCorasick, Implementation

    loose = b"".join(keyword for keyword in keywords if _is_loose(keyword))
    others = bytes(sign for sign in set(loose) if sign < 0x80 and sign not in SIGNS)
    signs = bytes(byte if byte in others else word for byte, word in enumerate(WORDS))
    spelled: list[tuple[bytes, bytes, int]] = []  # a keyword, how it is spelled, and where it begins there
    starts = list(filter(_is_start, keywords))
    for keyword in keywords:
        if _is_start(keyword):
            spelled += [(keyword, bytes((before,)) + keyword[1:], 1) for before in others + ARROW[-1:]]
        else:
            spelled.append((keyword, keyword, 0))
    longest = max(len(spelling) for _, spelling, _ in spelled)
    implementation = Implementation.DFA
    search = BytesAhoCorasick([each for _, each, _ in spelled], implementation=implementation).find_matches_as_indexes

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

    from entire_secrets.rules.guards import GUARDS

    patterns = []
    for keywords, guard in GUARDS:
        words = b"|".join(_at_word(keyword) + re.escape(_standing(keyword)) for keyword in keywords)
        patterns.append(b"(?:" + words + b")(?:" + _loosened(guard) + b")")
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    options.max_mem = AUTOMATON
    options.case_sensitive = False
    search = re2.compile(b"|".join(patterns), options).search
    guarded = _flat(GUARDED)
    longest = max(map(len, guarded))
    by_beginning: dict[bytes, list[tuple[bytes, bytes]]] = {}
    for keyword in guarded:
        stands = _standing(keyword)
        by_beginning.setdefault(stands[:2], []).append((keyword, stands))

    def places(text: Text) -> Iterator[tuple[bytes, int]]:
        at = -1
        while match := search(text.plain, at + 1):
            at = match.start()
            beginning = text.plain[at : at + longest].lower()
            for keyword, stands in by_beginning.get(beginning[:2], ()):
                if beginning.startswith(stands) and (stands == keyword or not at or text.spread[at - 1] == 0x20):
                    yield keyword, at

    return places


def _at_word(keyword: bytes) -> bytes:
    """Return the pattern of a word's start before a keyword that counts only there; RE2 sees words as we nearly do."""
    return rb"\b" if _is_start(keyword) and keyword[1:2].isalnum() else b""


def _loosened(guard: bytes) -> bytes:
    """Return a guard that an automaton needs few states for: it neither looks ahead nor counts, and names no group."""
    import re

    guard = re.sub(rb"\(\?=[^()]*\)", b"", re.sub(rb"\?P<\w+>", b"?:", guard))
    guard = re.sub(rb"\{0,\d+\}", b"*", re.sub(rb"\{1,\d+\}", b"+", guard))
    return re.sub(rb"(?<=,)\d\d+\}", b"}", guard)


def _flat(by_trigram: dict[bytes, tuple[bytes, ...]]) -> tuple[bytes, ...]:
    return tuple(keyword for keywords in by_trigram.values() for keyword in keywords)


_tiers: list[Tier | None] = []


def compiled_tier() -> Tier | None:
    """Return the compiled tier, built once per process, or None if its packages are not installed."""
    if not _tiers:
        try:
            _tiers.append(Tier(_compiled(_flat(FREE)), _sieve()))
        except ImportError:
            _tiers.append(None)
    return _tiers[0]


def tier_for(size: int) -> Tier:
    """Choose a tier for a text of ``size`` bytes."""
    return (compiled_tier() if _tiers or size >= literals.COMPILED_FROM else None) or PURE
