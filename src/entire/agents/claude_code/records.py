"""Interprets the records of a Claude Code transcript: prompts, answers, tool results (2.1.332 and older).

A transcript is an append-only file of JSON lines. Records with a ``uuid`` form a tree by ``parentUuid``; a rewind in
the agent leaves an abandoned branch in the file. The old short form has only ``type``, ``uuid`` and ``message``.
Records of other types, such as what was sent to the model (``api-request-blob``), are no part of the conversation.
"""

from __future__ import annotations

from entire.agents.transcripts import clean
from entire.model.ids import is_tool_id
from entire.model.jsontext import natural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Record = dict[str, Any]

GLUE = b'{"parentUuid":'
"""How a record of the tree starts. It finds records that the agent appended to an incomplete line."""

WITHOUT_MEANING = (
    b'{"type":"api-request',
    b'{"type":"file-history-',
    b'{"type":"queue-operation"',
    b'{"type":"ai-title"',
    b'{"type":"agent-name"',
    b'{"type":"atis-latch"',
    b'{"type":"cost-state"',
    b'{"type":"custom-title"',
    b'{"type":"mode"',
    b'{"type":"permission-mode"',
    b'{"type":"tools-used"',
)
"""Starts of lines that need not be parsed: they are not in the tree and hold nothing we use."""

FILE_TOOLS = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
TASK_TOOLS = ("Agent", "Task")
"""Names of the tool that starts a subagent; it was called Task before 2.1."""

_HARMLESS_TOOLS = frozenset((
    *FILE_TOOLS, "AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep", "LS", "LSP", "NotebookRead",
    "Read", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TodoRead", "TodoWrite", "ToolSearch", "WebFetch",
    "WebSearch",
))  # fmt: skip

_COMMAND = ("<command-name>", "<command-message>")
_INTERRUPTED = "[Request interrupted by user"
_NO_PROMPT = (
    *_COMMAND,
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<local-command-",
    "<task-notification>",
    _INTERRUPTED,
)
_USAGE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def content(record: Record) -> object:
    """Return the message's content: a string, or a list of blocks."""
    message = record.get("message")
    return message.get("content") if isinstance(message, dict) else None


def blocks(record: Record, kind: str) -> list[Record]:
    """Return the message's content blocks of type ``kind``."""
    found = content(record)
    if not isinstance(found, list):
        return []
    return [block for block in found if isinstance(block, dict) and block.get("type") == kind]


def text_of(record: Record) -> str:
    """Return the message's text, its text blocks joined by newlines."""
    found = content(record)
    if isinstance(found, str):
        return clean(found)
    return "\n".join(clean(block.get("text")) for block in blocks(record, "text"))


def prompt_text(record: Record, *, modern: bool) -> str:
    """Return the prompt a person typed, or '' if this user record is none.

    ``modern``: the file marks prompts with ``promptSource`` (typed, queued, sdk), as it does since 2.1; in older files
    every text counts that the agent did not insert itself.
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


def is_conversation(record: object) -> bool:
    """Tell whether a record is a prompt or an answer, and not one that the agent wrote by itself."""
    if not isinstance(record, dict):
        return False
    kind = record.get("type")
    return (kind == "user" and bool(prompt_text(record, modern=False))) or (
        kind == "assistant" and not is_synthetic(record)
    )


def command_text(record: Record) -> str:
    """Return ``/name args`` if this user record is a slash command, else ''."""
    text = content(record)
    if not isinstance(text, str) or not text.startswith(_COMMAND) or record.get("isMeta") is True:
        return ""
    name, arguments = _tagged(text, "command-name"), _tagged(text, "command-args")
    return clean(f"{name} {arguments}".strip()) if name else ""


def is_expansion(record: Record) -> bool:
    """Tell whether this is the expansion of a custom slash command (built-in ones like /compact have none)."""
    return record.get("isMeta") is True and not text_of(record).startswith("<local-command-")


def notification(record: Record) -> tuple[str, str]:
    """Return (task id, tool use id) of a notice that a background task ended; ('', '') for other records."""
    text = content(record)
    if not isinstance(text, str) or not text.startswith("<task-notification>"):
        return "", ""
    return notification_ids(text)


def notification_ids(text: str) -> tuple[str, str]:
    """Return (task id, tool use id) from the text of a task notification; '' for an id that is not safe in a path."""
    task, tool = _tagged(text, "task-id"), _tagged(text, "tool-use-id")
    return task if is_tool_id(task) else "", tool if is_tool_id(tool) else ""


def notification_summary(text: str) -> str:
    """Return the line that a task notification shows to people."""
    return clean(_tagged(text, "summary"))


def _tagged(text: str, tag: str) -> str:
    _, _, rest = text.partition(f"<{tag}>")
    inside, closing, _ = rest.partition(f"</{tag}>")
    return inside.strip() if closing else ""


def answer_id(record: Record) -> str:
    """Return the id shared by all records of an API response; in the old form, which has none, the record's own."""
    message = record.get("message")
    found = message.get("id") if isinstance(message, dict) else None
    return clean(found) or clean(record.get("uuid"))


def is_synthetic(record: Record) -> bool:
    """Tell whether the agent itself wrote this answer, such as an API error or "No response requested."."""
    message = record.get("message")
    return record.get("isApiErrorMessage") is True or (
        isinstance(message, dict) and message.get("model") == "<synthetic>"
    )


def model(record: Record) -> str:
    """Return the model that wrote this answer, '' if the agent itself did."""
    message = record.get("message")
    return clean(message.get("model")) if isinstance(message, dict) and not is_synthetic(record) else ""


def usage(record: Record) -> tuple[int, int, int, int]:
    """Return input, cache creation, cache read and output tokens of the response this record belongs to."""
    message = record.get("message")
    found = message.get("usage") if isinstance(message, dict) else None
    if not isinstance(found, dict) or is_synthetic(record):
        return 0, 0, 0, 0
    a, b, c, d = (natural(found.get(key)) for key in _USAGE)
    return a, b, c, d


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
        found = [result.get("notebook_path")]
    elif "structuredPatch" in result or "oldString" in result:
        found = [result.get("filePath")]
    else:
        found = list(_changed_by_shell(result.get("bashEditDiff")))
    return [path for path in map(path_of, found) if path]


def _changed_by_shell(told: object) -> Iterator[object]:
    for key in ("changedFiles", "files") if isinstance(told, dict) else ():
        named = told.get(key) if isinstance(told, dict) else None
        for entry in named if isinstance(named, list) else ():
            yield entry.get("filePath") if isinstance(entry, dict) else entry


def path_of(value: object) -> str:
    """Return an untrusted path, or '' if no file can have it."""
    path = clean(value)
    return "" if "\0" in path else path


def runs_programs(tool: str) -> bool:
    """Tell whether a tool can change files that it does not report: a shell, MCP, a subagent, or one not known here."""
    return tool not in _HARMLESS_TOOLS


def is_interruption(record: Record) -> bool:
    """Tell whether the agent noted here that the user stopped it; a person may type the same words."""
    is_noted = isinstance(content(record), list) and not record.get("promptSource")
    return is_noted and text_of(record).startswith(_INTERRUPTED)


def goes_on(result: object) -> bool:
    """Tell whether a tool's result only says that it works on in the background."""
    if not isinstance(result, dict):
        return False
    is_launched = result.get("isAsync") is True or result.get("status") == "async_launched"
    return is_launched or bool(result.get("backgroundTaskId"))


def result_agent(block: Record, result: object) -> Record:
    """Return what a tool result says about a subagent: ``id``, ``type``, ``description``, ``background``, that it has
    ``started``; or {}.
    """
    found: Record = {}
    if isinstance(result, dict):
        agent = clean(result.get("agentId"))
        if is_tool_id(agent):
            background = result.get("isAsync") is True or result.get("status") == "async_launched"
            found = {"id": agent, "background": background, "type": clean(result.get("agentType")), "started": True}
            found["description"] = clean(result.get("description"))
        return found
    inner = block.get("content")
    texts = [part.get("text") for part in inner if isinstance(part, dict)] if isinstance(inner, list) else [inner]
    for text in texts:  # the old form has the id only in the text: "agentId: a1b2c3 (...)"
        _, mark, rest = clean(text).partition("agentId: ")
        words = rest.split(maxsplit=1)
        if mark and words and is_tool_id(words[0]):
            return {"id": words[0]}
    return found
