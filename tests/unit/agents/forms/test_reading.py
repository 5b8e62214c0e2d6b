"""Transcripts that are read by their form."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.agents.forms import reading
from entire.conversation.messages import BY_AGENT as AGENT
from entire.conversation.messages import BY_TOOL as TOOL
from entire.conversation.messages import BY_USER as USER
from entire.conversation.messages import Reading
from entire.model.transcripts import Message


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def read(data: bytes, start: int = 0) -> list[Message]:
    return [message for message in Reading(reading.records(data)).messages() if message.at >= start]


def said(*records: object) -> list[str]:
    return [message.text for message in read(lines(*records))]


def test_a_part_of_a_rewound_conversation() -> None:
    """A later record decides about earlier ones, also when only what follows is shown."""
    tree = [
        {"id": "a", "parentId": None, "role": "user", "content": "first"},
        {"id": "b", "parentId": "a", "role": "assistant", "content": "one"},
        {"id": "c", "parentId": "b", "role": "user", "content": "left"},
        {"id": "d", "parentId": "c", "role": "assistant", "content": "two"},
        {"id": "e", "parentId": "b", "role": "user", "content": "taken"},
    ]
    assert said(*tree) == ["first", "one", "taken"]
    assert said(*tree[:4]) == ["first", "one", "left", "two"]
    assert [message.at for message in read(lines(*tree), start=2)] == [4]
    from_the_start = {"id": "f", "parentId": None, "role": "user", "content": "again"}
    assert said(*tree, from_the_start) == ["again"]


def test_tools_that_ran_at_the_same_time_are_no_abandoned_branches() -> None:
    call = {"type": "tool_use", "name": "Read"}
    assert len(said(
        {"uuid": "a", "parentUuid": None, "role": "user", "content": "go"},
        {"uuid": "b", "parentUuid": "a", "role": "assistant", "content": [call]},
        {"uuid": "c", "parentUuid": "b", "role": "assistant", "content": [call]},
        {"uuid": "d", "parentUuid": "b", "role": "user", "content": [{"type": "tool_result"}]},
        {"uuid": "e", "parentUuid": "d", "role": "assistant", "content": "done"},
    )) == 4  # fmt: skip


def test_a_tree_with_a_circle() -> None:
    assert said(
        {"id": "a", "parentId": "b", "role": "user", "content": "x"},
        {"id": "b", "parentId": "a", "role": "user", "content": "y"},
    ) == ["x", "y"]  # fmt: skip


def test_an_id_that_all_records_share() -> None:
    """It may be the session's: only a record that repeats the one before and continues it replaces it."""
    answer = {"id": "s", "role": "assistant"}
    assert said({"id": "s", "role": "user", "content": "go"}, {**answer, "content": "I will."},
                {**answer, "content": "I will.", "toolCalls": [{"name": "run", "args": {"command": "ls"}}]},
                {**answer, "content": "Done."}) == ["go", "I will.", "ls", "Done."]  # fmt: skip


@given(st.binary())
def test_any_bytes(data: bytes) -> None:
    read(data)


names = st.sampled_from([
    "$rewindTo", "$set", "agentId", "args", "arguments", "content", "data", "displayContent", "function",
    "functionCall", "id", "info", "input", "item", "message", "messageID", "messages", "name", "parentId", "parts",
    "payload", "revert",
    "role", "state", "text", "tool", "toolCalls", "type", "uuid", "parentUuid",
])  # fmt: skip
values = st.sampled_from([
    "a", "b", "user", "assistant", "tool_use", "call", "tool", "event_msg", "response_item", "user_message",
    "<session_context>", "<hook_context>x</hook_context>", "*** Begin Patch", "[REDACTED]", '{"cmd": "x"}', "\ud800",
])  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | values,
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | names, inner),
)


@given(st.lists(json_values), st.integers(0, 3))
def test_any_records(records: list[object], start: int) -> None:
    whole = read(lines(*records))
    for message in whole:
        assert message.who in (USER, AGENT, TOOL)
        assert message.text.encode() or message.who == TOOL
        assert message.name.encode() or message.who != TOOL
    assert read(lines(*records), start=start) == [message for message in whole if message.at >= start]


MANY = range(50_000)


@pytest.mark.parametrize(
    "data",
    [
        lambda: b"[" * 200_000,
        lambda: b'{"role":"user","content":' * 100_000,
        lambda: b'{"messages":' * 100_000,
        lambda: lines({"role": "user", "content": "<hook_context>x</hook_context>" * 50_000}),
        lambda: lines({"role": "user", "content": ["<user_query>"] * 50_000}),
        lambda: lines(
            *({"$rewindTo": str(n - 1), "id": str(n), "role": "user", "content": "x"} for n in range(50_000))
        ),
        lambda: lines(*({"id": str(n), "parentId": str(n + 1), "role": "user", "content": "x"} for n in MANY)),
        lambda: lines({"role": "assistant", "content": "x" * 10_000_000}),
    ],
    ids=["lists", "records", "documents", "context", "queries", "rewinds", "tree", "huge"],
)
def test_hostile_transcripts_cost_what_their_size_does(data: Callable[[], bytes]) -> None:
    made = data()
    started = time.process_time()
    read(made)
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("records", "expected"),
    [([{"timestamp": "2026-01-01T00:00:02Z"}, {"timestamp": "2026-01-01T00:00:01Z"}], 1767225602.0),
     ([{"time": {"created": 1767225602000}}], 0.0), ([{"time": 1767225602000}], 1767225602.0),
     ([{"info": {"time": {"created": 1767225602000}}}], 1767225602.0), ([{"a": {"updated_at": "2026-01-01T00:00:02Z"}}],
      1767225602.0), ([{}], 0.0)],
)  # fmt: skip
def test_the_latest_time(records: list[object], expected: float) -> None:
    assert reading.last_time(lines(*records)) == expected
    assert reading.last_time(lines(*records) + b"x" * 300_000) == expected


def test_the_latest_time_takes_no_memory_for_the_records() -> None:
    rows = (b'{"type": "user", "n": [%d, {"of": "%s"}]}\n' % (number, b"x" * 200) for number in range(9_000))
    data = b'{"time": 1790000000}\n' + b"".join(rows)
    tracemalloc.start()
    try:
        assert reading.last_time(data) == 1790000000
        assert tracemalloc.get_traced_memory()[1] < 3 * len(data)  # as bytes and as text
    finally:
        tracemalloc.stop()
