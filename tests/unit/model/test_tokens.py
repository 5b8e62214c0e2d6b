"""Tokens add up, with what subagents spent beside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.model.positions import START, Position, SessionRef
from entire.model.tokens import FIGURES, UNKNOWN, TokenUsage, total, uncertain

count = st.integers(min_value=0, max_value=10**9)
figure = st.none() | count
plain = st.builds(
    TokenUsage,
    input_tokens=figure,
    cache_creation_tokens=figure,
    cache_read_tokens=figure,
    output_tokens=figure,
    api_call_count=figure,
)
usage = st.builds(
    lambda first, more, inner: first + more + TokenUsage(subagents=inner), plain, plain, st.none() | plain
)


@given(usage, usage, usage)
def test_adding_is_a_sum(a: TokenUsage, b: TokenUsage, c: TokenUsage) -> None:
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a + TokenUsage() == TokenUsage() + a == a
    assert (a + b).input_tokens in (None, (a.input_tokens or 0) + (b.input_tokens or 0))
    inner = [tokens.subagents.output_tokens or 0 for tokens in (a, b) if tokens.subagents is not None]
    both = (a + b).subagents
    assert ((both.output_tokens or 0) if both is not None else 0) == sum(inner)
    assert bool(a + b) == (bool(a) or bool(b))


@given(usage, usage)
def test_a_part_that_is_unknown_stays_so(a: TokenUsage, b: TokenUsage) -> None:
    both = a + b
    assert set(uncertain(both)) == {*uncertain(a), *uncertain(b)}
    for name in FIGURES:
        assert (getattr(both, name) is None) == (name in uncertain(both) and name not in both.at_least)
        assert getattr(both, name) != 0 or name not in uncertain(both)


def test_unknown_is_not_zero() -> None:
    assert UNKNOWN
    assert uncertain(UNKNOWN) == list(FIGURES)
    assert uncertain(TokenUsage()) == []
    some = TokenUsage(input_tokens=5, output_tokens=None)
    assert some + TokenUsage(input_tokens=None, output_tokens=0) == TokenUsage(
        input_tokens=5, output_tokens=None, at_least=("input_tokens",)
    )


def test_a_total_of_nothing_known_is_none() -> None:
    assert total([]) == total([TokenUsage()]) == TokenUsage()
    assert total([None]) is total([None, UNKNOWN]) is None
    assert total([None, TokenUsage()]) is None
    inner = TokenUsage(subagents=TokenUsage(output_tokens=1))
    found = total([None, inner])
    assert found is not None
    assert (found.output_tokens, found.subagents) == (None, inner.subagents)


def test_nothing_is_false() -> None:
    assert not TokenUsage()
    assert not TokenUsage(subagents=TokenUsage())
    assert TokenUsage(api_call_count=1)
    assert Position() == START


@pytest.mark.parametrize(
    ("ref", "facts"),
    [
        (SessionRef(), ("", "", "", ())),
        (SessionRef("/a/s.jsonl"), ("/a/s.jsonl", "", "", ("/a/s.jsonl",))),
        (SessionRef.of_rows("/a/#1.db", "ses"), ("", "/a/#1.db", "ses", ("/a/#1.db", "/a/#1.db-wal"))),
        (SessionRef("ses_1"), ("", "", "ses_1", ())),
        (SessionRef("rows:a.db#s"), ("", "", "rows:a.db#s", ())),
    ],
)
def test_a_reference_says_what_it_is(ref: SessionRef, facts: tuple[object, ...]) -> None:
    assert (ref.file, ref.database, ref.key, ref.files) == facts
    assert SessionRef(str(ref)) == ref
