"""The forms in which transcripts hold what tools did: edits, commands and their results.

Off the hook path: it compiles a pattern.
"""

from __future__ import annotations

import re

from entire.agents import transcripts
from entire.agents.transcripts import clean
from entire.model.transcripts import Edit, ToolCall
from entire.model.value import Value, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Record = dict[str, Any]

_CALL_IDS = ("call_id", "callID", "toolCallId", "tool_use_id", "id")
_PATHS = ("file_path", "filePath", "notebook_path", "absolute_path", "path")
_COMMANDS = ("command", "cmd")
_WHOLE = ("content", "contents", "file_text")
_ADDED = ("new_source", "text", "new_str")
_REPLACED = (("old_string", "new_string"), ("oldString", "newString"), ("oldText", "newText"), ("old_str", "new_str"),
             ("old", "new"))  # fmt: skip
_EDIT_LISTS = ("edits", "replacements")
_SHELLS = ("-c", "-lc")

_SUBAGENT_TOOLS = ("Task", "Agent", "task", "subagent", "spawn_agent", "invoke_agent", "helper")
_TASKS = ("description", "task", "objective", "message", "prompt")

RESULTS = ("tool_result", "toolResult", "function_call_output", "custom_tool_call_output", "local_shell_call_output",
            "result", "tool.execution_complete")  # fmt: skip
"""Types and roles of what holds a tool's answer."""
_RESULT_IDS = ("tool_use_id", "toolCallId", "call_id", "call")
_ENVELOPES = ("message", "payload", "data")
"""Where a record holds its message, if not in itself."""
_OUTPUTS = ("output", "content", "result", "error", "stdout", "text")
_ERRORS = ("error", "failed", "cancelled", "aborted")
_EXIT = re.compile(
    r"(?im)^(?:process exited with code|exit code:?|<shellid: \S+ completed with exit code) +(\d+)>?\s*$"
)
_EXIT_LINES = 6  # at either end of an output
_DEPTH = 6

_PATCH, _PATCH_END = "*** Begin Patch", "*** End Patch"
_PATCH_FILE = ("*** Add File: ", "*** Update File: ")
_PATCH_ADDS = _PATCH_FILE[0]


class Result(Value):
    """What a tool answered to the call with this id."""

    id: str
    output: str
    has_failed: bool = False
    edits: tuple[Edit, ...] = ()  # what a shell command says it changed


def tool_call(call: Record, name: str, given: object) -> ToolCall:
    """Return what a call was asked to do; ``given`` are its arguments: an object, its JSON, or plain text."""
    arguments = _arguments(given)
    found = ToolCall(
        id=next((clean(call[key]) for key in _CALL_IDS if isinstance(call.get(key), str)), ""),
        command=_command(arguments),
        edits=tuple(_edits(arguments)) if arguments else tuple(_patched(given)) if isinstance(given, str) else (),
        subagent=_task(name, arguments),
    )
    inline = _inline_result(call)
    return with_result(found, inline) if inline is not None else found


def with_result(call: ToolCall, result: Result) -> ToolCall:
    """Return a call with its answer. Only a command's answer can name an exit code."""
    failed = result.has_failed or (bool(call.command) and _exit_code(result.output) != 0)
    return replace(call, output=result.output, has_failed=failed, edits=(*call.edits, *result.edits))


def without_result(call: ToolCall) -> ToolCall:
    """Return a call as it was before its answer: a command says only then what it changed."""
    return replace(call, output="", has_failed=False, edits=() if call.command else call.edits)


def results(record: Record) -> Iterator[Result]:
    """Yield the answers of tools that a record holds for calls of earlier records."""
    inner = envelope(record)
    body = record if inner is None else inner
    if body.get("type") in RESULTS or body.get("role") in RESULTS or record.get("type") in RESULTS:
        yield from _result(body)
    for block in entries(body.get("content")):
        if isinstance(block, dict) and block.get("type") in RESULTS:
            changed = tuple(_shell_edits(record.get("toolUseResult")))
            yield from (replace(found, edits=changed) if changed else found for found in _result(block))


def envelope(record: Record) -> Record | None:
    """Return the object in a record that holds its message, None if it is the record itself."""
    for name in _ENVELOPES:
        inner = record.get(name)
        if isinstance(inner, dict):
            return inner
    return None


def entries(value: object) -> list[object]:
    """Return a list's entries; none if the value is no list."""
    return value if isinstance(value, list) else []


# ---------------------------------------------------------------- arguments


def _arguments(given: object) -> Record:
    if isinstance(given, str) and given.lstrip()[:1] == "{":
        given = transcripts.loads(given.encode("utf-8", "replace"))
    return given if isinstance(given, dict) else {}


def _command(arguments: Record) -> str:
    found = next((arguments[key] for key in _COMMANDS if arguments.get(key)), "")
    if isinstance(found, list):
        words = [word for word in found if isinstance(word, str)]
        found = words[2] if len(words) == 3 and words[1] in _SHELLS else " ".join(words)
    return clean(found)


def _task(name: str, arguments: Record) -> str:
    if name not in _SUBAGENT_TOOLS:
        return ""
    return next((clean(arguments[key]) for key in _TASKS if isinstance(arguments.get(key), str)), name)


def _edits(arguments: Record) -> Iterator[Edit]:
    path = _text(arguments, _PATHS)
    listed = [edit for key in _EDIT_LISTS for edit in entries(arguments.get(key)) if isinstance(edit, dict)]
    for edit in [arguments, *listed] if path else listed:
        yield from _edit(_text(edit, _PATHS) or path, edit)
    for key in ("input", "patch"):
        if isinstance(arguments.get(key), str):
            yield from _patched(arguments[key])
    if not path and _PATCH in _command(arguments):
        yield from _patched(_command(arguments))


def _edit(path: str, given: Record) -> Iterator[Edit]:
    """Yield the edit that an object describes, if it describes one."""
    if not path:
        return
    for old, new in _REPLACED:
        if isinstance(given.get(old), str) and isinstance(given.get(new), str):
            yield Edit(path=path, old=clean(given[old]), new=clean(given[new]))
            return
    for key in (*_WHOLE, *_ADDED):
        if isinstance(given.get(key), str):
            yield Edit(path=path, new=clean(given[key]), is_whole=key in _WHOLE)
            return


def _patched(text: str) -> Iterator[Edit]:
    """Yield the edits of a patch in a text: a file that it adds, or each of its hunks."""
    start = text.find(_PATCH)
    lines = text[start:].partition(_PATCH_END)[0].split("\n") if start >= 0 else []
    path, adds = "", False
    old: list[str] = []
    new: list[str] = []
    for line in [*lines, "*** "]:
        if line.startswith(("*** ", "@@")):
            if path and (old or new) and old != new:
                yield _hunk(path, old, new, is_whole=adds)
            old, new = [], []
            name = next((line[len(start) :] for start in _PATCH_FILE if line.startswith(start)), "")
            if name or not line.startswith(("@@", "*** Move to:", "*** End of File")):
                path, adds = clean(name), line.startswith(_PATCH_ADDS)
        else:
            old += [line[1:]] if line[:1] in ("-", " ") else []
            new += [line[1:]] if line[:1] in ("+", " ") else []


def _hunk(path: str, old: list[str], new: list[str], *, is_whole: bool) -> Edit:
    """Return the edit of a hunk without the unchanged lines around it."""
    before = _shared(old, new)
    old, new = old[before:], new[before:]
    after = _shared(old[::-1], new[::-1])
    old, new = old[: len(old) - after], new[: len(new) - after]
    return Edit(path=path, old=_joined(old), new=_joined(new), is_whole=is_whole)


def _shared(old: list[str], new: list[str]) -> int:
    """Return how many lines at the start are the same."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((number for number, (one, other) in pairs if one != other), min(len(old), len(new)))


def _joined(lines: list[str]) -> str:
    return clean("".join(line + "\n" for line in lines))


def _shell_edits(result: object) -> Iterator[Edit]:
    """Yield what a shell command changed, as Claude Code tells since 2.1.332."""
    told = result.get("bashEditDiff") if isinstance(result, dict) else None
    for file in _objects(told.get("files")) if isinstance(told, dict) else ():
        path = clean(file.get("filePath"))
        for hunk in _objects(file.get("hunks")) if path else ():
            lines = [line for line in entries(hunk.get("lines")) if isinstance(line, str)]
            old, new = ([line[1:] for line in lines if line[:1] in (sign, " ")] for sign in "-+")
            yield _hunk(path, old, new, is_whole=file.get("created") is True)


def _objects(value: object) -> list[Record]:
    return [entry for entry in entries(value) if isinstance(entry, dict)]


# ---------------------------------------------------------------- results


def _inline_result(call: Record) -> Result | None:
    """Return the answer that a call holds itself, None if it holds none."""
    has_answer = any(key in call for key in ("output", "error")) or isinstance(call.get("result"), (list, str))
    return next(_result({**call, "call_id": "-"}), None) if has_answer else None


def _result(body: Record) -> Iterator[Result]:
    name = next((clean(body[key]) for key in _RESULT_IDS if isinstance(body.get(key), str)), "")
    if name:
        output, has_failed = _answer(body)
        yield Result(id=name, output=output, has_failed=has_failed or _is_failure(body))


def _answer(value: object, depth: int = 0) -> tuple[str, bool]:
    """Return the text of an answer in any of its forms, and whether it says that the tool failed."""
    if isinstance(value, str):
        inner = transcripts.loads(value.encode("utf-8", "replace")) if value.startswith('{"output"') else None
        return _answer(inner, depth + 1) if isinstance(inner, dict) and depth < _DEPTH else (clean(value), False)
    if depth >= _DEPTH:
        return "", False
    if isinstance(value, list):
        found = [_answer(entry, depth + 1) for entry in value]
        return "\n".join(text for text, _ in found if text), any(failed for _, failed in found)
    if not isinstance(value, dict):
        return "", False
    for part in ("functionResponse", "response"):
        if isinstance(value.get(part), dict):
            return _answer(value[part], depth + 1)
    for key in _OUTPUTS:
        if isinstance(value.get(key), (str, list, dict)) and value[key]:
            text, failed = _answer(value[key], depth + 1)
            return text, failed or key == "error" or _is_failure(value)
    return clean(value.get("message")), _is_failure(value)


def _is_failure(body: Record) -> bool:
    if body.get("is_error") is True or body.get("isError") is True or body.get("success") is False:
        return True
    if body.get("ok") is False or body.get("status") in _ERRORS:
        return True
    for place in (body, body["metadata"]) if "metadata" in body else (body,):
        for key in ("exit_code", "exit", "exitCode") if isinstance(place, dict) else ():
            if key in place and isinstance(place[key], int) and place[key] != 0:
                return True
    return False


def _exit_code(output: str) -> int:
    """Return the exit code that the first or last lines of a command's answer name, 0 without one."""
    lines = output.split("\n")
    ends = lines if len(lines) <= 2 * _EXIT_LINES else [*lines[:_EXIT_LINES], *lines[-_EXIT_LINES:]]
    found = _EXIT.search("\n".join(ends))
    return int(found[1][:9]) if found else 0


def _text(given: Record, names: tuple[str, ...]) -> str:
    return next((clean(given[name]) for name in names if isinstance(given.get(name), str) and given[name]), "")
