"""All rules. A hook that finds no secret does not load this module: see ``keyword_search``.

A row is ``(id, keywords, pattern, minimum entropy, source, example)``; its facts (prefixes, lengths, alphabets) come
from the source, the pattern is our own. How a row is read:

* A *keyword* is lower case, of ``a-z 0-9 _ . -``: the engine finds keywords among the words of a text, with a
  blank before it only where a word starts. A *loose* keyword has other characters and costs a pass over the text.
* The pattern is tried exactly at a keyword (or ``BACK`` bytes before); the engine never searches for a pattern.
* A pattern runs over a plain view: no escapes, no colours. See ``macros`` for its abbreviations.
* The secret is the group ``s`` if it exists, else group 1, else the whole match.
* Patterns are case-sensitive unless they start with ``(?i)``. Every repetition has a bound.
* Entropy, in bits per byte, is an additional check; 0 disables it.
* A rule named in ``judging.checksums`` matches only a token whose checksum holds.
* A pattern never matches our mark ``[REDACTED:...]``: of a provider's secret and of a bare value, no character class
  contains ``[``. A quoted password may have brackets; ``heuristics`` sorts out those of code, and our mark.
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

from entire_secrets.judging import high_entropy
from entire_secrets.rules.rows import PLACES, ListedRule, of_module

PROVIDERS = (
    *("business", "clouds", "content", "data", "hosting", "identity", "keys", "messaging", "models", "monitoring"),
    *("payments", "tools"),
)
"""Modules of providers' rules, by trade."""

MODULES = (*PROVIDERS, *PLACES, "generic")

RULES: tuple[ListedRule, ...] = tuple(rule for name in MODULES for rule in of_module(name))
"""All rules in table order: providers' first, then those of places, then generic ones."""

BY_KEYWORD: dict[bytes, list[ListedRule]] = {}
for _rule in RULES:
    for _keyword in _rule.keywords:
        BY_KEYWORD.setdefault(_keyword, []).append(_rule)

OPINION = ListedRule((high_entropy.RULE, (), rb"(?!)", 0, "a random value beside a telling word", ""), rank=3)
"""Stands for what ``high_entropy`` finds, which has no pattern; every other rule names a secret better."""

BY_ID: dict[str, ListedRule] = {rule.id: rule for rule in (*RULES, OPINION)}
