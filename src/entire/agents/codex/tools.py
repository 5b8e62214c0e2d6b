"""Interprets the tool calls of a Codex rollout, and what they did."""

from __future__ import annotations

import os

from entire.agents import untrusted
from entire.agents.untrusted import clean, dict_of, dicts_of
from entire.conversation.records import ASK, EDIT, FETCH, OTHER, READ, SEARCH, SHELL, SUBAGENT, Call
from entire.model.transcripts import Subagent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from entire.conversation.records import Answer
    from entire.model.transcripts import Edit

    Native = dict[str, Any]

CALLS = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call")
RESULTS = ("function_call_output", "custom_tool_call_output")
SPAWN = "spawn_agent"
_TOOLS = {
    **dict.fromkeys(("exec_command", "local_shell_call", "shell", "shell_command", "write_stdin"), SHELL),
    **dict.fromkeys(("close_agent", "request_user_input", "send_input", "update_plan", "wait_agent"), ASK),
    **dict.fromkeys(("list_dir", "read_file", "view_image"), READ),
    **dict.fromkeys(("grep_files", "tool_search"), SEARCH),
    "apply_patch": EDIT, SPAWN: SUBAGENT, "web_search_call": FETCH,
}  # fmt: skip
"""What tools do. All others may run programs, such as `exec`, whose input is a script."""
_PATCHED = "Success. Updated the following files:"
_SPAWNED = '{"agent_id":'
_GOES_ON = "Process running with session ID"


def call(payload: Native, answer: Answer, *, details: bool) -> Call:
    """Return the tool call in a record of the API's."""
    name = clean(payload.get("name")) or clean(payload.get("type"))
    tool, own_id = _TOOLS.get(name, OTHER), call_id(payload)
    task = Subagent(id="", tool_use_id=own_id, background=True) if tool == SUBAGENT else None
    bare = Call(position=answer.position, end=answer.end, id=own_id, time=answer.time, answer=answer.id, tool=tool,
                name=name, task=task)  # fmt: skip
    if not details:
        return bare
    from entire.agents import tool_arguments

    return tool_arguments.described(bare, payload.get("arguments", payload.get("input", payload.get("action"))))


def call_id(payload: Native) -> str:
    return clean(payload.get("call_id")) or clean(payload.get("id"))


def output(payload: Native) -> str:
    """Return what a tool answered: text, its parts, or an object in JSON with the text."""
    told = payload.get("output")
    if isinstance(told, list):
        return "".join(clean(part.get("text")) for part in dicts_of(told))
    text = clean(told)
    inner = untrusted.loads(text.encode()) if text.startswith('{"output":') else None
    return clean(dict_of(inner).get("output")) or text


def goes_on(payload: Native) -> bool:
    """Tell whether a command that was started works on in the background."""
    return _GOES_ON in output(payload)


def spawned(payload: Native) -> Subagent | None:
    """Return the subagent that the answer to ``spawn_agent`` names: the older dialect tells of it nowhere else."""
    text = clean(payload.get("output"))
    agent = clean(dict_of(untrusted.loads(text.encode())).get("agent_id")) if text.startswith(_SPAWNED) else ""
    return Subagent(id=agent, tool_use_id=call_id(payload), background=True) if agent else None


def patched_paths(payload: Native, folder: str) -> tuple[str, ...]:
    """Return the paths that a patch changed, as the answer to its call says: the older dialect has nothing else."""
    _, mark, rest = output(payload).partition(_PATCHED)
    lines = rest.split("\n")[1:] if mark else []
    names = [untrusted.path_of(line[2:]) for line in lines if line[:2] in ("A ", "M ", "D ")]
    return tuple(os.path.normpath(os.path.join(folder, name)) for name in names if name)


# ---------------------------------------------------------------- items: what was done, also from within scripts


def changed_paths(item: Native) -> tuple[str, ...]:
    """Return the paths that a ``FileChange`` changed."""
    if item.get("status") != "completed":
        return ()
    changes = dict_of(item.get("changes"))
    moved = [dict_of(change).get("move_path") for change in changes.values()]
    return tuple(path for path in map(untrusted.path_of, [*changes, *moved]) if path)


def edits(item: Native) -> Iterator[Edit]:
    """Yield what a ``FileChange`` wrote into files."""
    from entire.agents import tool_arguments

    for path, change in dict_of(item.get("changes")).items():
        known, name = dict_of(change), untrusted.path_of(path)
        if known.get("type") == "add":
            yield tool_arguments.hunk(name, [], clean(known.get("content")).splitlines(), is_whole=True)
        for old, new in _hunks(clean(known.get("unified_diff"))):
            yield tool_arguments.hunk(name, old, new, is_whole=False)


def _hunks(diff: str) -> Iterator[tuple[list[str], list[str]]]:
    old: list[str] = []
    new: list[str] = []
    for line in [*diff.split("\n"), "@@"]:
        if line.startswith("@@"):
            if old != new:
                yield old, new
            old, new = [], []
        else:
            old += [line[1:]] if line[:1] in ("-", " ") else []
            new += [line[1:]] if line[:1] in ("+", " ") else []


def command(item: Native) -> str:
    """Return the command of a ``CommandExecution``."""
    from entire.agents import tool_arguments

    return tool_arguments.command(item)


def subagents(item: Native) -> list[Subagent]:
    """Return the subagents that an item is about: ``CollabAgentToolCall``, or ``SubAgentActivity`` of newer models."""
    call = clean(item.get("id"))
    if agent := clean(item.get("agent_thread_id")):
        is_start = item.get("kind") == "started"
        name = os.path.basename(clean(item.get("agent_path")))
        return [Subagent(id=agent, tool_use_id=call if is_start else "", description=name, background=True)]
    is_start = item.get("tool") == SPAWN
    roles = {
        clean(each.get("thread_id")): clean(each.get("agent_role")) for each in dicts_of(item.get("receiver_agents"))
    }
    told = item.get("receiver_thread_ids")
    return [
        Subagent(id=agent, tool_use_id=call if is_start else "", type=roles.get(agent, ""),
                 description=clean(item.get("prompt")) if is_start else "", background=True)
        for agent in (clean(name) for name in (told if isinstance(told, list) else ())) if agent
    ]  # fmt: skip
