"""Translates Gemini CLI's hook payloads to events. Field names are as observed in version 0.61.0."""

from __future__ import annotations

import time

from entire.agents import payloads
from entire.agents.gemini import records
from entire.agents.payloads import session_ref, tool_id
from entire.agents.untrusted import clean, dict_of
from entire.model.events import Event, EventType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from entire.agents.payloads import Payload, Table


def parse_hook(hook: str, payload: bytes, now: Callable[[], float] = time.time) -> Event | None:
    return payloads.parse(_EVENTS, hook, payload, now())


def _session_start(payload: Payload) -> Payload:
    fields = payloads.session_start(payload)
    if fields["source"] == "resume":
        fields["session_ref"] = ""  # the file it names stays empty: the agent goes on in the session's old one
    return fields


def _turn_start(payload: Payload) -> Payload:
    prompt = records.without_hook_context(clean(payload.get("prompt")))
    return {"type": EventType.TURN_START, "prompt": prompt}


def _turn_end(_payload: Payload) -> Payload:
    """Report a turn's end, without ``prompt_response``: it repeats the pieces of a streamed answer."""
    return {"type": EventType.TURN_END}


def _compaction(payload: Payload) -> Payload | None:
    """Report a compaction that the user asked for. Before every call of the model, the hook runs as ``auto``."""
    return None if payload.get("trigger") == "auto" else payloads.compaction(payload)


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
    from entire.agents.gemini import sessions

    agent = _subagent_id(payload)
    ref = sessions.subagent_file(session_ref(payload), clean(payload["session_id"]), agent)
    return {"type": EventType.SUBAGENT_END, **_task(payload), "subagent_id": agent, "subagent_ref": ref}


def _nothing(_payload: Payload) -> Payload | None:
    return None


_EVENTS: Table = {
    "session-start": _session_start,
    "session-end": payloads.session_end,
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
hook_names = tuple(_EVENTS)


def _task(payload: Payload) -> Payload:
    """Describe a subagent's task. No hook tells the id of its call: the framework pairs start and end by the rest."""
    return payloads.task(payload, "agent_name", "prompt")


def _output(payload: Payload) -> str:
    return records.text_of(dict_of(payload.get("tool_response")).get("llmContent"))


def _subagent_id(payload: Payload) -> str:
    """Return the id of the subagent that ended: what it did last is numbered ``<its id>#0-0``."""
    activity = dict_of(dict_of(payload.get("tool_response")).get("returnDisplay")).get("recentActivity")
    for step in activity if isinstance(activity, list) else []:
        if subagent := tool_id(clean(dict_of(step).get("id")).partition("#")[0]):
            return subagent
    return ""
