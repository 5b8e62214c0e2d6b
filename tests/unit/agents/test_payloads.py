"""What payloads of any agent become: an event with what the agent told, or nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from entire.agents import payloads
from entire.model.events import Event, EventType

START = {"start": lambda payload: {"type": EventType.TURN_START, "prompt": payload["prompt"]}, "note": lambda _: None}


def test_an_event_has_its_own_fields_and_those_of_all() -> None:
    payload = {"session_id": "s-1", "prompt": "Do it", "transcript_path": "/t/../x.jsonl", "cwd": "/w"}
    event = payloads.event(START, "start", payload, timestamp=7.0, model="m")
    assert event is not None
    assert (event.session_id, event.session_ref, event.cwd, event.prompt) == ("s-1", "/x.jsonl", "/w", "Do it")
    assert (event.timestamp, event.model) == (7.0, "m")


@pytest.mark.parametrize("hook", ["note", "unknown"])
def test_a_hook_without_meaning_is_no_event(hook: str) -> None:
    assert payloads.event(START, hook, {"session_id": "s"}) is None


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{", b'"s"', b"{}", *(json.dumps({"session_id": one}).encode() for one in ("", "../x", 7))],
)
def test_a_payload_without_a_usable_session_is_none(data: bytes) -> None:
    assert payloads.read(data) is None


@pytest.mark.parametrize("value", [None, 7, [], "", "../up", "a/b", "\0"])
def test_an_id_that_could_lead_elsewhere_is_none(value: Any) -> None:
    assert payloads.tool_id(value) == ""


def test_a_long_input_is_shortened_and_stays_json() -> None:
    assert payloads.tool_input(None) == ""
    assert payloads.tool_input({"a": "ü"}) == '{"a":"ü"}'
    long = payloads.tool_input({"path": "kept", "text": "x" * 200_000})
    assert len(long) <= 64 * 1024
    assert json.loads(long)["path"] == "kept"
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert payloads.tool_input(deep) == ""


def test_the_usual_events() -> None:
    def task(given: dict[str, Any]) -> dict[str, Any]:
        return {"type": EventType.SUBAGENT_START, **payloads.task(given, "kind", "about")}

    table = {"start": payloads.session_start, "end": payloads.session_end, "stop": payloads.turn_end,
             "compact": payloads.compaction, "task": task}  # fmt: skip

    def parsed(hook: str, **given: Any) -> Event:
        data = json.dumps({"session_id": "s1", "turn": "t1", "model": "m", **given}).encode()
        event = payloads.parse(table, hook, data, 7.0, "turn")
        assert event is not None
        assert (event.session_id, event.timestamp, event.turn_ref, event.model) == ("s1", 7.0, "t1", "m")
        return event

    begun = parsed("start", source="clear")
    assert (begun.source, begun.is_clearing, begun.is_compaction) == ("clear", True, False)
    assert parsed("start", source="compact").is_compaction
    ended = parsed("end", reason="clear")
    assert (ended.type, ended.source, ended.is_clearing) == (EventType.SESSION_END, "clear", True)
    assert parsed("stop", last_assistant_message="Done.").final_text == "Done."
    assert parsed("compact", trigger="manual").source == "manual"
    asked = parsed("task", tool_input={"kind": "k", "about": "a"})
    assert (asked.subagent_type, asked.task_description, asked.tool_input) == ("k", "a", '{"kind":"k","about":"a"}')
    assert payloads.parse(table, "start", b"{}", 7.0) is None
