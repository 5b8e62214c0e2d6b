"""Every captured hook payload gives exactly the event it means; others that look like it give none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from entire.agents.codex.agent import Codex
from entire.model.events import Event, EventType
from tests.agents.codex import oracle

PAYLOADS = oracle.FIXTURES / "payloads"
CASES: dict[str, Any] = json.loads((Path(__file__).parent / "cases" / "payloads.json").read_text())


def agent() -> Codex:
    return Codex(now=lambda: 1234.5, env={})


def encoded(**payload: object) -> bytes:
    return json.dumps({"session_id": "s1", "cwd": "/p", **payload}).encode()


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
    common = {"session_id": payload["session_id"], "session_ref": payload["transcript_path"], "timestamp": 1234.5,
              "cwd": payload["cwd"]}  # fmt: skip
    assert event == Event(**{**common, **wanted, "type": EventType[wanted["type"]]})


def test_the_prompt_of_a_review_starts_no_turn_of_the_session() -> None:
    """It carries the session's id, but no hook reports its end, and its transcript is another one."""
    review = "/h/.codex/sessions/2026/11/21/rollout-2026-11-21T06-12-46-other.jsonl"
    assert agent().parse_hook("user-prompt-submit", encoded(prompt="Review it", transcript_path=review)) is None
    own = "/h/.codex/sessions/2026/11/21/rollout-2026-11-21T06-12-46-s1.jsonl"
    assert agent().parse_hook("user-prompt-submit", encoded(prompt="Go on", transcript_path=own)) is not None


def test_an_ephemeral_session_has_no_transcript() -> None:
    event = agent().parse_hook("user-prompt-submit", encoded(prompt="Go on", transcript_path=None))
    assert event is not None
    assert (event.session_ref, event.prompt) == ("", "Go on")


@pytest.mark.parametrize("hook", ["subagent-start", "subagent-stop"])
def test_a_subagent_without_a_safe_id_is_not_reported(hook: str) -> None:
    for name in (None, "", "../x", 7):
        assert agent().parse_hook(hook, encoded(agent_id=name, transcript_path="/h/s1.jsonl")) is None
