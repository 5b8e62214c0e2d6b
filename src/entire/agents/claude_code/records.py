"""What single records of a Claude Code transcript mean: prompts, answers, tool results (2.1.197 and older).

A transcript is an append-only file of JSON lines. Records with a ``uuid`` form a tree by ``parentUuid``: native rewinds
leave dead branches in the file. The old short form has no more than ``type``, ``uuid`` and ``message``.
"""

from __future__ import annotations

from entire.agents.transcripts import clean
from entire.model.ids import is_tool_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

GLUE = b'{"parentUuid":'
"""How a record of the tree begins. The agent appends to a line that was cut: there it is found by this."""

WITHOUT_MEANING = (
    b'{"type":"file-history-snapshot"',
    b'{"type":"queue-operation"',
    b'{"type":"ai-title"',
    b'{"type":"agent-name"',
    b'{"type":"mode"',
    b'{"type":"permission-mode"',
)
"""Beginnings of lines that need not be parsed: they are in no tree and tell nothing."""

FILE_TOOLS = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
TASK_TOOLS = ("Agent", "Task")
"""The tool that starts a subagent; called Task before 2.1."""

_COMMAND = ("<command-name>", "<command-message>")
_NO_PROMPT = (
    *_COMMAND,
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<local-command-",
    "<task-notification>",
    "[Request interrupted by user",
)
_USAGE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def content(record: Record) -> object:
    """Return the message's content: a string, or a list of blocks."""
    message = record.get("message")
    return message.get("content") if isinstance(message, dict) else None


def blocks(record: Record, kind: str) -> list[Record]:
    """Return the message's blocks of one type."""
    found = content(record)
    if not isinstance(found, list):
        return []
    return [block for block in found if isinstance(block, dict) and block.get("type") == kind]


def text_of(record: Record) -> str:
    """Return the message's text, of several blocks joined by newlines."""
    found = content(record)
    if isinstance(found, str):
        return clean(found)
    return "\n".join(clean(block.get("text")) for block in blocks(record, "text"))


def prompt_text(record: Record, *, modern: bool) -> str:
    """Return what a person typed, '' if this user record is no prompt.

    ``modern``: the file tells prompts by ``promptSource`` (typed, queued, sdk), as since 2.1; without it everything
    counts that is none of the agent's own insertions.
    """
    source = record.get("promptSource")
    if source == "system" or (modern and not source):
        return ""
    if any(record.get(flag) is True for flag in ("isMeta", "isCompactSummary")) or blocks(record, "tool_result"):
        return ""
    text = text_of(record)
    if text.startswith(_NO_PROMPT):
        return ""
    return text or ("[image]" if blocks(record, "image") else "")


def command_text(record: Record) -> str:
    """Return ``/name args`` if this user record is a slash command, else ''."""
    text = content(record)
    if not isinstance(text, str) or not text.startswith(_COMMAND) or record.get("isMeta") is True:
        return ""
    name, arguments = _tagged(text, "command-name"), _tagged(text, "command-args")
    return clean(f"{name} {arguments}".strip()) if name else ""


def is_expansion(record: Record) -> bool:
    """Tell whether this is what a custom slash command was expanded to (built-in ones like /compact have none)."""
    return record.get("isMeta") is True and not text_of(record).startswith("<local-command-")


def notification(record: Record) -> tuple[str, str]:
    """Return (task id, tool use id) of a notice that a background task ended; two '' if it is none."""
    text = content(record)
    if not isinstance(text, str) or not text.startswith("<task-notification>"):
        return "", ""
    return notification_ids(text)


def notification_ids(text: str) -> tuple[str, str]:
    """Return (task id, tool use id) from the text of a task notification, each '' if it is not fit for a path."""
    task, tool = _tagged(text, "task-id"), _tagged(text, "tool-use-id")
    return task if is_tool_id(task) else "", tool if is_tool_id(tool) else ""


def notification_summary(text: str) -> str:
    """Return the one line that a task notification shows to people."""
    return clean(_tagged(text, "summary"))


def _tagged(text: str, tag: str) -> str:
    _, _, rest = text.partition(f"<{tag}>")
    inside, closing, _ = rest.partition(f"</{tag}>")
    return inside.strip() if closing else ""


def answer_id(record: Record) -> str:
    """Return the id that all records of one API answer share; the record's own where the old form has none."""
    message = record.get("message")
    found = message.get("id") if isinstance(message, dict) else None
    return clean(found) or clean(record.get("uuid"))


def is_synthetic(record: Record) -> bool:
    """Tell whether the agent wrote this answer itself: an API error, or "No response requested."."""
    message = record.get("message")
    return record.get("isApiErrorMessage") is True or (
        isinstance(message, dict) and message.get("model") == "<synthetic>"
    )


def usage(record: Record) -> tuple[int, int, int, int]:
    """Return input, cache creation, cache read and output tokens of the answer this record belongs to."""
    message = record.get("message")
    found = message.get("usage") if isinstance(message, dict) else None
    if not isinstance(found, dict) or is_synthetic(record):
        return 0, 0, 0, 0
    values = [found.get(key) for key in _USAGE]
    a, b, c, d = (value if type(value) is int and value > 0 else 0 for value in values)
    return a, b, c, d


def changed_path(result: object) -> str:
    """Return the path that a tool says it changed, from ``toolUseResult``; '' if it changed none.

    Told by the result's shape, because the call may lie in a part that is not read again: Write and Edit results carry
    a patch, reads nest their ``filePath``, and a plan's ``filePath`` comes without one.
    """
    if not isinstance(result, dict) or result.get("error"):
        return ""
    if "edit_mode" in result or "new_source" in result:
        return path_of(result.get("notebook_path"))
    if "structuredPatch" in result or "oldString" in result:
        return path_of(result.get("filePath"))
    return ""


def path_of(value: object) -> str:
    """Return a path from outside, '' if no file can have it."""
    path = clean(value)
    return "" if "\0" in path else path


def result_agent(block: Record, result: object) -> Record:
    """Return a tool result's word on a subagent: ``id``, ``type``, ``description``, ``background``; or nothing."""
    found: Record = {}
    if isinstance(result, dict):
        agent = clean(result.get("agentId"))
        if is_tool_id(agent):
            waits_not = result.get("isAsync") is True or result.get("status") == "async_launched"
            found = {"id": agent, "background": waits_not, "type": clean(result.get("agentType"))}
            found["description"] = clean(result.get("description"))
        return found
    inner = block.get("content")
    texts = [part.get("text") for part in inner if isinstance(part, dict)] if isinstance(inner, list) else [inner]
    for text in texts:  # the old form has the id in the text only: "agentId: a1b2c3 (...)"
        _, mark, rest = clean(text).partition("agentId: ")
        words = rest.split(maxsplit=1)
        if mark and words and is_tool_id(words[0]):
            return {"id": words[0]}
    return found
