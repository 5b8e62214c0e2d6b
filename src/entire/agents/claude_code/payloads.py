"""Translates Claude Code's hook payloads to events. Field names are as observed in version 2.1.197.

What few calls need is imported there: most hooks of an agent load this module and no other of its room.
"""

from __future__ import annotations

import time

from entire.agents import payloads, untrusted
from entire.agents.payloads import session_ref, tool_id, tool_input
from entire.agents.untrusted import clean, dict_of, dicts_of
from entire.model.events import Event, EventType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.agents.payloads import Payload, Table

_NOTE_TOOLS = ("TodoWrite", "TaskCreate", "TaskUpdate")


def parse_hook(hook: str, payload: bytes, now: Callable[[], float] = time.time) -> Event | None:
    """Return the event for a hook call, or None if there is nothing to report or no valid session id."""
    given = payloads.read(payload)
    if given is None or "cursor_version" in given or "conversation_id" in given:
        return None  # Cursor also runs the hooks in Claude Code's settings, for conversations of its own
    turn = clean(given.get("prompt_id"))
    return payloads.event(_EVENTS, hook, given, timestamp=now(), model=clean(given.get("model")), turn_ref=turn)


def _turn_start(payload: Payload) -> Payload:
    prompt = clean(payload.get("prompt"))
    from entire.agents.claude_code import records

    if not prompt.startswith(records.NOTICE):
        return {"type": EventType.TURN_START, "prompt": prompt}
    # A background subagent ended and the agent continues by itself: a turn that no person prompted.
    agent, call, summary = records.notice(prompt)
    return {
        "type": EventType.TURN_START,
        "source": "task-notification",
        "is_automatic": True,
        "subagent_id": agent,
        "tool_use_id": call,
        "task_description": summary,
    }


def _stop(payload: Payload) -> Payload:
    return {**payloads.turn_end(payload), "background": tuple(_background(payload))}


def _stop_failure(payload: Payload) -> Payload:
    return {**_stop(payload), "source": "failure"}


def _pre_task(payload: Payload) -> Payload | None:
    if not _is_task(payload):
        return None
    return {"type": EventType.SUBAGENT_START, **_task(payload)}


def _post_task(payload: Payload) -> Payload | None:
    from entire.agents.claude_code import records

    response = dict_of(payload.get("tool_response"))
    if not _is_task(payload) or records.is_launched(response):
        return None  # in the background: SubagentStop reports its end
    fields = {"type": EventType.SUBAGENT_END, **_task(payload), "subagent_id": tool_id(response.get("agentId"))}
    fields["subagent_type"] = fields["subagent_type"] or clean(response.get("agentType"))
    return fields


def _subagent_stop(payload: Payload) -> Payload | None:
    """Report the end of a background subagent; a foreground subagent ends with its tool call (post-task).

    When it stops, a background subagent is usually still in ``background_tasks``; a foreground subagent never is
    (2.1.197). For one that is not, the framework knows how it was started. Compaction also runs a subagent, which has
    no type.
    """
    agent, kind = tool_id(payload.get("agent_id")), clean(payload.get("agent_type"))
    path = session_ref(payload)
    if not kind or not agent:
        return None
    noted = _noted(path, agent)
    return {
        "type": EventType.SUBAGENT_END,
        "source": "background",
        "only_in_background": agent not in _background(payload),
        "subagent_id": agent,
        "subagent_ref": untrusted.path_of(payload.get("agent_transcript_path")),
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
    agent = tool_id(payload.get("agent_id"))
    if tool not in _NOTE_TOOLS or (not agent and "prompt_id" in payload):
        return None
    return {
        "type": EventType.SUBAGENT_NOTE,
        "tool_name": tool,
        "tool_use_id": _noted(session_ref(payload), agent).get("call", "") if agent else "",
        "subagent_id": agent,
        "tool_input": tool_input(payload.get("tool_input")) or "{}",
    }


_EVENTS: Table = {
    "post-task": _post_task,
    "post-todo": _note,
    "pre-compact": payloads.compaction,
    "pre-task": _pre_task,
    "session-end": payloads.session_end,
    "session-start": payloads.session_start,
    "stop": _stop,
    "stop-failure": _stop_failure,
    "subagent-stop": _subagent_stop,
    "user-prompt-submit": _turn_start,
}
hook_names = tuple(_EVENTS)


def _is_task(payload: Payload) -> bool:
    from entire.agents.claude_code.records import TASK_TOOLS

    return payload.get("tool_name") in (None, "", *TASK_TOOLS)


def _task(payload: Payload) -> Payload:
    call = tool_id(payload.get("tool_use_id"))
    return {"tool_use_id": call, **payloads.task(payload, "subagent_type", "description")}


def _noted(session_ref: str, agent: str) -> Payload:
    from entire.agents.claude_code import subagents

    return subagents.note(session_ref, agent)


def _background(payload: Payload) -> list[str]:
    """Return the ids of the background subagents (not shell commands) that are still running."""
    tasks = dicts_of(payload.get("background_tasks"))
    ids = [tool_id(task.get("id")) for task in tasks if task.get("type") == "subagent"]
    return [own_id for own_id in ids if own_id]
