"""The list of keywords is that of the rules."""

from __future__ import annotations

from entire.redact.rules import keywords
from entire.redact.rules.guards import is_free
from entire.redact.rules.table import BY_KEYWORD


def test_the_list_is_of_all_rules() -> None:
    """If it fails, run ``python scripts/keywords.py``."""
    listed = {True: set(keywords.FREE), False: set(keywords.GUARDED)}
    for free, found in listed.items():
        assert found == {
            keyword for keyword, rules in BY_KEYWORD.items() if any(is_free(keyword, rule.id) is free for rule in rules)
        }
