"""Every captured hook payload gives exactly the event it means; what a subagent's hooks say is not its session's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from entire.agents.copilot.agent import Copilot
from entire.model.events import Event, EventType
from tests.agents.copilot import oracle

PAYLOADS = oracle.FIXTURES / "payloads"
CASES: dict[str, Any] = json.loads((Path(__file__).parent / "cases" / "payloads.json").read_text())


def agent() -> Copilot:
    return Copilot(now=lambda: 1234.5, env={"HOME": "/home/dev"})


def test_every_captured_payload_has_a_case() -> None:
    assert sorted(CASES) == sorted(path.stem for path in PAYLOADS.iterdir())


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_captured_payload(name: str) -> None:
    data = (PAYLOADS / f"{name}.json").read_bytes()
    event, wanted = agent().parse_hook(CASES[name]["hook"], data), CASES[name]["event"]
    if wanted is None:
        assert event is None
        return
    payload = json.loads(data)
    common = {"session_id": payload["sessionId"], "session_ref": payload.get("transcriptPath", ""),
              "timestamp": payload["timestamp"] / 1000, "cwd": payload["cwd"]}  # fmt: skip
    assert event == Event(**{**common, **wanted, "type": EventType[wanted["type"]]})


def test_the_file_of_a_session_is_known_by_its_id() -> None:
    """Most hooks do not name it."""
    event = agent().parse_hook("session-start", b'{"sessionId": "s1", "cwd": "/p"}')
    assert event is not None
    assert event.timestamp == 1234.5
    assert agent().find_transcript(event) == "/home/dev/.copilot/session-state/s1/events.jsonl"
    moved = Copilot(env={"COPILOT_HOME": "/elsewhere"})
    assert moved.find_transcript(event) == "/elsewhere/session-state/s1/events.jsonl"


@pytest.mark.parametrize("hook", ["subagent-start", "subagent-stop"])
def test_a_subagent_without_a_safe_id_is_not_reported(hook: str) -> None:
    for name in (None, "", "../x", 7):
        assert agent().parse_hook(hook, json.dumps({"sessionId": "s1", "agentId": name}).encode()) is None
