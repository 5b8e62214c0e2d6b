"""A rule: where to look for a secret, and what counts as one. ``rows`` makes rules of rows."""

from __future__ import annotations

from entire_secrets import patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from re import Match, Pattern
    from typing import Any

    Facts = tuple[str, bytes, float, int, int, bytes, bool, bool, int, bytes]
    """What a rule is made of, and what is kept of it: see ``Rule``."""


LOGINS = frozenset({"basic-auth-flag", "go-login", "netrc-password", "url-credentials"})
"""Rules for passwords that stand behind a user's name: documentation writes very short ones there."""


class Rule:
    """One rule, whose pattern is compiled on first use."""

    __slots__ = (
        "back", "before", "entropy", "group", "id", "is_place", "is_start", "match", "needle", "pattern", "rank",
        "source_pattern", "within",
    )  # fmt: skip

    def __init__(self, facts: Facts) -> None:
        (
            self.id,
            self.source_pattern,
            self.entropy,
            self.back,
            self.before,
            self.needle,
            self.is_place,
            self.is_start,
            self.rank,
            self.within,
        ) = facts
        # ``is_start``: it finds nothing behind an ASCII letter or digit. ``rank``: 0 for a provider's secret, 1 for a
        # place, 2 for a value behind a name, 3 for the second opinion.
        self.pattern: Pattern[bytes] | None = None
        self.group: int = 0
        self.match: Callable[[bytes, int, int], Match[bytes] | None] | None = None
        """Matches the compiled pattern at a keyword; None where that is not all there is to do."""

    def compile(self) -> Pattern[bytes]:
        """Compile the pattern, once."""
        self.pattern = pattern = patterns.compile(self.source_pattern)
        self.group = pattern.groupindex.get("s", min(pattern.groups, 1))
        if not (self.before or self.back):
            self.match = pattern.match
        return pattern

    def spans(self, text: bytes, at: int, low: int, high: int) -> list[tuple[int, int]]:
        """Return where this rule finds a secret, if its keyword is at ``at``, in a line from ``low`` to ``high``."""
        start = max(at - self.before, low)
        if self.before and text.find(self.needle, start, at) < 0:
            return []
        pattern = self.pattern or self.compile()
        if self.before:
            match = pattern.search(text, start, min(at + FAR, high))
        else:
            match = pattern.match(text, max(at - self.back, low) if self.back else at, high)
        return self.secrets(text, match) if match is not None else []

    def secrets(self, text: bytes, match: Match[bytes]) -> list[tuple[int, int]]:
        """Return where a match of the pattern in a text has secrets."""
        if not self.within:
            return [match.span(self.group)] if self.is_secret(match) else []
        within = patterns.compile(self.within)
        parts = (part for start, end in _regions(match, self.group) for part in within.finditer(text, start, end))
        return [part.span("s") for part in parts if self.is_secret(part)]

    def is_secret(self, match: Match[bytes]) -> bool:
        """Judge a match of the pattern."""
        group = "s" if self.within else self.group
        value = match.group(group)
        if self.id in ASSIGNED:
            start, end = match.span(group)
            left = _left(match, start)
            if self.id == "generic-flag" and not _is_flag(left):
                return False
            return _assigned(left, value, match.string[end : end + 1])
        from entire_secrets.judging import heuristics

        if self.entropy and not heuristics.is_varied(value, self.entropy):
            return False
        checksums, placeholders, words = _judges or _load_judges()
        if self.id in checksums.BY_RULE and not checksums.BY_RULE[self.id](value):
            return False
        if placeholders.is_placeholder(value) or (self.id in LOGINS and placeholders.is_login(value)):
            return False
        if not self.rank and words.is_prose(value):
            return False
        return not self.is_place or heuristics.placed(value, is_coded=self.id in CODED, is_worded=self.id in WORDED)


_judges: Any = ()


def _load_judges() -> Any:
    """Load what judges matches, with the first of them: an import statement for each would take longer than a match."""
    global _judges
    from entire_secrets.judging import checksums, placeholders, words

    _judges = checksums, placeholders, words
    return _judges


def _regions(match: Match[bytes], group: int) -> Iterator[tuple[int, int]]:
    """Yield where secrets may stand in a match: of a statement that names columns, only in some of them."""
    low, high = match.span(group)
    if "columns" not in match.re.groupindex:
        yield low, high
        return
    from entire_secrets.judging import columns

    for start, end in columns.secrets(match["columns"], match.string[low:high]):
        yield low + start, low + end


def _assigned(left: bytes, value: bytes, right: bytes) -> bool:
    """Judge a value behind a name; code repeats itself, so verdicts are kept."""
    asked = left, value, right
    verdict = _verdicts.get(asked)
    if verdict is None:
        from entire_secrets.judging import heuristics, placeholders

        if len(_verdicts) >= VERDICTS:
            _verdicts.clear()
        verdict = heuristics.assigned(left, value, right) and not placeholders.is_placeholder(value)
        _verdicts[asked] = verdict
    return verdict


def _left(match: Match[bytes], start: int) -> bytes:
    """Return the name before a value, an operator and a quote, without the type that some languages write there."""
    text, name = match.string, match.end("n")
    between = text[name:start]
    quote = between[-1:] if between[-1:] in (b'"', b"'", b"`") else b""
    return text[max(match.start() - 48, 0) : name] + (b"=" if b"=" in between else b":") + quote


def _is_flag(left: bytes) -> bool:
    """Tell whether the last word begins with a hyphen, also in quotes: ``two-pass`` is not a flag."""
    return left.split()[-1].lstrip(b"\"'`[({=,:").startswith(b"-")


VERDICTS = 1024
"""How many verdicts are kept."""

_verdicts: dict[tuple[bytes, bytes, bytes], bool] = {}


FAR = 400
"""How far behind its keyword a rule of ``BEFORE`` reaches."""

ASSIGNED = frozenset({"generic-flag", "generic-quoted", "generic-value", "listed-flag", "named-argument", "named-key"})
"""Rules whose value may be code: ``heuristics.assigned`` judges it."""

CODED = frozenset(
    {
        *("api-key-header", "authorization-header", "cookie", "cookie-flag", "named-key-abroad", "named-token"),
        *("sql-password", "totp-seed", "vpn-key"),
    }
)
"""Rules of places whose value may be a name or a type of code."""

WORDED = frozenset(
    {
        *("csv-column", "named-cell", "named-element", "named-pair", "named-pass", "named-passphrase"),
        *(
            "identified-bare",
            "named-environment",
            "named-sentence",
            "shown-value",
            "table-column",
            "table-column-1",
            "table-column-2",
            "table-column-3",
        ),
    }
)
"""The same, but for a password that people make up of words."""

_ranks: dict[str, int] = {}


def rank(name: str) -> int:
    """Return which of two rules at one place names a secret: a provider's (0), a place's (1), a generic one (2), the
    second opinion (3). No provider's rules are loaded for that.
    """
    if not _ranks:
        from entire_secrets.judging import high_entropy
        from entire_secrets.rules import commands, files, generic, headers

        for places in (headers.ROWS, headers.REGIONS, commands.ROWS, commands.REGIONS, files.ROWS, files.REGIONS):
            _ranks.update((row[0], 1) for row in places)
        _ranks.update((row[0], 1) for row in generic.SENTENCES)
        _ranks.update((row[0], 2) for row in generic.ROWS)
        _ranks[high_entropy.RULE] = 3
    return _ranks.get(name, 0)


def is_lasting(name: str) -> bool:
    """Tell whether what this rule finds is remembered: a secret, not personal data."""
    return name not in PERSONAL


PERSONAL = frozenset(("email", "phone", "iban", "card-number"))
"""Ids of the rules for personal data: ``personal.KINDS``, which loads ``re``."""
