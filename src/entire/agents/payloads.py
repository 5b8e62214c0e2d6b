"""Hook payloads as events: an adapter has a table that builds an event's fields from a payload, by the hook's verb.

A payload comes from a program that may be of any version: what has not the form that is expected is left out.
"""

from __future__ import annotations

import os

from entire.agents import untrusted
from entire.agents.untrusted import clean
from entire.model import jsontext
from entire.model.events import Event, EventType
from entire.model.ids import is_session_id, is_tool_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Payload = dict[str, Any]
    Table = Mapping[str, Callable[[Payload], Payload | None]]

_MAX_TOOL_INPUT = 64 * 1024


def read(data: bytes, key: str = "session_id") -> Payload | None:
    """Return a payload; None if it is no JSON object with a valid session id under ``key``."""
    payload = untrusted.loads(data)
    session = payload.get(key) if isinstance(payload, dict) else None
    return payload if isinstance(session, str) and is_session_id(session) else None


def parse(table: Table, hook: str, data: bytes, timestamp: float, turn_key: str = "") -> Event | None:
    """Return the event for a hook call, or None if there is nothing to report or no valid session id. ``turn_key``:
    where payloads name their turn.
    """
    payload = read(data)
    if payload is None:
        return None
    turn = clean(payload.get(turn_key)) if turn_key else ""
    return event(table, hook, payload, timestamp=timestamp, model=clean(payload.get("model")), turn_ref=turn)


def event(table: Table, hook: str, payload: Payload, **common: object) -> Event | None:
    """Return the event that a table builds for a hook; None for an unknown hook, or if there is nothing to report.

    ``common``: fields that all events of the agent have, beside its session and folder.
    """
    build = table.get(hook)
    fields = build(payload) if build is not None else None
    if fields is None:
        return None
    common |= {
        "session_id": payload["session_id"],
        "session_ref": session_ref(payload),
        "cwd": untrusted.path_of(payload.get("cwd")),
    }
    return Event(**{**common, **fields})


def session_start(payload: Payload) -> Payload:
    """Return the fields of a session's start. A start after ``/clear`` or a compaction goes on in the same program."""
    source = clean(payload.get("source"))
    kinds = {"is_compaction": source == "compact", "is_clearing": source == "clear"}
    return {"type": EventType.SESSION_START, "source": source, **kinds}


def session_end(payload: Payload) -> Payload:
    """Return the fields of a session's end."""
    reason = clean(payload.get("reason"))
    return {"type": EventType.SESSION_END, "source": reason, "is_clearing": reason == "clear"}


def turn_end(payload: Payload) -> Payload:
    """Return the fields of a turn's end."""
    return {"type": EventType.TURN_END, "final_text": clean(payload.get("last_assistant_message"))}


def compaction(payload: Payload) -> Payload:
    """Return the fields of a compaction."""
    return {"type": EventType.COMPACTION, "source": clean(payload.get("trigger"))}


def task(payload: Payload, type_key: str, description_key: str) -> Payload:
    """Return the fields that describe a subagent's task, from the input of the tool that starts it."""
    given = payload.get("tool_input")
    known = untrusted.dict_of(given)
    return {
        "tool_input": tool_input(given),
        "subagent_type": clean(known.get(type_key)),
        "task_description": clean(known.get(description_key)),
    }


def subagent(payload: Payload, id_key: str = "agent_id", type_key: str = "agent_type") -> Payload | None:
    """Return the fields that name a subagent, None if it has no id."""
    agent = tool_id(payload.get(id_key))
    return {"subagent_id": agent, "subagent_type": clean(payload.get(type_key))} if agent else None


def session_ref(payload: Payload) -> str:
    """Return the transcript's path, '' if there is none."""
    path = untrusted.path_of(payload.get("transcript_path"))
    return os.path.abspath(path) if path else ""


def tool_id(value: object) -> str:
    """Return an id that is safe in a path, else ''."""
    text = clean(value)
    return text if is_tool_id(text) else ""


def tool_input(given: object) -> str:
    """Return what a tool was given as JSON text, shortened if it is long; '' if it was given nothing."""
    if given is None:
        return ""
    try:
        text = jsontext.dumps(given, ensure_ascii=False, compact=True)
    except RecursionError:  # nested a little less deep than what cannot be parsed
        return ""
    from entire.agents import transcripts

    return transcripts.shorten(text.encode("utf-8", "replace"), _MAX_TOOL_INPUT).decode("utf-8", "replace")
