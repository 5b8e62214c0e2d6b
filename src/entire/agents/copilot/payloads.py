"""Translates Copilot CLI's hook payloads to events. Field names are as observed in version 1.0.102."""

from __future__ import annotations

import time

from entire.agents import payloads
from entire.agents.untrusted import clean
from entire.model.events import Event, EventType
from entire.model.jsontext import natural, real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.agents.payloads import Payload, Table


def parse_hook(hook: str, payload: bytes, now: Callable[[], float] = time.time) -> Event | None:
    """Return the event for a hook call, or None if there is nothing to report or no valid session id."""
    given = payloads.read(payload, "sessionId")
    if given is None:
        return None
    about = {"session_id": given["sessionId"], "transcript_path": given.get("transcriptPath"), "cwd": given.get("cwd")}
    return payloads.event(_EVENTS, hook, {**given, **about}, timestamp=real(given.get("timestamp")) / 1000 or now())


def _turn_start(payload: Payload) -> Payload | None:
    """Report a prompt, unless it is a subagent's task: then the session that is named is the subagent's."""
    if payload.get("parentAgentId"):
        return None
    at = natural(payload.get("timestamp"))  # the same in the hook of the user's settings and in that of the project
    return {"type": EventType.TURN_START, "prompt": clean(payload.get("prompt")), "turn_ref": str(at) if at else ""}


def _turn_end(payload: Payload) -> Payload | None:
    return None if payload.get("parentAgentId") else payloads.turn_end(payload)


def _subagent_start(payload: Payload) -> Payload | None:
    fields = payloads.subagent(payload, "agentId", "agentType")
    return fields and {**fields, "type": EventType.SUBAGENT_START}


def _subagent_stop(payload: Payload) -> Payload | None:
    """Report a subagent's end. What it did is in the session's own file."""
    fields = payloads.subagent(payload, "agentId", "agentType")
    path = payloads.session_ref(payload)
    return fields and {
        **fields,
        "type": EventType.SUBAGENT_END,
        "subagent_ref": f"{path}#{fields['subagent_id']}" if path else "",
        "final_text": clean(payload.get("response")),
    }


_EVENTS: Table = {
    "session-start": payloads.session_start,
    "user-prompt-submitted": _turn_start,
    "agent-stop": _turn_end,
    "subagent-start": _subagent_start,
    "subagent-stop": _subagent_stop,
    "pre-compact": payloads.compaction,
    "session-end": payloads.session_end,
}
hook_names = tuple(_EVENTS)
