"""All rules.

A row is ``(id, keywords, pattern, minimum entropy, source, example)``; its facts (prefixes, lengths, alphabets) come
from the source, the pattern is our own. How a row is read:

* A *keyword* is lower case, of ``a-z 0-9 _ . -``: the engine finds keywords among the words of a text, with a
  blank before it only where a word starts. A *loose* keyword has other characters and costs a pass over the text.
* The pattern is tried exactly at a keyword (or ``BACK`` bytes before); the engine never searches for a pattern.
* A pattern runs over a plain view: no escapes, no colours. See ``pieces`` for its abbreviations.
* The secret is the group ``s`` if it exists, else group 1, else the whole match.
* Patterns are case-sensitive unless they start with ``(?i)``. Every repetition has a bound.
* Entropy, in bits per byte, is an additional check; 0 disables it.
* A rule named in ``redact.checksums`` matches only a token whose checksum holds.
* A pattern never matches our mark ``[REDACTED:...]``: no character class of a secret contains ``[``.
* An example is a template: ``<hex:32>`` stands for 32 random hex digits, and ``«»`` encloses the secret if it is not
  the whole.
* A row of ``REGIONS`` has two patterns: where secrets stand (a header, a table), and what each looks like there.
* A row in ``BEFORE`` is searched from so many bytes before its keyword on, if a word stands there: its keyword follows
  the secret.
* Rows of places (``headers``, ``commands``, ``files``, ``generic.SENTENCES``) know where a secret stands, not what it
  looks like: ``heuristics.placed`` sorts out variables, calls and paths.
* A row of ``KEYED`` has the pattern of a value without a prefix of its own, which is a secret only behind its
  provider's name.
"""

from __future__ import annotations

from entire.redact import checksums, heuristics, opinion
from entire.redact.rules import (
    business,
    clouds,
    commands,
    content,
    data,
    files,
    generic,
    guards,
    headers,
    hosting,
    identity,
    keys,
    messaging,
    models,
    monitoring,
    payments,
    tools,
)
from entire.redact.rules.pieces import expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Match, Pattern

    from entire.redact.rules.pieces import RegionRow, Row


LOGINS = frozenset({"basic-auth-flag", "netrc-password", "url-credentials"})
"""Rules for passwords that stand behind a user's name: documentation writes very short ones there."""


class Rule:
    """A row of the table, compiled on first use."""

    __slots__ = (
        "back",
        "before",
        "checksum",
        "entropy",
        "example",
        "expression",
        "group",
        "id",
        "is_place",
        "keywords",
        "match",
        "needle",
        "pattern",
        "rank",
        "source",
        "within",
    )

    def __init__(
        self, row: Row, *, back: int = 0, generic: bool = False, is_place: bool = False, within: bytes = b""
    ) -> None:
        self.id, self.keywords, self.expression, self.entropy, self.source, self.example = row
        self.back = back
        self.checksum = checksums.BY_RULE.get(self.id)
        self.before, self.needle = BEFORE.get(self.id, (0, b""))
        self.is_place = is_place
        self.rank: int = 2 if generic else 1 if is_place else 0
        self.within = within
        self.pattern: Pattern[bytes] | None = None
        self.group: int = 0
        self.match: Callable[[bytes, int, int], Match[bytes] | None] | None = None
        """Matches the compiled pattern at a keyword; None where that is not all there is to do."""

    def compile(self) -> Pattern[bytes]:
        """Compile the pattern, once."""
        self.pattern = pattern = _compile(self.expression)
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
            found = pattern.search(text, start, min(at + FAR, high))
        else:
            found = pattern.match(text, max(at - self.back, low) if self.back else at, high)
        if found is None:
            return []
        if not self.within:
            return [found.span(self.group)] if self.is_secret(found) else []
        parts = _compile(self.within).finditer(text, *found.span(self.group))
        return [part.span("s") for part in parts if self.is_secret(part)]

    def is_secret(self, found: Match[bytes]) -> bool:
        """Judge a match of the pattern."""
        group = "s" if self.within else self.group
        value = found.group(group)
        if heuristics.MARK in value:
            return False
        if self.id in ASSIGNED:
            start, end = found.span(group)
            return _assigned(_left(found, start), value, found.string[end : end + 1])
        if self.entropy and heuristics.entropy(value) < self.entropy:
            return False
        from entire.redact import placeholders

        if placeholders.is_placeholder(value) or (self.id in LOGINS and placeholders.is_login(value)):
            return False
        if not self.rank and heuristics.is_prose(value):
            return False
        if self.is_place:
            return heuristics.placed(value, is_coded=self.id in CODED, is_worded=self.id in WORDED)
        return self.checksum is None or self.checksum(value)


def _assigned(left: bytes, value: bytes, right: bytes) -> bool:
    """Judge a value behind a name; code repeats itself, so verdicts are kept."""
    asked = left, value, right
    verdict = _verdicts.get(asked)
    if verdict is None:
        from entire.redact import placeholders

        if len(_verdicts) >= VERDICTS:
            _verdicts.clear()
        verdict = heuristics.assigned(left, value, right) and not placeholders.is_placeholder(value)
        _verdicts[asked] = verdict
    return verdict


def _left(found: Match[bytes], start: int) -> bytes:
    """Return the name before a value, an operator and a quote, without the type that some languages write there."""
    text, name = found.string, found.end("n")
    between = text[name:start]
    quote = between[-1:] if between[-1:] in (b'"', b"'", b"`") else b""
    return text[max(found.start() - 48, 0) : name] + (b"=" if b"=" in between else b":") + quote


VERDICTS = 1024
"""How many verdicts are kept."""

_verdicts: dict[tuple[bytes, bytes, bytes], bool] = {}


def _compile(expression: bytes) -> Pattern[bytes]:
    import re

    return re.compile(expand(expression))


def region(row: RegionRow) -> Rule:
    """Make a row of ``REGIONS`` a rule."""
    name, keywords, pattern, within, entropy, source, example = row
    return Rule((name, keywords, pattern, entropy, source, example), within=within, is_place=True)


def keyed(row: Row) -> Row:
    """Make a row of ``KEYED`` a whole rule: the provider's name, an operator and the value."""
    name, keywords, value, entropy, source, example = row
    words = b"|".join(keyword.strip() for keyword in keywords)
    pattern = rb"(?i:" + words + rb")(?:%N|[\w .-]{0,40}%=)(?P<s>" + value + rb")%E"
    return name, keywords, pattern, entropy, source, example


TRADES = (business, clouds, content, data, hosting, identity, keys, messaging, models, monitoring, payments, tools)
BEFORE = {**commands.BEFORE, **files.BEFORE, **generic.BEFORE}
FAR = 400
"""How far behind its keyword a rule of ``BEFORE`` reaches."""

ASSIGNED = frozenset({"generic-flag", "generic-quoted", "generic-value", "named-argument", "named-key"})
"""Rules whose value may be code: ``heuristics.assigned`` judges it."""

CODED = frozenset({"api-key-header", "authorization-header", "cookie", "cookie-flag", "sql-password", "vpn-key"})
"""Rules of places whose value may be a name or a type of code."""

WORDED = frozenset(
    {"csv-column", "named-cell", "named-element", "named-pair", "named-pass", "named-sentence", *guards.COLUMNS}
)
"""The same, but for a password that people make up of words."""

PLACES: tuple[tuple[Row, ...], ...] = (headers.ROWS, commands.ROWS, files.ROWS, generic.SENTENCES)

RULES: tuple[Rule, ...] = (
    *(Rule(row, back=trade.BACK.get(row[0], 0)) for trade in TRADES for row in trade.ROWS),
    *(Rule(keyed(row)) for trade in TRADES for row in trade.KEYED),
    *(Rule(row, is_place=True) for rows in PLACES for row in rows),
    *(region(row) for module in (headers, commands, files, generic) for row in module.REGIONS),
    *(Rule(row, generic=True, is_place=row[0] not in ASSIGNED) for row in generic.ROWS),
)
"""All rules in table order: providers' first, then generic ones."""

BY_KEYWORD: dict[bytes, list[Rule]] = {}
for _rule in RULES:
    for _keyword in _rule.keywords:
        BY_KEYWORD.setdefault(_keyword, []).append(_rule)

OPINION = Rule((opinion.RULE, (), rb"(?!)", 0, "a random value beside a telling word", ""), generic=True)
OPINION.rank = 3
"""Stands for what ``opinion`` finds, which has no pattern; every other rule names a secret better."""

BY_ID: dict[str, Rule] = {rule.id: rule for rule in (*RULES, OPINION)}


def rank(name: str) -> int:
    """Return which of two rules at one place names a secret: a provider's (0), a place's (1), a generic one (2), the
    second opinion (3).
    """
    return BY_ID[name].rank if name in BY_ID else 0


def is_lasting(name: str) -> bool:
    """Tell whether what this rule finds is remembered: a secret, not personal data."""
    return name not in PERSONAL


PERSONAL = frozenset(("email", "phone", "iban", "card-number"))
"""Ids of the rules for personal data: ``redact.personal.KINDS``, which loads ``re``."""
