"""Translates Gemini CLI's hook payloads to events. Field names are as observed in version 0.61.0."""

from __future__ import annotations

import os

from entire.agents import transcripts
from entire.agents.gemini import records, sessions
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


def event(hook: str, data: bytes, now: float) -> Event | None:
    """Return the event for a hook call, or None if there is nothing to report or no valid session id."""
    payload = transcripts.loads(data)
    if not isinstance(payload, dict) or hook not in EVENTS:
        return None
    session = payload.get("session_id")
    if not isinstance(session, str) or not is_session_id(session):
        return None
    fields = EVENTS[hook](payload)
    if fields is None:
        return None
    common = {
        "session_id": session,
        "session_ref": session_ref(payload),
        "timestamp": now,
        "cwd": transcripts.path_of(payload.get("cwd")),
    }
    return Event(**{**common, **fields})


def session_ref(payload: Payload) -> str:
    path = transcripts.path_of(payload.get("transcript_path"))
    return os.path.abspath(path) if path else ""


def _session_start(payload: Payload) -> Payload:
    source = clean(payload.get("source"))
    found = {"type": EventType.SESSION_START, "source": source, "is_clearing": source == "clear"}
    if source == "resume":
        found["session_ref"] = ""  # the file it names stays empty: the agent goes on in the session's old one
    return found


def _session_end(payload: Payload) -> Payload:
    reason = clean(payload.get("reason"))
    return {"type": EventType.SESSION_END, "source": reason, "is_clearing": reason == "clear"}


def _turn_start(payload: Payload) -> Payload:
    prompt = records.without_hook_context(clean(payload.get("prompt")))
    return {"type": EventType.TURN_START, "prompt": prompt}


def _turn_end(_payload: Payload) -> Payload:
    """Report a turn's end, without ``prompt_response``: it repeats the pieces of a streamed answer."""
    return {"type": EventType.TURN_END}


def _compaction(payload: Payload) -> Payload | None:
    """Report a compaction that the user asked for. Before every call of the model, the hook runs as ``auto``."""
    trigger = clean(payload.get("trigger"))
    return None if trigger == "auto" else {"type": EventType.COMPACTION, "source": trigger}


def _before_tool(payload: Payload) -> Payload | None:
    if payload.get("tool_name") != records.TASK_TOOL:
        return None
    return {"type": EventType.SUBAGENT_START, **_task(payload)}


def _after_tool(payload: Payload) -> Payload | None:
    """Report the end of a subagent, or of a shell command: it may have made commits, for which git's hooks are off.

    The transcript does not hold the command yet, so the session's metadata name the commits that it printed.
    """
    tool = payload.get("tool_name")
    if tool == records.SHELL_TOOL:
        from entire.conversation import commits

        made = " ".join(commits.printed(_output(payload)))
        return {"type": EventType.TOOL_END, "tool_name": tool, "metadata": {records.COMMITTED: made} if made else {}}
    if tool != records.TASK_TOOL:
        return None
    agent = _subagent_id(payload)
    ref = sessions.subagent_file(session_ref(payload), clean(payload["session_id"]), agent)
    return {"type": EventType.SUBAGENT_END, **_task(payload), "subagent_id": agent, "subagent_ref": ref}


def _nothing(_payload: Payload) -> Payload | None:
    return None


EVENTS: dict[str, Callable[[Payload], Payload | None]] = {
    "session-start": _session_start,
    "session-end": _session_end,
    "before-agent": _turn_start,
    "after-agent": _turn_end,
    "before-tool": _before_tool,
    "after-tool": _after_tool,
    "pre-compress": _compaction,
    # Installed by the Go CLI; nothing in them is needed.
    "after-model": _nothing,
    "before-model": _nothing,
    "before-tool-selection": _nothing,
    "notification": _nothing,
}


def _task(payload: Payload) -> Payload:
    """Describe a subagent's task. No hook tells the id of its call: the framework pairs start and end by the rest."""
    given = payload.get("tool_input")
    known = given if isinstance(given, dict) else {}
    return {
        "tool_input": _input(given),
        "subagent_type": clean(known.get("agent_name")),
        "task_description": clean(known.get("prompt")),
    }


def _input(given: object) -> str:
    if given is None:
        return ""
    try:
        text = jsontext.dumps(given, ensure_ascii=False, compact=True)
    except RecursionError:  # nested a little less deep than what cannot be parsed
        return ""
    data = text.encode("utf-8", "replace")
    return transcripts.shorten(data, MAX_TOOL_INPUT).decode("utf-8", "replace")


def _output(payload: Payload) -> str:
    response = payload.get("tool_response")
    return records.text_of(response.get("llmContent")) if isinstance(response, dict) else ""


def _subagent_id(payload: Payload) -> str:
    """Return the id of the subagent that ended: what it did last is numbered ``<its id>#0-0``."""
    response = payload.get("tool_response")
    display = response.get("returnDisplay") if isinstance(response, dict) else None
    activity = display.get("recentActivity") if isinstance(display, dict) else None
    for step in activity if isinstance(activity, list) else []:
        found = clean(step.get("id")).partition("#")[0] if isinstance(step, dict) else ""
        if is_tool_id(found):
            return found
    return ""
