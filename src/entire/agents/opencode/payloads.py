"""Translates what our plugin reports. It names its calls after our events, so that there is little to translate."""

from __future__ import annotations

import os
import time

from entire.agents import payloads
from entire.agents.payloads import tool_id
from entire.agents.untrusted import clean
from entire.model.events import Event, EventType
from entire.model.positions import SessionRef
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from entire.agents.payloads import Payload, Table


def database(env: Mapping[str, str]) -> str:
    """Return where OpenCode keeps the sessions of all projects."""
    home = env.get("HOME") or os.path.expanduser("~")
    data = os.path.join(env.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share"), "opencode")
    return os.path.join(env.get("ENTIRE_TEST_OPENCODE_DIR") or data, env.get("OPENCODE_DB") or "opencode.db")


def parse_hook(hook: str, payload: bytes, now: Callable[[], float] = time.time) -> Event | None:
    """Return the event for a hook call, or None if there is nothing to report or no valid session id."""
    event = payloads.parse(_EVENTS, hook, payload, now(), "turn_id")
    if event is None:
        return None
    own, child = (_rows(name) if tool_id(name) else "" for name in (event.session_id, event.subagent_id))
    return replace(event, session_ref=own, subagent_ref=child)


def _rows(session_id: str) -> SessionRef:
    return SessionRef.of_rows(database(os.environ), session_id)


def _turn_start(payload: Payload) -> Payload:
    return {"type": EventType.TURN_START, "prompt": clean(payload.get("prompt"))}


def _turn_end(payload: Payload) -> Payload:
    return {"type": EventType.TURN_END, "source": clean(payload.get("reason"))}


def _subagent_start(payload: Payload) -> Payload | None:
    fields = _subagent(payload)
    return fields and {**fields, "type": EventType.SUBAGENT_START}


def _subagent_end(payload: Payload) -> Payload | None:
    fields = _subagent(payload)
    child = tool_id(payload.get("subagent_id"))
    return fields and {**fields, "type": EventType.SUBAGENT_END, "subagent_id": child}


def _subagent(payload: Payload) -> Payload | None:
    call = tool_id(payload.get("tool_use_id"))
    return {**payloads.task(payload, "subagent_type", "description"), "tool_use_id": call} if call else None


_EVENTS: Table = {
    "session-start": payloads.session_start,
    "turn-start": _turn_start,
    "turn-end": _turn_end,
    "compaction": payloads.compaction,
    "subagent-start": _subagent_start,
    "subagent-end": _subagent_end,
    "session-end": payloads.session_end,
}
hook_names = tuple(_EVENTS)
