"""Tokens add up, with what subagents spent beside."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from entire.model.transcripts import START, Position, TokenUsage

count = st.integers(min_value=0, max_value=10**9)
plain = st.builds(
    TokenUsage,
    input_tokens=count,
    cache_creation_tokens=count,
    cache_read_tokens=count,
    output_tokens=count,
    api_call_count=count,
)
usage = st.builds(lambda outer, inner: outer + TokenUsage(subagents=inner), plain, st.none() | plain.filter(bool))


@given(usage, usage, usage)
def test_adding_is_a_sum(a: TokenUsage, b: TokenUsage, c: TokenUsage) -> None:
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a + TokenUsage() == a
    assert (a + b).input_tokens == a.input_tokens + b.input_tokens
    inner = [tokens.subagents.output_tokens for tokens in (a, b) if tokens.subagents is not None]
    both = (a + b).subagents
    assert (both.output_tokens if both is not None else 0) == sum(inner)
    assert bool(a + b) == (bool(a) or bool(b))


def test_nothing_is_false() -> None:
    assert not TokenUsage()
    assert TokenUsage(api_call_count=1)
    assert Position() == START
