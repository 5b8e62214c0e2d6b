"""The tokens of a conversation, by model: each response once, where it is first told."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from entire.conversation import responses
from entire.conversation.records import Answer
from entire.conversation.responses import Responses
from entire.model.tokens import ModelTokens, TokenUsage, by_model, usage_from_json, usage_to_json

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


def test_reasoning_is_part_of_the_output_or_beside_it() -> None:
    usage = TokenUsage(input_tokens=1, output_tokens=9, api_call_count=1)
    inside, beside = responses.reasoning_in_output(usage, 4), responses.reasoning_beside_output(usage, 7)
    assert (inside.reasoning_tokens, inside.reasoning_beside, inside.output_tokens) == (4, 0, 9)
    assert (beside.reasoning_tokens, beside.reasoning_beside, beside.output_tokens) == (7, 7, 9)
    assert responses.reasoning_in_output(usage, 40).reasoning_tokens == 9  # never more than the whole
    for told in (responses.reasoning_in_output(usage, None), responses.reasoning_beside_output(usage, None)):
        assert told == usage
    both = inside + beside + usage
    assert (both.reasoning_tokens, both.reasoning_beside, both.output_tokens) == (11, 7, 27)
    assert (usage + usage).reasoning_tokens is None
    for known in (both, inside, usage):
        assert usage_from_json(usage_to_json(known)) == known
