"""What a pass changed leads back to where it was."""

from __future__ import annotations

from entire_secrets import patterns
from entire_secrets.reading.layers import Matches, Replaced


def test_a_replaced_literal_is_whole() -> None:
    layer = Replaced([b"ab", b"c", b""], 2, b"-")  # ab\nc\n became ab-c-
    assert layer.before(0, 2) == (0, 2)
    assert layer.before(2, 3) == (2, 4)
    assert layer.before(3, 4) == (4, 5)
    assert layer.before(1, 5) == (1, 7)


def test_a_match_is_whole() -> None:
    text = b"a&lt;b&amp;c"
    layer = Matches(list(patterns.compile(rb"&[a-z]+;").finditer(text)), b"<")  # a<b<c
    assert layer.before(0, 1) == (0, 1)
    assert layer.before(1, 2) == (1, 5)
    assert layer.before(2, 3) == (5, 6)
    assert layer.before(2, 5) == (5, 12)
