"""Metadata keeps the order of its keys, leaves out what is zero, and reads whatever real repositories hold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.model.records import (
    Attribution,
    CheckpointSummary,
    CodeLearning,
    SessionFiles,
    SessionRecord,
    Summary,
    summarize,
    with_summary,
)
from entire.model.tokens import FIGURES, UNKNOWN, TokenUsage, usage_from_json, usage_to_json
from entire.model.value import replace

RECORD = SessionRecord(
    checkpoint_id="a1b2c3d4e5f6", session_id="s", strategy="manual-commit", created_at="2026-01-02T03:04:05Z"
)
FULL = SessionRecord(
    **{
        **RECORD.__dict__,
        "cli_version": "1",
        "branch": "main",
        "checkpoints_count": 3,
        "files_touched": ("a", "b"),
        "agent": "Claude Code",
        "turn_id": "0123456789ab",
        "is_task": True,
        "tool_use_id": "t",
        "transcript_identifier_at_start": "i",
        "checkpoint_transcript_start": 7,
        "token_usage": TokenUsage(input_tokens=1, subagents=TokenUsage(output_tokens=2)),
        "summary": Summary(intent="i", code=(CodeLearning(path="p", finding="f", line=3),), friction=("x",)),
        "initial_attribution": Attribution(calculated_at="2026-01-02T03:04:05Z", agent_lines=2, agent_percentage=50.5),
        "extra": {"model": "m"},
    }
)


def test_zero_values_are_left_out() -> None:
    assert list(RECORD.to_json()) == [
        "checkpoint_id", "session_id", "strategy", "created_at", "checkpoints_count", "files_touched",
    ]  # fmt: skip


def test_keys_have_the_order_of_the_format() -> None:
    value = FULL.to_json()
    assert list(value) == [
        "cli_version", "checkpoint_id", "session_id", "strategy", "created_at", "branch", "checkpoints_count",
        "files_touched", "agent", "turn_id", "is_task", "tool_use_id", "transcript_identifier_at_start",
        "checkpoint_transcript_start", "transcript_lines_at_start", "token_usage", "summary", "initial_attribution",
        "model",
    ]  # fmt: skip
    assert value["transcript_lines_at_start"] == 7
    assert list(value["token_usage"]) == [
        "input_tokens", "cache_creation_tokens", "cache_read_tokens", "output_tokens", "api_call_count",
        "subagent_tokens",
    ]  # fmt: skip
    assert value["summary"]["learnings"]["code"] == [{"path": "p", "line": 3, "finding": "f"}]


def test_what_is_written_is_read() -> None:
    assert SessionRecord.from_json(FULL.to_json()) == FULL
    summary = summarize([FULL, FULL], [SessionFiles(metadata="/x"), SessionFiles(extra={"later": "/y"})], {"k": 1})
    assert CheckpointSummary.from_json(summary.to_json()) == summary


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("agent token_usage initial_attribution", "agent token_usage summary initial_attribution"),
        ("session_id agents token_usage session_metrics transcript_path commit_sha",
         "session_id agents token_usage session_metrics summary transcript_path commit_sha"),
        ("session_id later", "session_id summary later"),
        ("later", "summary later"),
        ("", "summary"),
        ("session_id initial_attribution summary", "session_id initial_attribution summary"),
    ],
)  # fmt: skip
def test_a_summary_gets_its_place_and_other_keys_keep_theirs(keys: str, expected: str) -> None:
    value = {key: None if key == "agents" else key for key in keys.split()}
    found = with_summary(value, {"intent": "i"})
    assert list(found) == expected.split()
    assert found == {**value, "summary": {"intent": "i"}}


def test_the_sum_over_sessions() -> None:
    other = SessionRecord(**{**FULL.__dict__, "files_touched": ("c", "a"), "token_usage": TokenUsage(input_tokens=4)})
    summary = summarize([FULL, other], ())
    assert summary.files_touched == ("a", "b", "c")
    assert summary.checkpoints_count == 6
    assert summary.token_usage == TokenUsage(input_tokens=5)
    assert summarize([RECORD], ()).token_usage is None
    unknown = SessionRecord(**{**FULL.__dict__, "token_usage": None})
    assert summarize([FULL, unknown], ()).token_usage == TokenUsage(
        input_tokens=1, cache_creation_tokens=None, cache_read_tokens=None, output_tokens=None, api_call_count=None,
        at_least=("input_tokens",),
    )  # fmt: skip


def test_unknown_figures_are_null() -> None:
    """The Go CLI reads null as 0, and its form has no place for what is known in part; our own has."""
    spent = TokenUsage(input_tokens=None, output_tokens=3, subagents=UNKNOWN, at_least=("output_tokens",))
    record = SessionRecord(**{**FULL.__dict__, "token_usage": spent})
    shared = record.to_json()["token_usage"]
    assert shared == {
        "input_tokens": None, "cache_creation_tokens": 0, "cache_read_tokens": 0, "output_tokens": 3,
        "api_call_count": 0, "subagent_tokens": dict.fromkeys(FIGURES),
    }  # fmt: skip
    assert usage_from_json(shared) == replace(spent, at_least=())
    assert usage_to_json(spent) == {**shared, "at_least": ["output_tokens"]}
    assert usage_from_json(usage_to_json(spent)) == spent
    zero = SessionRecord(**{**RECORD.__dict__, "token_usage": TokenUsage()})
    assert zero.to_json()["token_usage"] == dict.fromkeys(FIGURES, 0)
    assert SessionRecord.from_json(zero.to_json()) == zero


def test_usage_in_strange_forms() -> None:
    assert usage_from_json({"input_tokens": 3}) == TokenUsage(input_tokens=3)
    in_part = {"input_tokens": 0, "output_tokens": 2, "at_least": ["input_tokens", "output_tokens", "x", 1]}
    assert usage_from_json(in_part) == TokenUsage(input_tokens=None, output_tokens=2, at_least=("output_tokens",))
    strange = usage_from_json({"at_least": 3, "input_tokens": "x", "output_tokens": True, "subagent_tokens": []})
    assert strange == TokenUsage(input_tokens=None, output_tokens=None)


def test_old_names_and_null_lists() -> None:
    record = SessionRecord.from_json(
        {"files_touched": None, "transcript_lines_at_start": 5, "transcript_path": "secret", "agents": ["a"]}
    )
    assert record.files_touched == ()
    assert record.checkpoint_transcript_start == 5
    assert "transcript_path" not in record.to_json()
    assert record.to_json()["agents"] == ["a"]
    assert CheckpointSummary.from_json({"sessions": None, "files_touched": None}).sessions == ()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*FULL.to_json(), "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*FULL.to_json(), "sessions", "learnings", "code"]), json_values))
def test_wrong_types_break_nothing(value: dict[str, Any]) -> None:
    assert SessionRecord.from_json(SessionRecord.from_json(value).to_json()).files_touched is not None
    CheckpointSummary.from_json(value).to_json()
