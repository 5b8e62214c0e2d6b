"""Interprets the tool calls of an answer: each holds what the tool was asked, and what it answered."""

from __future__ import annotations

from entire.agents import untrusted
from entire.agents.gemini import records
from entire.agents.untrusted import clean, dict_of
from entire.conversation.records import (
    ASK,
    EDIT,
    FETCH,
    OTHER,
    READ,
    SEARCH,
    SHELL,
    SUBAGENT,
    WRITE,
    Call,
    Result,
)
from entire.model.ids import is_tool_id
from entire.model.times import parse_time
from entire.model.transcripts import Subagent
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.agents.gemini.records import Native
    from entire.conversation.records import Answer

SUCCESS, _CANCELLED = "success", "cancelled"
DONE = (SUCCESS, "error", _CANCELLED)
"""The status of a call that has ended."""

_TOOLS = {
    "write_file": WRITE, "replace": EDIT, records.SHELL_TOOL: SHELL, records.TASK_TOOL: SUBAGENT,
    **dict.fromkeys(("read_file", "read_many_files"), READ),
    **dict.fromkeys(("glob", "grep_search", "list_directory", "search_file_content"), SEARCH),
    **dict.fromkeys(("google_web_search", "web_fetch"), FETCH),
    **dict.fromkeys(("activate_skill", "ask_user", "complete_task", "enter_plan_mode", "exit_plan_mode", "save_memory",
                     "update_topic", "write_todos"), ASK),
}  # fmt: skip
"""What tools do. All others may run programs: MCP, those not known here."""


def are_cancelled(calls: list[Native]) -> bool:
    """Tell whether there are calls, and the user stopped all of them."""
    return bool(calls) and all(call.get("status") == _CANCELLED for call in calls)


def written_path(native: Native) -> str:
    """Return the path that a call writes, absolute if the agent tells; '' if it writes none."""
    if _kind(native) not in (WRITE, EDIT):
        return ""
    shown = untrusted.path_of(dict_of(native.get("resultDisplay")).get("filePath"))
    return shown or untrusted.path_of(_arguments(native).get("file_path"))


def call(native: Native, answer: Answer, began: float, *, details: bool) -> Call:
    """Return what a tool was asked. It may have begun as early as its answer."""
    bare = Call(
        position=answer.position, end=answer.end, id=clean(native.get("id")), time=began, answer=answer.id,
        tool=_kind(native), name=clean(native.get("name")), task=_task(native),
    )  # fmt: skip
    if not details:
        return bare
    from entire.agents import tool_arguments

    return tool_arguments.described(bare, _arguments(native))


def result(native: Native, at: int, paths: tuple[str, ...], *, details: bool) -> Result:
    """Return what a tool answered that is done, with the paths that it wrote."""
    told = Result(
        position=at, call=clean(native.get("id")), time=parse_time(native.get("timestamp")), paths=paths,
        has_failed=native.get("status") != SUCCESS, task=_task(native),
    )  # fmt: skip
    if not details:
        return told
    output = "\n".join(text for text in _outputs(native.get("result")) if text)
    told = replace(told, output=output)
    if _kind(native) != SHELL:
        return told
    from entire.conversation import commits

    shown = clean(native.get("resultDisplay"))  # to people; the model may get a part of it
    return replace(told, commits=commits.printed(f"{shown}\n{output}"))


def _kind(native: Native) -> str:
    return _TOOLS.get(clean(native.get("name")), OTHER)


def _arguments(native: Native) -> Native:
    return dict_of(native.get("args"))


def _task(native: Native) -> Subagent | None:
    """Return the subagent that a call ran, without an id if that is not known yet or not safe in a path."""
    if _kind(native) != SUBAGENT:
        return None
    given, agent, own_id = _arguments(native), clean(native.get("agentId")), clean(native.get("id"))
    return Subagent(
        id=agent if is_tool_id(agent) else "", tool_use_id=own_id if is_tool_id(own_id) else "",
        type=clean(given.get("agent_name")), description=clean(given.get("prompt")),
    )  # fmt: skip


def _outputs(answers: object) -> Iterator[str]:
    """Yield the texts that the model gets."""
    for part in answers if isinstance(answers, list) else [answers]:
        response = dict_of(dict_of(part).get("functionResponse")).get("response")
        if isinstance(response, dict):
            yield clean(response.get("output")) or clean(response.get("error"))
        else:
            yield clean(dict_of(part).get("text")) or clean(part)
