"""The forms in which transcripts hold tool calls and their results."""

from __future__ import annotations

from entire.agents import tool_arguments, untrusted
from entire.agents.untrusted import clean
from entire.conversation.records import OTHER, SHELL, SUBAGENT, Call, Result
from entire.model.transcripts import Subagent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Native = dict[str, Any]

_CALL_IDS = ("call_id", "callID", "toolCallId", "tool_use_id", "id")
_CALL_PARTS = ("function", "functionCall", "state", "action")
"""Where a call can hold its name and arguments, if not in itself."""
_NAMES = ("name", "tool", "toolName")
_ARGUMENTS = ("input", "arguments", "args")
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
_DEPTH = 6


def call(given: Native, at: int, answer: str, time: float) -> Call:
    """Return a tool call; its name and arguments are in itself or in one of its parts."""
    given = _joined(given)
    name = clean(next((given[key] for key in _NAMES if isinstance(given.get(key), str)), ""))
    asked = next((given[key] for key in _ARGUMENTS if given.get(key)), given)
    arguments = tool_arguments.arguments(asked)
    command = tool_arguments.command(arguments)
    tool = SUBAGENT if name in _SUBAGENT_TOOLS else SHELL if command else OTHER
    task = next((clean(arguments[key]) for key in _TASKS if isinstance(arguments.get(key), str)), name)
    return Call(
        position=at,
        id=next((clean(given[key]) for key in _CALL_IDS if isinstance(given.get(key), str)), ""),
        time=time,
        answer=answer,
        tool=tool,
        name=name,
        subject=tool_arguments.subject(asked),
        command=command,
        edits=tool_arguments.edits(asked),
        task=Subagent(id="", description=task) if tool == SUBAGENT else None,
    )


def inline_result(given: Native, of: Call) -> Result | None:
    """Return the answer that a call holds itself, None if it holds none."""
    given = _joined(given)
    if not (any(key in given for key in ("output", "error")) or isinstance(given.get("result"), (list, str))):
        return None
    return _result(given, of.id, of.position, of.time)


def results(record: Native, at: int, time: float) -> Iterator[Result]:
    """Yield the answers of tools that a record holds for calls of earlier records."""
    inner = envelope(record)
    body = record if inner is None else inner
    held = [block for block in entries(body.get("content")) if isinstance(block, dict) and block.get("type") in RESULTS]
    if body.get("type") in RESULTS or body.get("role") in RESULTS or record.get("type") in RESULTS:
        held.insert(0, body)
    for block in held:
        name = next((clean(block[key]) for key in _RESULT_IDS if isinstance(block.get(key), str)), "")
        if name:
            yield _result(block, name, at, time)


def _result(given: Native, call: str, at: int, time: float) -> Result:
    output, has_failed = _answer(given)
    return Result(position=at, call=call, time=time, output=output, has_failed=has_failed or _is_failure(given))


def _joined(call: Native) -> Native:
    """Return a call with the names of its parts."""
    for part in _CALL_PARTS:
        if isinstance(call.get(part), dict):
            call = {**call, **call[part]}
    return call


def envelope(record: Native) -> Native | None:
    """Return the object in a record that holds its message, None if it is the record itself."""
    for name in _ENVELOPES:
        inner = record.get(name)
        if isinstance(inner, dict):
            return inner
    return None


def entries(value: object) -> list[object]:
    """Return a list's entries; none if the value is not a list."""
    return value if isinstance(value, list) else []


def _answer(value: object, depth: int = 0) -> tuple[str, bool]:
    """Return the text of an answer in any of its forms, and whether it says that the tool failed."""
    if isinstance(value, str):
        inner = untrusted.loads(value.encode("utf-8", "replace")) if value.startswith('{"output"') else None
        return _answer(inner, depth + 1) if isinstance(inner, dict) and depth < _DEPTH else (clean(value), False)
    if depth >= _DEPTH:
        return "", False
    if isinstance(value, list):
        answers = [_answer(entry, depth + 1) for entry in value]
        return "\n".join(text for text, _ in answers if text), any(failed for _, failed in answers)
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


def _is_failure(body: Native) -> bool:
    if body.get("is_error") is True or body.get("isError") is True or body.get("success") is False:
        return True
    if body.get("ok") is False or body.get("status") in _ERRORS:
        return True
    for place in (body, body["metadata"]) if "metadata" in body else (body,):
        for key in ("exit_code", "exit", "exitCode") if isinstance(place, dict) else ():
            if key in place and isinstance(place[key], int) and place[key] != 0:
                return True
    return False
