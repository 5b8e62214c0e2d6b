"""What our extension reported in the real agent gives exactly the events it means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from entire.agents.pi.agent import Pi
from entire.model.events import Event, EventType
from tests.agents.pi import oracle

PAYLOADS = oracle.FIXTURES / "payloads"
CASES: dict[str, Any] = json.loads((Path(__file__).parent / "cases" / "payloads.json").read_text())


def parse(hook: str, **payload: object) -> Event:
    event = Pi(now=lambda: 1234.5, env={}).parse_hook(hook, json.dumps({"session_id": "s1", **payload}).encode())
    assert event is not None
    return event


def test_every_captured_payload_has_a_case() -> None:
    assert sorted(CASES) == sorted(path.stem for path in PAYLOADS.iterdir())


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_captured_payload(name: str) -> None:
    payload, case = json.loads((PAYLOADS / f"{name}.json").read_bytes()), CASES[name]
    common = {
        "session_id": payload["session_id"],
        "session_ref": payload["transcript_path"],
        "timestamp": payload["timestamp"] / 1000,
        "cwd": payload["cwd"],
        "pid": payload["pid"],
        "model": payload.get("model", ""),
        "turn_ref": payload.get("turn_id", ""),
        "metadata": {"branch": ""} if "last" in payload else {},
    }
    wanted = {**common, **case["event"], "type": EventType[case["event"]["type"]]}
    assert Pi(env={}).parse_hook(case["hook"], json.dumps(payload).encode()) == Event(**wanted)


def test_the_branch_is_told_where_it_is_not_that_of_the_last_entry() -> None:
    assert parse("tree", leaf="a1", last="b2").metadata == {"branch": "a1 b2"}
    assert parse("tree", leaf=None, last="b2").metadata == {"branch": " b2"}
    assert parse("tree", leaf="b2", last="b2").metadata == {"branch": ""}
    assert parse("turn-end").metadata == {}  # the agent no longer knew


def test_a_turn_that_pi_began_by_itself() -> None:
    assert parse("turn-start", automatic=True).is_automatic
    assert not parse("turn-start", prompt="go").is_automatic
    assert parse("turn-start").timestamp == 1234.5


@pytest.mark.parametrize(("call", "subagent"), [("call_1", "call_1"), ("call_1|fc/2", "call_1-fc-2")])
def test_a_subagent_is_named_after_its_call(call: str, subagent: str) -> None:
    event = parse("subagent-end", tool_use_id=call, transcript_path="/s/x.jsonl", agent="worker", task="sub")
    assert (event.subagent_id, event.tool_use_id, event.subagent_ref) == (subagent, subagent, f"/s/x.jsonl#{subagent}")
    assert (event.subagent_type, event.task_description) == ("worker", "sub")
    assert Pi(env={}).parse_hook("subagent-end", b'{"session_id": "s1", "tool_use_id": 7}') is None
