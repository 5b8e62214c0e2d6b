"""Finds a session's subagents, from the session's transcript and the metadata files beside the subagents' transcripts.

The agent writes ``<folder>/<session id>/subagents/agent-<id>.jsonl`` and ``agent-<id>.meta.json`` (``agentType``,
``description``, ``toolUseId``); versions before 2.1 wrote ``<folder>/agent-<id>.jsonl``.
"""

from __future__ import annotations

import os

from entire.agents import transcripts
from entire.agents.transcripts import clean
from entire.model.ids import is_tool_id
from entire.model.transcripts import Subagent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.agents.claude_code.tail import Task

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
    found = transcripts.loads(transcripts.head(path, _MAX_NOTE))
    if not isinstance(found, dict):
        return {}
    call = clean(found.get("toolUseId"))
    about = {"type": clean(found.get("agentType")), "description": clean(found.get("description"))}
    return {"call": call if is_tool_id(call) else "", **about}


def collect(session_ref: str, tasks: list[Task]) -> list[Subagent]:
    """Merge the mentions of each subagent, which share the call's id, in order of appearance."""
    merged: dict[str, dict[str, Any]] = {}
    for task in tasks:
        about = merged.setdefault(task.call or task.about.get("id", ""), {"call": task.call})
        background = about.get("background") or task.about.get("background", False)
        about.update({key: value for key, value in task.about.items() if value}, background=background)
    _name_running(session_ref, merged)
    found: dict[str, Subagent] = {}
    for about in merged.values():
        agent = about.get("id", "")
        if not agent or agent in found or (about.get("notice") and not _is_known(session_ref, about)):
            continue
        noted = {} if about.get("type") and about.get("description") and about["call"] else note(session_ref, agent)
        call = about["call"] or noted.get("call", "")
        found[agent] = Subagent(
            id=agent,
            session_ref=transcript_of(session_ref, agent),
            tool_use_id=call if is_tool_id(call) else "",
            type=about.get("type") or noted.get("type", ""),
            description=about.get("description") or noted.get("description", ""),
            background=about["background"],
        )
    return list(found.values())


def _is_known(session_ref: str, about: dict[str, Any]) -> bool:
    """Tell whether an ended background task is a subagent, not a shell command."""
    return "type" in about or "started" in about or os.path.exists(transcript_of(session_ref, about["id"]))


def _name_running(session_ref: str, merged: dict[str, dict[str, Any]]) -> None:
    """Set the ids of subagents without a result yet, from the metadata that the agent writes when they start."""
    running = {call: about for call, about in merged.items() if call and not about.get("id")}
    if not running:
        return
    try:
        names = os.listdir(folder(session_ref))[:_MAX_NOTES]
    except (OSError, ValueError):
        return
    for name in sorted(names):
        agent = name.removeprefix("agent-").removesuffix(".meta.json")
        if name == f"agent-{agent}.meta.json":
            about = running.get(note(session_ref, agent).get("call", ""))
            if about is not None:
                about["id"] = agent
