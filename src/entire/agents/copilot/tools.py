"""Interprets the tool calls of a Copilot session, and their results."""

from __future__ import annotations

from entire.agents import untrusted
from entire.agents.untrusted import clean, dict_of, dicts_of
from entire.conversation.records import ASK, EDIT, FETCH, OTHER, READ, SEARCH, SHELL, SUBAGENT, WRITE, Call, Result
from entire.model.jsontext import whole
from entire.model.transcripts import Subagent
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.conversation.records import Answer

    Native = dict[str, Any]

_TOOLS = {
    **dict.fromkeys(("bash", "read_bash", "stop_bash", "write_bash"), SHELL),
    **dict.fromkeys(("ask_user", "report_intent", "update_todo"), ASK),
    **dict.fromkeys(("glob", "grep", "rg"), SEARCH),
    "apply_patch": EDIT, "create": WRITE, "edit": EDIT, "task": SUBAGENT, "view": READ, "web_fetch": FETCH,
}  # fmt: skip
"""What tools do. All others may run programs."""


def call(request: Native, answer: Answer, *, details: bool) -> Call:
    """Return a call that a model asked for."""
    name, given = clean(request.get("name")), request.get("arguments")
    tool, own_id = _TOOLS.get(name, OTHER), clean(request.get("toolCallId"))
    known = dict_of(given)
    task = None
    if tool == SUBAGENT:
        task = Subagent(id="", tool_use_id=own_id, type=clean(known.get("agent_type")),
                        description=clean(known.get("description")))  # fmt: skip
    bare = Call(position=answer.position, end=answer.end, id=own_id, time=answer.time, answer=answer.id, tool=tool,
                name=name, task=task)  # fmt: skip
    if not details:
        return bare
    from entire.agents import tool_arguments

    return tool_arguments.described(bare, given)


def result(data: Native, at: int, time: float, *, details: bool) -> Result:
    """Return what a tool answered, and which files it changed; a shell does not tell."""
    has_failed = data.get("success") is not True or whole(dict_of(data.get("shellExecution")).get("exitCode")) != 0
    edited = [untrusted.path_of(edit.get("path")) for edit in dicts_of(data.get("fileEdits"))]
    bare = Result(position=at, call=clean(data.get("toolCallId")), time=time, has_failed=has_failed,
                  paths=tuple(path for path in edited if path))  # fmt: skip
    if not details:
        return bare
    from entire.conversation import commits

    said = dict_of(data.get("result")) or dict_of(data.get("error"))
    output = clean(said.get("content")) or clean(said.get("message"))
    return replace(bare, output=output, commits=commits.printed(output))
