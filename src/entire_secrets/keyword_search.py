"""Finds where the keywords of rules stand in a text, in two tiers that find the same.

The *compiled* tier takes two passes: ``ahocorasick_rs`` finds the keywords whose rules are tried wherever they stand,
and RE2 those that are common, each together with its guard (see ``rules.guards``). The *pure* tier looks up which runs
of three bytes the distinct words of the text have, which are a small part of it (see ``likely``). It asks
``bytes.find`` for the keywords that stand there, and tries a guard at each place.
"""

from __future__ import annotations

import os
import sys

from entire_secrets import literals, patterns
from entire_secrets.rules.keywords import LINES, RUNS
from entire_secrets.text import ARROW, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from re import Match, Pattern
    from typing import Any

    from entire_secrets.rules.rule import Facts, Rule
    from entire_secrets.text import Text

    Places = Callable[["Text"], Iterator[tuple[bytes, int]]]
    Guard = Callable[[bytes, int], Match[bytes] | None]
    Stamp = tuple[str, int, int]
    # A file in the folder of the rules, its size, and its time in ns.

SIGNS = b"abcdefghijklmnopqrstuvwxyz0123456789_.-"
"""What words consist of, as keywords write them."""

RUN = 3

SHORT = 400
"""Bytes of distinct words, of which most prompts have fewer, from which on it pays to compile patterns."""

FREE, GUARDED, LOOSE = b"F", b"G", b"L"
"""Kinds of a keyword, of which it may have several: it has rules that are tried wherever it stands, or only where its
guard holds; it has more than a word's characters, so it is searched in the whole text.
"""

BETWEEN = ("..", ".?", "")
"""What may be between the beginnings of a keyword's two runs, behind the first character, for each pair of ``RUNS``:
the runs of a long keyword do not overlap, a short one has a single run.
"""

# Five bits for each sign: digits share two codes, and what is no sign is a blank.
_CODES = bytes.maketrans(
    bytes(range(256)).translate(None, SIGNS) + SIGNS,
    bytes(256 - len(SIGNS)) + bytes(range(1, 27)) + b"\x1b" * 5 + b"\x1c" * 5 + b"\x1d\x1e\x1f",
)

PIECE = 1 << 18
"""How much of a text is searched for keywords at once: bounds the memory for their places."""

AUTOMATON = 1 << 23
"""Bytes that RE2 may use for the states of its automaton; it makes them while it reads."""


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
    _guards[keyword] = compiled = patterns.compile(guard_of(keyword)).match, len(_standing(keyword))
    return compiled


def _rules(keyword: bytes, follows: Match[bytes] | None) -> list[Rule]:
    """Return the rules to try at a keyword, with what its guard found."""
    asked = keyword, follows.lastgroup if follows else None, bool(follows)
    rules = _rules_by_keyword.get(asked)
    if rules is None:
        rules = _rules_by_keyword[asked] = for_keyword(*asked)
    return rules


def is_loose(keyword: bytes) -> bool:
    """Tell whether a keyword has more than a word's characters: it is searched in the whole text."""
    return bool(keyword.removeprefix(b" ").translate(None, SIGNS))


def _is_start(keyword: bytes) -> bool:
    """Tell whether a keyword counts only where a word starts: a blank before it says so."""
    return keyword.startswith(b" ") and not is_loose(keyword)


def _standing(keyword: bytes) -> bytes:
    """Return what of a keyword stands in a text."""
    return keyword[1:] if _is_start(keyword) else keyword


def _pure(kind: bytes) -> Places:
    """Return a search for the keywords of a kind that uses only ``bytes.find``."""

    def places(text: Text) -> Iterator[tuple[bytes, int]]:
        if text.keywords is None:
            text.keywords = likely(text)
        for keyword, kinds in text.keywords.items():
            if kind not in kinds:
                continue
            if LOOSE in kinds:
                yield from ((keyword, at) for at in literals.occurrences(text.lowered, keyword))
            else:
                shift = keyword.startswith(b" ")
                yield from ((keyword, at + shift) for at in literals.occurrences(text.spread, keyword))
                if shift:
                    yield from _at_start(text.spread, (keyword,))

    return places


_searches: list[Pattern[str]] = []


def likely(text: Text) -> dict[bytes, bytes]:
    """Return the keywords that may stand in a text, and their kinds; all that do are among them.

    Python is too slow to look at each byte of a text, and so is ``bytes.find`` for each of 2,000 keywords. So each run
    of three bytes of the words becomes one character, by arithmetic on the whole text, and the engine of ``re`` looks
    for the characters of runs that are rare in clean text: ``RUNS`` has one of each keyword, and a later one of it that
    must follow. What is found leads to a line of ``LINES``: ``RUN|KEYWORD;KIND;MODULES,KEYWORD;KIND;MODULES``.
    """
    words, found = text.words, dict[bytes, bytes]()
    of_run: dict[bytes, list[tuple[bytes, bytes, int]]] = {}
    for at in range(len(words) - RUN + 1) if len(words) < SHORT else _places(words):
        run = words[at : at + RUN]
        entries = of_run.get(run)
        if entries is None:
            entries = of_run[run] = _entries(run)
        for keyword, kind, offset in entries:
            if words.startswith(keyword, at - offset) or LOOSE in kind:
                found[keyword] = kind
    for sign in _OTHERS:
        if sign in text.lowered:
            found.update((keyword, kind) for keyword, kind, _ in _entries(sign))
    return found


def _places(words: bytes) -> Iterator[int]:
    """Yield where words may have the run of a keyword."""
    if not _searches:
        _searches.extend(_search(*each) for each in zip(RUNS, BETWEEN, strict=True))
    characters = _characters(words)
    return (match.start() for search in _searches for match in search.finditer(characters))


def all_of(kind: bytes) -> tuple[bytes, ...]:
    """Return every keyword of a kind."""
    runs = (line.partition(b"|")[0] for part in LINES.values() for line in part.splitlines()[1:])
    return tuple(keyword for run in runs for keyword, kinds, _ in _entries(run) if kind in kinds)


def modules(keyword: bytes) -> list[str]:
    """Return the modules that have rules of a keyword."""
    for part in LINES.values():
        for before in (b"|", b","):
            start = part.find(before + keyword + b";")
            if start >= 0:
                entry = part[start + 1 : part.find(b"\n", start)].partition(b",")[0]
                return entry.rpartition(b";")[2].decode().split()
    return []


_OTHERS = tuple(line.partition(b"|")[0] for line in LINES[b""].splitlines()[1:])
"""Of the keywords without a run, a sign of each that no word has, or nothing."""


def _characters(words: bytes) -> str:
    """Return a character for each byte: of its code, and those of the two next ones."""
    wide = words.translate(_CODES).decode("latin-1").encode("utf-16-le")
    number = int.from_bytes(wide, "little")
    joined = number | number >> 16 << 5 | number >> 32 << 10
    return joined.to_bytes(len(wide) + 2, "little").decode("utf-16-le")[:-1]


def _search(runs: tuple[bytes, bytes], between: str) -> Pattern[str]:
    first, then = (f"[{_characters(each)[::RUN]}]" if each else "" for each in runs)
    return patterns.compile(f"{first}(?={between}{then})" if then else first, patterns.DOTALL)


def _entries(run: bytes) -> list[tuple[bytes, bytes, int]]:
    """Return the keywords in the line of a run, their kinds, and where in each the run is; none for a run that differs
    from one that has a line by a digit.
    """
    part = LINES.get(run[:1] if len(run) == RUN else b"", b"")
    start = part.find(b"\n%s|" % run)
    if start < 0:
        return []
    found = []
    for entry in part[start + len(run) + 2 : part.find(b"\n", start + 1)].split(b","):
        keyword, kind, _ = entry.split(b";")
        found.append((keyword, kind, keyword.find(run)))
    return found


def _at_start(spread: bytes, starts: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield which of the keywords that count where a word starts is at the start of the text: no blank is before it."""
    for keyword in starts:
        if spread.startswith(keyword[1:]):
            yield keyword, 0


PURE = Tier(_pure(FREE), _pure(GUARDED))


def _compiled(keywords: tuple[bytes, ...]) -> Places:
    """Return a search for keywords by ``ahocorasick_rs``, in one pass over what any of them contains."""
    from ahocorasick_rs import BytesAhoCorasick, Implementation

    loose = b"".join(keyword for keyword in keywords if is_loose(keyword))
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
    guarded = all_of(GUARDED)
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


_tiers: list[Tier | None] = []


def compiled_tier() -> Tier | None:
    """Return the compiled tier, built once per process, or None if its packages are not installed."""
    if not _tiers:
        try:
            _tiers.append(Tier(_compiled(all_of(FREE)), _sieve()))
        except ImportError:
            _tiers.append(None)
    return _tiers[0]


def tier_for(size: int) -> Tier:
    """Choose a tier for a text of ``size`` bytes."""
    return (compiled_tier() if _tiers or size >= literals.COMPILED_FROM else None) or PURE


# ---------------------------------------------------------------- what is kept
# The rules of a keyword are kept beside the compiled patterns, so a hook loads no module of rules. What is kept names
# the files that it was made of; if one of them has changed, it is made again.

_FOLDER = f"{os.path.dirname(__file__)}/rules"
_COMMON = ("guards.py", "keywords.py", "macros.py", "rows.py", "rule.py")
"""What the rules of every keyword are made of."""


def for_keyword(keyword: bytes, group: str | None, is_guarded: bool) -> list[Rule]:
    """Return the rules to try at a keyword: those behind its guard, which found ``group``, or those without."""
    key = ("rules", keyword, group, is_guarded)
    names = _fresh(key)
    found: list[Any] = [_fresh(("rule", name)) for name in names] if names is not None else [None]
    if None in found:
        stamps, found = _made(keyword, group, is_guarded)
        patterns.keep(key, (stamps, tuple(facts[0] for facts in found)))
        for facts in found:
            patterns.keep(("rule", facts[0]), (stamps, facts))
    from entire_secrets.rules.rule import Rule

    return [Rule(facts) for facts in found]


def _fresh(key: tuple[object, ...]) -> Any:
    """Return what is kept under a key; None if there is nothing, or a file has changed that it was made of."""
    stamps, value = patterns.kept(key) or ((), None)
    return value if all(_stamp(stamp[0]) == stamp for stamp in stamps) else None


def guard_of(keyword: bytes) -> bytes:
    """Return the pattern of a keyword's guard."""
    key = ("guard", keyword)
    pattern: bytes | None = _fresh(key)
    if pattern is None:
        before = frozenset(sys.modules)
        from entire_secrets.rules.guards import GUARD_OF

        patterns.once.update(sys.modules.keys() - before)
        pattern = GUARD_OF[keyword]
        patterns.keep(key, ((_stamp("guards.py"),), pattern))
    return pattern


def _made(keyword: bytes, group: str | None, is_guarded: bool) -> tuple[tuple[Stamp, ...], list[Facts]]:
    before = frozenset(sys.modules)
    from entire_secrets.rules import rows
    from entire_secrets.rules.guards import FOLLOWS, is_free

    names = modules(keyword)
    facts = [
        each.facts
        for name in names
        for each in rows.of_keyword(name, keyword)
        if is_free(keyword, each.id) is not is_guarded and (not is_guarded or group in FOLLOWS.get(each.id, (group,)))
    ]
    patterns.once.update(sys.modules.keys() - before)
    return tuple(_stamp(file) for file in (*_COMMON, *map(rows.file_of, names))), facts


def _stamp(file: str) -> Stamp:
    try:
        found = os.stat(f"{_FOLDER}/{file}")
    except OSError:  # it is no file of its own
        return file, 0, 0
    return file, found.st_size, found.st_mtime_ns
