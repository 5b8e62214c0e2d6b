"""The tokens of a conversation, by model: each response once, where it is first told."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from entire.conversation.records import Answer
from entire.conversation.responses import Responses
from entire.model.transcripts import ModelTokens, TokenUsage, by_model

PARTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(("", "m1", "m2")), st.none() | st.integers(0, 9), st.booleans()),
    max_size=12,
)


def taken(rows: list[tuple[str, str, int | None, bool]], known: str = "") -> Responses:
    found = Responses(known)
    for at, (name, model, output, again) in enumerate(rows):
        usage = TokenUsage(output_tokens=output, api_call_count=1) if output is not None else None
        found.take(Answer(position=at, id=name, model=model, usage=usage, is_again=again))
    return found


@given(PARTS)
def test_the_models_tokens_are_those_of_the_conversation(rows: list[tuple[str, str, int | None, bool]]) -> None:
    found = taken(rows)
    assert sum(by_model(found.told()).values(), TokenUsage()) == found.tokens()
    told = {name: [model for other, model, _, _ in rows if other == name and model] for name in "abc"}
    for each in found.told():
        assert each.model in {(models or [""])[-1] for models in told.values()}
        assert rows[each.at][2] is not None


def test_a_response_is_its_last_models_and_counts_where_it_is_told() -> None:
    found = taken([("a", "m1", None, False), ("a", "m2", 3, False), ("b", "m1", 5, False), ("b", "", 4, False)])
    assert found.told() == (
        ModelTokens(at=1, model="m2", tokens=TokenUsage(output_tokens=3, api_call_count=1)),
        ModelTokens(at=2, model="m1", tokens=TokenUsage(output_tokens=5, api_call_count=1)),
    )
    assert [tokens.output_tokens for tokens in by_model(found.told()).values()] == [3, 5]


def test_what_was_counted_before_is_not_told_again() -> None:
    assert taken([("a", "m1", 3, False), ("b", "m1", 5, False)], known="a").told()[0].at == 1
