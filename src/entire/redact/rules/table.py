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
* A row of ``KEYED`` has the pattern of a value without a prefix of its own, which is a secret only behind its
  provider's name.
"""

from __future__ import annotations

from entire.redact import checksums, heuristics
from entire.redact.rules import (
    clouds,
    generic,
    hosting,
    identity,
    keys,
    messaging,
    models,
    monitoring,
    payments,
    providers,
    services,
)
from entire.redact.rules.pieces import expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match, Pattern

    from entire.redact.rules.pieces import Row


LOGINS = frozenset({"basic-auth-flag", "netrc-password", "url-credentials"})
"""Rules for passwords that stand behind a user's name: documentation writes very short ones there."""


class Rule:
    """A row of the table, compiled on first use."""

    __slots__ = (
        "back",
        "checksum",
        "entropy",
        "example",
        "expression",
        "generic",
        "group",
        "id",
        "is_guarded",
        "keywords",
        "pattern",
        "source",
    )

    def __init__(self, row: Row, *, back: int = 0, generic: bool = False) -> None:
        self.id, self.keywords, self.expression, self.entropy, self.source, self.example = row
        self.back = back
        self.checksum = checksums.BY_RULE.get(self.id)
        self.generic = generic
        self.is_guarded = generic or self.id.startswith("url-")
        self.pattern: Pattern[bytes] | None = None
        self.group: int = 0

    def compile(self) -> Pattern[bytes]:
        """Compile the pattern, once."""
        import re

        self.pattern = pattern = re.compile(expand(self.expression))
        self.group = pattern.groupindex.get("s", min(pattern.groups, 1))
        return pattern

    def is_secret(self, found: Match[bytes]) -> bool:
        """Judge a match of the pattern."""
        value = found.group(self.group)
        if heuristics.MARK in value:
            return False
        if self.entropy and heuristics.entropy(value) < self.entropy:
            return False
        from entire.redact import placeholders

        start, end = found.span(self.group)
        if placeholders.is_placeholder(value) or (self.id in LOGINS and placeholders.is_login(value)):
            return False
        if not self.generic:
            return self.checksum is None or self.checksum(value)
        text = found.string
        return heuristics.assigned(text[max(found.start() - 48, 0) : start], value, text[end : end + 1])


def keyed(row: Row) -> Row:
    """Make a row of ``KEYED`` a whole rule: the provider's name, an operator and the value."""
    name, keywords, value, entropy, source, example = row
    words = b"|".join(keywords)
    pattern = rb"(?i:" + words + rb")(?:%N|[\w .-]{0,40}%=)(?P<s>" + value + rb")%E"
    return name, keywords, pattern, entropy, source, example


TRADES = (clouds, hosting, identity, keys, messaging, models, monitoring, payments, services)

RULES: tuple[Rule, ...] = (
    *(Rule(row, back=trade.BACK.get(row[0], 0)) for trade in TRADES for row in trade.ROWS),
    *(Rule(keyed(row)) for trade in TRADES for row in trade.KEYED),
    *(Rule((*row, "", ""), back=providers.BACK.get(row[0], 0)) for row in providers.ROWS),
    *(Rule(row, generic=True) for row in generic.ROWS),
)
"""All rules in table order: providers' first, then generic ones."""

GUARDS: tuple[tuple[tuple[bytes, ...], bytes], ...] = (
    (generic.NAMES, generic.GUARD),
    ((b"://",), rb"[^\s\"'`/?#<>]{1,400}@"),
)
"""For keywords that are common in clean text: what must follow them before a guarded rule is tried."""

BY_ID: dict[str, Rule] = {rule.id: rule for rule in RULES}


def is_generic(name: str) -> bool:
    """Tell whether a finding of this rule is a judgement about a value, not a form that says enough by itself."""
    return name in BY_ID and BY_ID[name].generic


def is_lasting(name: str) -> bool:
    """Tell whether what this rule finds is remembered: a secret, not personal data."""
    return name not in PERSONAL


PERSONAL = frozenset(("email", "phone", "iban", "card-number"))
"""Ids of the rules for personal data; see ``redact.personal``."""
