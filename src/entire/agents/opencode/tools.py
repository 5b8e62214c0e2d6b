"""Interprets the tool calls of an answer: each holds what the tool was asked, and what it answered."""

from __future__ import annotations

import os

from entire.agents import untrusted
from entire.agents.untrusted import clean, dict_of, dicts_of
from entire.conversation.records import ASK, EDIT, FETCH, OTHER, READ, SEARCH, SHELL, SUBAGENT, WRITE, Call, Result
from entire.model.ids import is_tool_id
from entire.model.jsontext import real
from entire.model.transcripts import Subagent
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.agents.opencode.native import Native
    from entire.conversation.records import Answer

_TOOLS = {
    "bash": SHELL, "task": SUBAGENT, "write": WRITE,
    **dict.fromkeys(("apply_patch", "edit", "multiedit", "patch"), EDIT),
    **dict.fromkeys(("lsp", "read"), READ),
    **dict.fromkeys(("glob", "grep", "list"), SEARCH),
    **dict.fromkeys(("codesearch", "webfetch", "websearch"), FETCH),
    **dict.fromkeys(("invalid", "plan_enter", "plan_exit", "question", "skill", "todoread", "todowrite"), ASK),
}  # fmt: skip
"""What tools do. All others may run programs: MCP, those of plugins."""


def records(part: Native, answer: Answer, folder: str, *, details: bool) -> Iterator[Call | Result]:
    """Yield a call, and what the tool answered if it has ended. ``folder``: the one that the agent works in."""
    state, own_id = dict_of(part.get("state")), clean(part.get("callID"))
    given, times = dict_of(state.get("input")), dict_of(state.get("time"))
    name = clean(part.get("tool"))
    kind, began = _TOOLS.get(name, OTHER), real(times.get("start")) / 1000 or answer.time
    task = _task(state, given, own_id) if kind == SUBAGENT else None
    call = Call(position=answer.position, id=own_id, time=began, answer=answer.id, tool=kind, name=name, task=task)
    if details:
        from entire.agents import tool_arguments

        call = tool_arguments.described(call, given)
    yield call
    if state.get("status") not in ("completed", "error"):
        return
    metadata = dict_of(state.get("metadata"))
    has_failed = state.get("status") == "error" or (kind == SHELL and metadata.get("exit") not in (0, None))
    paths = tuple(os.path.join(folder, path) for path in _paths(kind, given, metadata) if path)
    result = Result(position=answer.position, call=own_id, time=real(times.get("end")) / 1000 or began, paths=paths,
                    has_failed=has_failed, task=task)  # fmt: skip
    if details:
        from entire.conversation import commits

        output = clean(state.get("output")) or clean(state.get("error"))
        result = replace(result, output=output, commits=commits.printed(output) if kind == SHELL else ())
    yield result


def _paths(kind: str, given: Native, metadata: Native) -> list[str]:
    """Return the paths that a tool wrote: a patch tells them all, other tools write the one that they were given."""
    if kind not in (WRITE, EDIT):
        return []
    patched = [file.get(key) for file in dicts_of(metadata.get("files")) for key in ("filePath", "movePath")]
    return [untrusted.path_of(path) for path in patched or [given.get("filePath")]]


def _task(state: Native, given: Native, call: str) -> Subagent:
    """Return the subagent that a call runs; its session is told as soon as it has begun."""
    child = clean(dict_of(state.get("metadata")).get("sessionId"))
    return Subagent(
        id=child if is_tool_id(child) else "", tool_use_id=call if is_tool_id(call) else "",
        type=clean(given.get("subagent_type")), description=clean(given.get("description")),
    )  # fmt: skip
