"""Translates Codex's hook payloads to events. Field names are as observed in versions 0.118.0 and 0.169.0."""

from __future__ import annotations

import os
import time

from entire.agents import payloads, untrusted
from entire.agents.untrusted import clean
from entire.model.events import Event, EventType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.agents.payloads import Payload, Table


def parse_hook(hook: str, payload: bytes, now: Callable[[], float] = time.time) -> Event | None:
    """Return the event for a hook call, or None if there is nothing to report or no valid session id."""
    if hook == _NOTIFY:
        from entire.agents.codex import notify

        return notify.event(payload, now())
    return payloads.parse(_EVENTS, hook, payload, now(), "turn_id")


def _turn_start(payload: Payload) -> Payload | None:
    """Report a prompt, unless it is a subagent's task or that of a review: nothing reports the end of these, and their
    transcript is another one, although they carry the session's id.
    """
    path = untrusted.path_of(payload.get("transcript_path"))
    if payload.get("agent_id") or (path and clean(payload["session_id"]) not in os.path.basename(path)):
        return None
    return {"type": EventType.TURN_START, "prompt": clean(payload.get("prompt"))}


def _interrupt(_payload: Payload) -> Payload:
    return {"type": EventType.TURN_END, "source": "interrupt"}


def _subagent_start(payload: Payload) -> Payload | None:
    """Report a subagent's start. ``transcript_path`` is its own; no hook tells the id of the call that started it."""
    fields = _subagent(payload)
    return fields and {**fields, "type": EventType.SUBAGENT_START, "session_ref": ""}


def _subagent_stop(payload: Payload) -> Payload | None:
    fields = _subagent(payload)
    return fields and {
        **fields,
        "type": EventType.SUBAGENT_END,
        "subagent_ref": untrusted.path_of(payload.get("agent_transcript_path")),
        "final_text": clean(payload.get("last_assistant_message")),
    }


def _subagent(payload: Payload) -> Payload | None:
    fields = payloads.subagent(payload)
    return fields and {**fields, "turn_ref": ""}  # the turn that it names is the subagent's


_EVENTS: Table = {
    "session-start": payloads.session_start,
    "user-prompt-submit": _turn_start,
    "stop": payloads.turn_end,
    "interrupt": _interrupt,
    "session-end": payloads.session_end,
    "pre-compact": payloads.compaction,
    "subagent-start": _subagent_start,
    "subagent-stop": _subagent_stop,
}
_NOTIFY = "notify"
hook_names = (*_EVENTS, _NOTIFY)
