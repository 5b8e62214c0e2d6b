"""Interprets the tool calls of a Claude Code transcript, and their results."""

from __future__ import annotations

from entire.agents import untrusted
from entire.agents.claude_code.records import TASK_TOOLS, is_launched
from entire.agents.untrusted import clean, dict_of, dicts_of
from entire.conversation.records import ASK, EDIT, FETCH, OTHER, READ, SEARCH, SHELL, SUBAGENT, WRITE, Call
from entire.model.ids import is_tool_id
from entire.model.transcripts import Subagent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.agents.claude_code.records import Native
    from entire.conversation.records import Answer
    from entire.model.transcripts import Edit

FILE_TOOLS = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
_TOOLS = {
    **dict.fromkeys(FILE_TOOLS, EDIT), "Write": WRITE, **dict.fromkeys(TASK_TOOLS, SUBAGENT), "Bash": SHELL,
    **dict.fromkeys(("Glob", "Grep", "LS", "LSP", "ToolSearch"), SEARCH),
    **dict.fromkeys(("NotebookRead", "Read", "TaskGet", "TaskList", "TodoRead"), READ),
    **dict.fromkeys(("WebFetch", "WebSearch"), FETCH),
    **dict.fromkeys(("AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "TaskCreate", "TaskUpdate", "TodoWrite"), ASK),
}  # fmt: skip
"""What tools do. All others may run programs: shells, MCP, those not known here."""


def call(block: Native, answer: Answer, *, details: bool) -> Call:
    """Return the tool call in a block of an answer."""
    name, given = clean(block.get("name")), dict_of(block.get("input"))
    tool, own_id = _TOOLS.get(name, OTHER), clean(block.get("id"))
    task = None
    if tool == SUBAGENT and isinstance(block.get("input"), dict):
        task = Subagent(id="", tool_use_id=own_id, type=clean(given.get("subagent_type")),
                        description=clean(given.get("description")),
                        background=given.get("run_in_background") is True)  # fmt: skip
    bare = Call(position=answer.position, end=answer.end, id=own_id, time=answer.time, answer=answer.id, tool=tool,
                 name=name, task=task)  # fmt: skip
    if not details:
        return bare
    from entire.agents import tool_arguments

    return tool_arguments.described(bare, given)


def written_path(block: Native) -> str:
    """Return the path that a call is to write, '' if it is to write none."""
    key = FILE_TOOLS.get(clean(block.get("name")))
    return untrusted.path_of(dict_of(block.get("input")).get(key)) if key else ""


def changed_paths(result: object) -> list[str]:
    """Return the paths that a tool changed, from its ``toolUseResult``.

    The shape of the result decides, because the call may be in a part that is not read again: Write and Edit results
    carry a patch, reads nest their ``filePath``, and a plan has a ``filePath`` without a patch. A shell command's says
    what it changed since 2.1.332, perhaps not all of it (``moreFiles``, ``skipped``, ``unavailable``): what it does not
    name may have been changed all the same.
    """
    if not isinstance(result, dict) or result.get("error"):
        return []
    if "edit_mode" in result or "new_source" in result:
        paths = [result.get("notebook_path")]
    elif "structuredPatch" in result or "oldString" in result:
        paths = [result.get("filePath")]
    else:
        paths = list(_changed_by_shell(result.get("bashEditDiff")))
    return [path for path in map(untrusted.path_of, paths) if path]


def _changed_by_shell(told: object) -> Iterator[object]:
    for key in ("changedFiles", "files"):
        named = dict_of(told).get(key)
        for entry in named if isinstance(named, list) else ():
            yield entry.get("filePath") if isinstance(entry, dict) else entry


def goes_on(result: object) -> bool:
    """Tell whether a tool's result only says that it works on in the background."""
    return isinstance(result, dict) and (is_launched(result) or bool(result.get("backgroundTaskId")))


def result_agent(block: Native, result: object) -> Subagent | None:
    """Return what a tool result says about a subagent; None if it is about none."""
    if isinstance(result, dict):
        agent = clean(result.get("agentId"))
        if not is_tool_id(agent):
            return None
        return Subagent(id=agent, background=is_launched(result), type=clean(result.get("agentType")),
                        description=clean(result.get("description")))  # fmt: skip
    for text in _texts(block):  # the old form has the id only in the text: "agentId: a1b2c3 (...)"
        _, mark, rest = text.partition("agentId: ")
        words = rest.split(maxsplit=1)
        if mark and words and is_tool_id(words[0]):
            return Subagent(id=words[0])
    return None


def noticed(agent: str, call: str) -> Subagent | None:
    """Return what a notice says about the background task that ended: a subagent, or a shell's command."""
    return Subagent(id=agent, tool_use_id=call, background=True) if agent else None


def result_details(block: Native, result: object) -> Native:
    """Return the fields of a result that only people and a search for commits want."""
    from entire.conversation import commits

    output = "\n".join(text for text in _texts(block) if text)
    streams = [clean(dict_of(result).get(key)) for key in ("stdout", "stderr")]
    printed = commits.printed("\n".join((output, *streams)))
    return {"output": output, "commits": printed, "edits": tuple(_shell_edits(dict_of(result)))}


def _texts(block: Native) -> list[str]:
    inner = block.get("content")
    if not isinstance(inner, list):
        return [clean(inner)]
    return [clean(part.get("text")) for part in inner if isinstance(part, dict)]


def _shell_edits(result: Native) -> Iterator[Edit]:
    """Yield what a shell command changed, as the agent tells since 2.1.332."""
    from entire.agents import tool_arguments

    for file in dicts_of(dict_of(result.get("bashEditDiff")).get("files")):
        path = clean(file.get("filePath"))
        for hunk in dicts_of(file.get("hunks")) if path else ():
            hunk_lines = hunk.get("lines")
            lines = [line for line in hunk_lines if isinstance(line, str)] if isinstance(hunk_lines, list) else []
            old, new = ([line[1:] for line in lines if line[:1] in (sign, " ")] for sign in "-+")
            yield tool_arguments.hunk(path, old, new, is_whole=file.get("created") is True)
