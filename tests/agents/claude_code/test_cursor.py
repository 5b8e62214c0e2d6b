"""Payloads of Cursor, which calls Claude Code's hooks: as documented, none was observed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from entire.agents.claude_code import cursor
from entire.agents.claude_code.agent import ClaudeCode
from entire.model.events import Event, EventType

ID = "5b9f37e5-d3ee-47e2-9c2f-651a17c9b118"
FOLDER = f"/home/dev/.cursor/projects/home-dev-project/agent-transcripts/{ID}"
COMMON = {
    "conversation_id": ID,
    "generation_id": "0d4c5f1e-0000-4000-8000-000000000001",
    "model": "claude-sonnet-4",
    "cursor_version": "2026.09.26-dd393fe",
    "workspace_roots": ["/home/dev/project"],
    "user_email": None,
    "transcript_path": f"{FOLDER}/{ID}.jsonl",
}
TASK = {"tool_name": "Task", "tool_use_id": "tc-789", "tool_input": {"subagent_type": "explore", "description": "Look"}}
TOLD = {"tool_use_id": "tc-789", "subagent_type": "explore", "task_description": "Look"}
STOP = {"subagent_type": "explore", "status": "completed", "task": "create sub.txt", "description": "Look",
        "summary": "done", "agent_transcript_path": f"{FOLDER}/subagents/abc-123.jsonl"}  # fmt: skip


def parse(hook: str, **payload: object) -> Event | None:
    return ClaudeCode(now=lambda: 1234.5).parse_hook(hook, json.dumps({**COMMON, **payload}).encode())


@pytest.mark.parametrize(
    ("hook", "payload", "told"),
    [
        ("session-start", {"session_id": ID}, {"type": EventType.SESSION_START}),
        ("user-prompt-submit", {"prompt": "first"}, {"type": EventType.TURN_START, "prompt": "first"}),
        ("pre-task", TASK, {"type": EventType.SUBAGENT_START, **TOLD}),
        ("post-task", {**TASK, "tool_output": "{}"}, {"type": EventType.SUBAGENT_END, **TOLD}),
        (
            "subagent-stop",
            {**STOP, "parent_conversation_id": ID, "conversation_id": "the-child"},
            {"type": EventType.SUBAGENT_END, "subagent_id": "abc-123", "subagent_ref": STOP["agent_transcript_path"],
             "subagent_type": "explore", "task_description": "Look", "final_text": "done"},
        ),
        ("pre-compact", {"trigger": "auto"}, {"type": EventType.COMPACTION, "source": "auto"}),
        ("stop", {"status": "completed"}, {"type": EventType.TURN_END, "source": "completed"}),
        ("session-end", {"reason": "aborted"}, {"type": EventType.SESSION_END, "source": "aborted"}),
    ],
)  # fmt: skip
def test_a_payload(hook: str, payload: dict[str, Any], told: dict[str, Any]) -> None:
    assert parse(hook, **payload) == Event(
        **{
            "session_id": ID,
            "session_ref": COMMON["transcript_path"],
            "turn_ref": COMMON["generation_id"],
            "model": "claude-sonnet-4",
            "timestamp": 1234.5,
            "cwd": "/home/dev/project",
            "handled_by": cursor.NAME,
            **told,
        }
    )


@pytest.mark.parametrize(
    ("hook", "payload"),
    [
        ("pre-task", {"tool_name": "Shell"}),
        ("post-task", {"tool_name": "Write"}),
        ("post-todo", {"tool_name": "TodoWrite"}),
        ("stop", {"conversation_id": "../x"}),
        ("stop", {"conversation_id": 7, "session_id": ID}),
    ],
)
def test_what_means_nothing(hook: str, payload: dict[str, Any]) -> None:
    assert parse(hook, **payload) is None


def test_a_transcript_that_is_switched_off() -> None:
    found = parse("stop", transcript_path=None, workspace_roots=[], cwd="/elsewhere")
    assert found is not None
    assert (found.session_ref, found.cwd) == ("", "/elsewhere")
