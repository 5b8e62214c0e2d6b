"""Translates the payloads of Cursor, which also runs the hooks in Claude Code's settings, for its own conversations.

Not observed: field names are those of Cursor's documentation and of public reports (2026.09). Its own adapter must give
the same ids, since the same conversation may reach both.
"""

from __future__ import annotations

import os

from entire.agents.transcripts import clean
from entire.model.events import Event, EventType
from entire.model.ids import is_session_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Payload = dict[str, Any]

NAME = "cursor"


def event(hook: str, payload: Payload, now: float) -> Event | None:
    """Return the event for a hook call, or None if there is nothing to report."""
    session = clean(payload.get("parent_conversation_id")) or clean(payload.get("conversation_id"))
    build = _EVENTS.get(hook)
    fields = build(payload) if build is not None and is_session_id(session) else None
    if fields is None:
        return None
    common = {
        "session_id": session,
        "session_ref": _path(payload, "transcript_path"),
        "timestamp": now,
        "model": clean(payload.get("model")),
        "turn_ref": clean(payload.get("generation_id")),
        "cwd": _root(payload),
        "handled_by": NAME,
    }
    return Event(**{**common, **fields})


def _task_start(payload: Payload) -> Payload | None:
    if payload.get("tool_name") != "Task":
        return None
    return {"type": EventType.SUBAGENT_START, **_task(payload)}


def _task_end(payload: Payload) -> Payload | None:
    if payload.get("tool_name") != "Task":
        return None
    return {"type": EventType.SUBAGENT_END, **_task(payload)}


def _task(payload: Payload) -> Payload:
    given = payload.get("tool_input")
    given = given if isinstance(given, dict) else {}
    return {
        "tool_use_id": clean(payload.get("tool_use_id")),
        "subagent_type": clean(given.get("subagent_type")),
        "task_description": clean(given.get("description")),
    }


def _subagent_stop(payload: Payload) -> Payload:
    """Report a subagent's end; it names no call, and its id only in its transcript's name."""
    path = _path(payload, "agent_transcript_path")
    return {
        "type": EventType.SUBAGENT_END,
        "subagent_id": clean(payload.get("subagent_id")) or os.path.splitext(os.path.basename(path))[0],
        "subagent_ref": path,
        "subagent_type": clean(payload.get("subagent_type")),
        "task_description": clean(payload.get("description")),
        "final_text": clean(payload.get("summary")),
    }


_EVENTS: dict[str, Callable[[Payload], Payload | None]] = {
    "post-task": _task_end,
    "pre-compact": lambda payload: {"type": EventType.COMPACTION, "source": clean(payload.get("trigger"))},
    "pre-task": _task_start,
    "session-end": lambda payload: {"type": EventType.SESSION_END, "source": clean(payload.get("reason"))},
    "session-start": lambda _: {"type": EventType.SESSION_START},
    "stop": lambda payload: {"type": EventType.TURN_END, "source": clean(payload.get("status"))},
    "subagent-stop": _subagent_stop,
    "user-prompt-submit": lambda payload: {"type": EventType.TURN_START, "prompt": clean(payload.get("prompt"))},
}


def _path(payload: Payload, key: str) -> str:
    path = clean(payload.get(key))
    return path if os.path.isabs(path) and "\0" not in path else ""


def _root(payload: Payload) -> str:
    """Return the folder of the workspace; where the hook runs says nothing."""
    roots = payload.get("workspace_roots")
    return clean(roots[0]) if isinstance(roots, list) and roots else clean(payload.get("cwd"))
