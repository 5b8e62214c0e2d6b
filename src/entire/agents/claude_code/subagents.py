"""Finds a session's subagents, from the session's transcript and the metadata files beside the subagents' transcripts.

The agent writes ``<folder>/<session id>/subagents/agent-<id>.jsonl`` and ``agent-<id>.meta.json`` (``agentType``,
``description``, ``toolUseId``); versions before 2.1 wrote ``<folder>/agent-<id>.jsonl``.
"""

from __future__ import annotations

import os

from entire.agents import transcripts, untrusted
from entire.agents.untrusted import clean
from entire.model.ids import is_tool_id
from entire.model.transcripts import Subagent
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from entire.conversation.records import Call, Result

_MAX_NOTE = 1 << 16
_MAX_NOTES = 2000


def is_subagent_file(session_ref: str) -> bool:
    """Tell whether a transcript is a subagent's, in which all records are ``isSidechain``."""
    return os.path.basename(session_ref).startswith("agent-")


def folder(session_ref: str) -> str:
    """Return the folder of a session's subagents; those that a subagent starts are in the same folder."""
    if is_subagent_file(session_ref):
        return os.path.dirname(session_ref)
    return os.path.join(session_ref.removesuffix(".jsonl"), "subagents")


def transcript_of(session_ref: str, agent: str) -> str:
    path = os.path.join(folder(session_ref), f"agent-{agent}.jsonl")
    old = os.path.join(os.path.dirname(session_ref), f"agent-{agent}.jsonl")
    return old if not os.path.exists(path) and os.path.exists(old) else path


def note(session_ref: str, agent: str) -> dict[str, Any]:
    """Return what a subagent's metadata file says, by our names: ``call``, ``type``, ``description``."""
    if not is_tool_id(agent):
        return {}
    path = os.path.join(folder(session_ref), f"agent-{agent}.meta.json")
    metadata = untrusted.loads(transcripts.head(path, _MAX_NOTE))
    if not isinstance(metadata, dict):
        return {}
    call = clean(metadata.get("toolUseId"))
    about = {"type": clean(metadata.get("agentType")), "description": clean(metadata.get("description"))}
    return {"call": call if is_tool_id(call) else "", **about}


def collect(session_ref: str, tasks: Sequence[Call | Result]) -> list[Subagent]:
    """Merge what calls, results and notices say about each subagent, in order of appearance."""
    from entire.conversation.records import Result

    merged: dict[str, Subagent] = {}
    noticed = set()  # those of which only a notice tells
    for record in tasks:
        task, call = record.task, record.call if isinstance(record, Result) else record.id
        if task is None:
            continue
        key = call or task.id
        if isinstance(record, Result) and record.is_notice and key not in merged:
            noticed.add(key)
        elif isinstance(record, Result) and not record.is_notice:
            noticed.discard(key)
        merged[key] = replace(merged[key].updated(task) if key in merged else task, tool_use_id=call)
    running = _running(session_ref, [call for call, subagent in merged.items() if call and not subagent.id])
    merged = {key: replace(subagent, id=subagent.id or running.get(key, "")) for key, subagent in merged.items()}
    started: dict[str, Subagent] = {}
    for key, subagent in merged.items():
        if not subagent.id or subagent.id in started:
            continue
        ref = transcript_of(session_ref, subagent.id)
        if key in noticed and not os.path.exists(ref):
            continue  # a shell command in the background, not a subagent
        started[subagent.id] = _described(session_ref, replace(subagent, session_ref=ref))
    return list(started.values())


def _described(session_ref: str, subagent: Subagent) -> Subagent:
    """Return a subagent with what its metadata file says, where its call and its result leave something out."""
    is_whole = subagent.type and subagent.description and subagent.tool_use_id
    noted = {} if is_whole else note(session_ref, subagent.id)
    named = {"type": noted.get("type", ""), "description": noted.get("description", "")}
    known = Subagent(id=subagent.id, tool_use_id=noted.get("call", ""), **named).updated(subagent)
    return known if is_tool_id(known.tool_use_id) else replace(known, tool_use_id="")


def _running(session_ref: str, calls: Sequence[str]) -> dict[str, str]:
    """Return the ids of subagents by their calls, from the metadata that the agent writes when they start."""
    try:
        names = os.listdir(folder(session_ref))[:_MAX_NOTES] if calls else []
    except (OSError, ValueError):
        return {}
    agents = [name.removeprefix("agent-").removesuffix(".meta.json") for name in sorted(names)]
    noted = {note(session_ref, agent).get("call", ""): agent for agent in agents if f"agent-{agent}.meta.json" in names}
    return {call: noted[call] for call in calls if call in noted}
