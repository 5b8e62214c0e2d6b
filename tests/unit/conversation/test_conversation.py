"""What hooks ask about a part of a conversation: an earlier state is told from the whole as if it had been read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from entire.conversation.conversation import Conversation
from entire.conversation.records import (
    EDIT,
    INTERRUPTED,
    MOVED,
    PERSON,
    REWOUND,
    SHELL,
    Answer,
    Call,
    Mark,
    Prompt,
    Record,
    Result,
)
from entire.model.tokens import TokenUsage
from entire.model.transcripts import Subagent

NAMES = st.sampled_from("abc")
KINDS = st.sampled_from(["prompt", "answer", "again", "call", "result", "failed", "interrupted", "rewound", "moved"])


def record(kind: str, position: int, name: str, place: int) -> Record:
    time = 100.0 + position
    if kind == "prompt":
        return Prompt(position=position, text=f"{name}{position}", time=time, by=PERSON)
    if kind in ("answer", "again"):
        usage = TokenUsage(output_tokens=position, api_call_count=1) if place % 2 else None
        return Answer(position=position, id=name, time=time, text=f"{position}", usage=usage, is_again=kind == "again")
    if kind == "call":
        return Call(position=position, id=name, answer=name, tool=SHELL if place % 2 else EDIT, time=time)
    if kind in ("result", "failed"):
        return Result(position=position, call=name, time=time, paths=(f"{name}{place}",), has_failed=kind == "failed")
    kinds = {"interrupted": INTERRUPTED, "rewound": REWOUND, "moved": MOVED}
    return Mark(position=position, kind=kinds[kind], time=time, first=place - 1)


@st.composite
def conversations(draw: st.DrawFn) -> list[Record]:
    rows = draw(st.lists(st.tuples(KINDS, NAMES, st.integers(0, 8)), max_size=16))
    return [record(kind, position, name, place) for position, (kind, name, place) in enumerate(rows)]


@given(conversations(), st.integers(0, 16))
def test_an_earlier_state(records: list[Record], stop: int) -> None:
    whole, part = Conversation(records), Conversation(records[:stop])
    assert whole.prompts(stop) == part.prompts()
    assert whole.files(stop) == part.files()
    assert whole.activity(stop) == part.activity()
    assert whole.has_answers(stop) == part.has_answers()
    assert {name for name, one in whole.responses.by_id.items() if one.at < stop} == set(part.responses.by_id)


@given(conversations())
def test_each_response_is_counted_once(records: list[Record]) -> None:
    whole = Conversation(records)
    counted = {one.id for one in records if isinstance(one, Answer) and one.usage is not None}
    assert whole.tokens().api_call_count == len(counted)
    for name in counted:
        assert Conversation(records, known=name).tokens().api_call_count == len(counted) - 1


def test_the_last_answer_is_the_summary() -> None:
    first, more = Answer(position=1, id="a", text="I will."), Answer(position=2, id="a", text="Done.")
    own = Answer(position=3, id="error", text="API error", is_local=True)
    assert Conversation([first, more, own]).summary() == "I will.\nDone."
    again = Answer(position=4, id="a", text="Done again.", is_again=True)
    assert Conversation([first, more, again]).summary() == "Done again."


def test_a_subagent_is_as_all_records_describe_it() -> None:
    asked = Subagent(id="s1", tool_use_id="c1", description="look around")
    told = Conversation([
        Call(position=0, id="c1", task=asked),
        Call(position=1, id="c2", task=Subagent(id="", tool_use_id="c2")),
        Result(position=2, call="c3", task=Subagent(id="s2")),
        Result(position=3, call="c1", task=Subagent(id="s1", type="helper", background=True)),
    ])  # fmt: skip
    whole = Subagent(id="s1", tool_use_id="c1", type="helper", description="look around", background=True)
    assert told.subagents() == [whole, Subagent(id="s2")]
    assert told.subagents(3) == [asked, Subagent(id="s2")]
    assert told.subagents(0) == []
