"""Interprets the tool calls of a Pi session, and their results."""

from __future__ import annotations

import os

from entire.agents import untrusted
from entire.agents.pi.payloads import subagent_of
from entire.agents.untrusted import clean, dict_of, dicts_of
from entire.conversation.records import EDIT, OTHER, READ, SEARCH, SHELL, SUBAGENT, WRITE, Call, Result
from entire.model.transcripts import Subagent
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from entire.conversation.records import Answer

    Native = dict[str, Any]

_TOOLS = {
    **dict.fromkeys(("find", "grep", "ls"), SEARCH),
    "bash": SHELL, "edit": EDIT, "read": READ, "subagent": SUBAGENT, "write": WRITE,
}  # fmt: skip
"""What tools do. All others may run programs. ``subagent`` is of an extension that Pi has as an example."""
WRITERS = ("edit", "write")


def call(block: Native, answer: Answer, *, details: bool) -> Call:
    """Return a call that an answer makes."""
    name, given = clean(block.get("name")), block.get("arguments")
    bare = Call(position=answer.position, end=answer.end, id=clean(block.get("id")), time=answer.time, answer=answer.id,
                tool=_TOOLS.get(name, OTHER), name=name)  # fmt: skip
    if not details:
        return bare
    from entire.agents import tool_arguments

    return tool_arguments.described(bare, given)


def written_path(block: Native, folder: str) -> str:
    """Return the path of the file that a call writes, as Pi finds it from the session's folder; '' for none."""
    given = dict_of(block.get("arguments"))
    path = untrusted.path_of(given.get("path") or given.get("file_path")).removeprefix("@")
    if clean(block.get("name")) not in WRITERS or not path:
        return ""
    if path.startswith("~/"):
        path = os.path.expanduser(path)
    return os.path.normpath(os.path.join(folder, path))


def result(message: Native, at: int, time: float, path: str, *, details: bool) -> Result:
    """Return what a tool answered; ``path``: of the file that its call was to write."""
    has_failed = message.get("isError") is True
    bare = Result(position=at, call=clean(message.get("toolCallId")), time=time, has_failed=has_failed,
                  paths=(path,) if path and not has_failed else ())  # fmt: skip
    bare = replace(bare, task=subagent(message, bare))
    if not details:
        return bare
    from entire.conversation import commits

    output = "\n".join(clean(block.get("text")) for block in dicts_of(message.get("content")))
    return replace(bare, output=output, commits=commits.printed(output))


def subagent(message: Native, answered: Result) -> Subagent | None:
    """Return the subagent, or several as one, whose work is in a result, which is all that there is of it."""
    known = runs(message)
    own_id = subagent_of(answered.call) if known and not answered.has_failed else ""
    if not own_id:
        return None
    told = known[0]
    return Subagent(id=own_id, tool_use_id=own_id, type=clean(told.get("agent")), description=clean(told.get("task")))


def runs(message: Native) -> list[Native]:
    """Return what a result's details say of each subagent, ``messages`` among it."""
    told = dicts_of(dict_of(message.get("details")).get("results"))
    return [run for run in told if dicts_of(run.get("messages"))]
