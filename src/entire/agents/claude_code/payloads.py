"""Translates Claude Code's hook payloads to events. Field names are as observed in version 2.1.197."""

from __future__ import annotations

import os

from entire.agents import transcripts
from entire.agents.claude_code import records, subagents
from entire.agents.transcripts import clean
from entire.model import jsontext
from entire.model.events import Event, EventType
from entire.model.ids import is_session_id, is_tool_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Payload = dict[str, Any]

MAX_TOOL_INPUT = 64 * 1024
_NOTE_TOOLS = ("TodoWrite", "TaskCreate", "TaskUpdate")


def event(hook: str, data: bytes, now: float) -> Event | None:
    """Return the event for a hook call, or None if there is nothing to report or no valid session id."""
    payload = transcripts.loads(data)
    if not isinstance(payload, dict):
        return None
    if "cursor_version" in payload or "conversation_id" in payload:
        return None  # Cursor also runs the hooks in Claude Code's settings, for conversations of its own
    session = payload.get("session_id")
    if not isinstance(session, str) or not is_session_id(session):
        return None
    build = _EVENTS.get(hook)
    fields = build(payload) if build else None
    if fields is None:
        return None
    common = {
        "session_id": payload["session_id"],
        "session_ref": session_ref(payload),
        "timestamp": now,
        "model": clean(payload.get("model")),
        "turn_ref": clean(payload.get("prompt_id")),
        "cwd": clean(payload.get("cwd")),
    }
    return Event(**{**common, **fields})


def session_ref(payload: Payload) -> str:
    """Return the transcript's path. At SessionStart it is only a hint: the file may be missing or a different one."""
    path = transcripts.path_of(payload.get("transcript_path"))
    return os.path.abspath(path) if path else ""


def _session_start(payload: Payload) -> Payload:
    source = clean(payload.get("source"))
    return {
        "type": EventType.SESSION_START,
        "source": source,
        "is_compaction": source == "compact",
        "is_clearing": source == "clear",
    }


def _session_end(payload: Payload) -> Payload:
    reason = clean(payload.get("reason"))
    return {"type": EventType.SESSION_END, "source": reason, "is_clearing": reason == "clear"}


def _turn_start(payload: Payload) -> Payload:
    prompt = clean(payload.get("prompt"))
    if not prompt.startswith("<task-notification>"):
        return {"type": EventType.TURN_START, "prompt": prompt}
    # A background subagent ended and the agent continues by itself: a turn that no person prompted.
    agent, call = records.notification_ids(prompt)
    return {
        "type": EventType.TURN_START,
        "source": "task-notification",
        "is_automatic": True,
        "subagent_id": agent,
        "tool_use_id": call,
        "task_description": records.notification_summary(prompt),
    }


def _stop(payload: Payload) -> Payload:
    return {
        "type": EventType.TURN_END,
        "final_text": clean(payload.get("last_assistant_message")),
        "background": tuple(_background(payload)),
    }


def _stop_failure(payload: Payload) -> Payload:
    return {**_stop(payload), "source": "failure"}


def _compaction(payload: Payload) -> Payload:
    return {"type": EventType.COMPACTION, "source": clean(payload.get("trigger"))}


def _pre_task(payload: Payload) -> Payload | None:
    if not _is_task(payload):
        return None
    return {"type": EventType.SUBAGENT_START, **_task(payload)}


def _post_task(payload: Payload) -> Payload | None:
    response = payload.get("tool_response")
    response = response if isinstance(response, dict) else {}
    if not _is_task(payload) or response.get("isAsync") is True or response.get("status") == "async_launched":
        return None  # in the background: SubagentStop reports its end
    found = {"type": EventType.SUBAGENT_END, **_task(payload), "subagent_id": _tool_id(response, "agentId")}
    found["subagent_type"] = found["subagent_type"] or clean(response.get("agentType"))
    return found


def _subagent_stop(payload: Payload) -> Payload | None:
    """Report the end of a background subagent; a foreground subagent ends with its tool call (post-task).

    When it stops, a background subagent is usually still in ``background_tasks``; a foreground subagent never is
    (2.1.197). For one that is not, the framework knows how it was started. Compaction also runs a subagent, which has
    no type.
    """
    agent, kind = _tool_id(payload, "agent_id"), clean(payload.get("agent_type"))
    path = session_ref(payload)
    if not kind or not agent:
        return None
    noted = subagents.note(path, agent)
    return {
        "type": EventType.SUBAGENT_END,
        "source": "background",
        "only_in_background": agent not in _background(payload),
        "subagent_id": agent,
        "subagent_ref": transcripts.path_of(payload.get("agent_transcript_path")),
        "subagent_type": kind,
        "tool_use_id": noted.get("call", ""),
        "task_description": noted.get("description", ""),
        "final_text": clean(payload.get("last_assistant_message")),
    }


def _note(payload: Payload) -> Payload | None:
    """Report an update of a subagent's todo list; nothing for the main agent's.

    Since 2.1 a subagent's tool calls carry ``agent_id``. Older payloads carry neither that nor ``prompt_id``; for them
    the framework knows whether a task is running.
    """
    tool = clean(payload.get("tool_name")) or _NOTE_TOOLS[0]
    agent = _tool_id(payload, "agent_id")
    if tool not in _NOTE_TOOLS or (not agent and "prompt_id" in payload):
        return None
    return {
        "type": EventType.SUBAGENT_NOTE,
        "tool_name": tool,
        "tool_use_id": subagents.note(session_ref(payload), agent).get("call", "") if agent else "",
        "subagent_id": agent,
        "tool_input": _input(payload) or "{}",
    }


_EVENTS: dict[str, Callable[[Payload], Payload | None]] = {
    "post-task": _post_task,
    "post-todo": _note,
    "pre-compact": _compaction,
    "pre-task": _pre_task,
    "session-end": _session_end,
    "session-start": _session_start,
    "stop": _stop,
    "stop-failure": _stop_failure,
    "subagent-stop": _subagent_stop,
    "user-prompt-submit": _turn_start,
}


def _is_task(payload: Payload) -> bool:
    return payload.get("tool_name") in (None, "", *records.TASK_TOOLS)


def _task(payload: Payload) -> Payload:
    given = payload.get("tool_input")
    given = given if isinstance(given, dict) else {}
    return {
        "tool_use_id": _tool_id(payload, "tool_use_id"),
        "tool_input": _input(payload),
        "subagent_type": clean(given.get("subagent_type")),
        "task_description": clean(given.get("description")),
    }


def _input(payload: Payload) -> str:
    given = payload.get("tool_input")
    if given is None:
        return ""
    try:
        text = jsontext.dumps(given, ensure_ascii=False, compact=True)
    except RecursionError:  # nested a little less deep than what cannot be parsed
        return ""
    data = text.encode("utf-8", "replace")
    return transcripts.shorten(data, MAX_TOOL_INPUT).decode("utf-8", "replace")


def _tool_id(payload: Payload, key: str) -> str:
    """Return an id that is safe in a path, else ''."""
    found = clean(payload.get(key))
    return found if is_tool_id(found) else ""


def _background(payload: Payload) -> list[str]:
    """Return the ids of the background subagents (not shell commands) that are still running."""
    tasks = payload.get("background_tasks")
    tasks = [task for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else []
    return [_tool_id(task, "id") for task in tasks if task.get("type") == "subagent" and _tool_id(task, "id")]
