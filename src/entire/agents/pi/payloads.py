"""Translates what our extension reports (``index.ts``) to events."""

from __future__ import annotations

import time

from entire.agents import payloads
from entire.agents.untrusted import clean
from entire.model.events import Event, EventType
from entire.model.ids import is_tool_id
from entire.model.jsontext import natural, real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.agents.payloads import Payload, Table

BRANCH = "branch"
"""In a session's metadata: the entry after which the conversation goes on, and that which was last in the file then;
'' if they are the same. A file does not tell the first one.
"""


def parse_hook(hook: str, payload: bytes, now: Callable[[], float] = time.time) -> Event | None:
    """Return the event for a hook call, or None if there is nothing to report or no valid session id."""
    given = payloads.read(payload)
    if given is None:
        return None
    return payloads.event(
        _EVENTS,
        hook,
        given,
        timestamp=real(given.get("timestamp")) / 1000 or now(),
        model=clean(given.get("model")),
        turn_ref=clean(given.get("turn_id")),
        pid=natural(given.get("pid")),
        metadata=_branch(given),
    )


def _branch(payload: Payload) -> dict[str, str]:
    """Return where the conversation goes on; nothing if the agent did not know."""
    if "last" not in payload:
        return {}
    leaf, last = clean(payload.get("leaf")), clean(payload.get("last"))
    return {BRANCH: "" if leaf == last else f"{leaf} {last}"}


def _turn_start(payload: Payload) -> Payload:
    is_automatic = payload.get("automatic") is True
    return {"type": EventType.TURN_START, "prompt": clean(payload.get("prompt")), "is_automatic": is_automatic}


def _subagent_end(payload: Payload) -> Payload | None:
    """Report what a subagent did, which is in the result of the tool that ran it."""
    call, path = clean(payload.get("tool_use_id")), payloads.session_ref(payload)
    subagent = subagent_of(call)
    if not subagent:
        return None
    return {
        "type": EventType.SUBAGENT_END,
        "tool_use_id": subagent,
        "subagent_id": subagent,
        "subagent_ref": f"{path}#{subagent}" if path else "",
        "subagent_type": clean(payload.get("agent")),
        "task_description": clean(payload.get("task")),
    }


def subagent_of(call: str) -> str:
    """Return the id of the subagent that a tool's call ran: the call's, as it may stand in a path; '' for none."""
    own_id = "".join(char if char.isalnum() or char in "_-" else "-" for char in call if char.isascii())
    return own_id if is_tool_id(own_id) else ""


def _tree(_payload: Payload) -> Payload:
    """Report that the conversation goes on elsewhere in its tree: only the metadata change."""
    return {"type": EventType.TOOL_END}


_EVENTS: Table = {
    "session-start": payloads.session_start,
    "turn-start": _turn_start,
    "turn-end": payloads.turn_end,
    "compaction": payloads.compaction,
    "subagent-end": _subagent_end,
    "tree": _tree,
    "session-end": payloads.session_end,
}
hook_names = tuple(_EVENTS)
