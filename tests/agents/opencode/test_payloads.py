"""What the plugin reports, and what that means. The rig has one payload of each kind."""

from __future__ import annotations

import json

import pytest

from entire.agents.opencode import payloads
from entire.model.events import EventType


def parse(verb: str, **payload: object) -> object:
    return payloads.parse_hook(verb, json.dumps({"session_id": "ses_1", **payload}).encode(), lambda: 7.0)


@pytest.fixture(autouse=True)
def data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTIRE_TEST_OPENCODE_DIR", "/data")


def test_sessions_are_in_the_database() -> None:
    event = payloads.parse_hook("subagent-end", json.dumps(
        {"session_id": "ses_1", "tool_use_id": "call_1", "subagent_id": "ses_2"}).encode(), lambda: 7.0)  # fmt: skip
    assert event is not None
    assert (event.session_ref, event.subagent_ref) == ("rows:/data/opencode.db#ses_1", "rows:/data/opencode.db#ses_2")
    assert (event.type, event.timestamp) == (EventType.SUBAGENT_END, 7.0)


@pytest.mark.parametrize("verb", ["subagent-start", "subagent-end"])
def test_a_subagent_without_a_call_is_none(verb: str) -> None:
    assert parse(verb, tool_use_id="../x") is None


def test_a_hostile_id_is_in_no_database() -> None:
    event = payloads.parse_hook("turn-end", b'{"session_id": "ses#1"}')
    assert event is None or event.session_ref == ""
