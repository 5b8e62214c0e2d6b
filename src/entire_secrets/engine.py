"""Finds secrets in plain text: keywords first, then a rule's pattern at each keyword.

A pattern is compiled when its keyword first occurs; clean text compiles almost nothing.
"""

from __future__ import annotations

from entire_secrets.keyword_search import candidates, tier_for
from entire_secrets.text import LINE_END, Finding, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire_secrets.keyword_search import Tier

KEY_LINES = (64, 65, 70, 71)
"""Lengths of the lines in the file of a key, also with the sign of a diff."""

_OF_WORDS = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


def scan(plain: bytes, *, tier: Tier | None = None) -> list[Finding]:
    """Find the secrets in a plain view, as ``search`` does."""
    return search(Text(plain), tier=tier)


def search(searched: Text, *, tier: Tier | None = None) -> list[Finding]:
    """Find what the rules know in a text, sorted by position, overlapping ones included.

    No finding crosses a ``LINE_END`` or depends on what is behind one.
    """
    text = searched.plain
    hits: set[tuple[int, int, str]] = set()
    line_start, line_end = 0, 0 if LINE_END in text else len(text)
    for rules, at in candidates(searched, tier or tier_for(len(text))):
        if not line_start <= at < line_end:
            line_start, line_end = _line_around(text, at)
        is_inside = at > 0 and text[at - 1] in _OF_WORDS
        for rule in rules:
            if is_inside and rule.is_start:
                continue  # nothing is compiled for a keyword within a word
            if not rule.match:
                spans = rule.spans(text, at, line_start, line_end)
            elif match := rule.match(text, at, line_end):
                spans = rule.secrets(text, match)
            else:
                continue  # most rules, most of the time
            for start, end in spans:
                hits.add((start, end, rule.id))
    if searched.runs:
        from entire_secrets.judging import high_entropy

        hits.update((start, end, high_entropy.RULE) for start, end in high_entropy.find(searched))
    if any(_may_be_of_key(text, start, end) for start, end in searched.runs):
        from entire_secrets import key_fragments

        hits.update((start, end, key_fragments.RULE) for start, end in key_fragments.find(searched))
    return [Finding(rule=name, start=start, end=end) for start, end, name in sorted(hits)]


def _may_be_of_key(text: bytes, start: int, end: int) -> bool:
    """Tell whether a run may be a line of a key: long paths and names have hyphens and underscores."""
    if end - start < KEY_LINES[0]:
        return False
    return end - max(start, text.rfind(b"-", start, end) + 1, text.rfind(b"_", start, end) + 1) in KEY_LINES


def _line_around(text: bytes, at: int) -> tuple[int, int]:
    start, end = text.rfind(LINE_END, 0, at), text.find(LINE_END, at)
    return (0 if start < 0 else start + len(LINE_END)), (len(text) if end < 0 else end)
