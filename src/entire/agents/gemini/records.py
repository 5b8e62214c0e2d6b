"""Interprets the records of a Gemini CLI chat: prompts, answers, tool calls (0.61.0, and the older single document).

Since 2026 a chat is an append-only file of JSON lines: a header, messages with an ``id``, and changes of the agent's
own view of the conversation (``$set``, ``$rewindTo``). A message is written again when its tool calls are done; the
last line of an id wins. Older chats are one JSON object whose ``messages`` are the same messages.
"""

from __future__ import annotations

from entire.agents.transcripts import clean
from entire.model.ids import is_tool_id
from entire.model.jsontext import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

WITHOUT_MEANING = (b'{"$set":{"lastUpdated":"',)
"""How lines start that need not be parsed. A new list of messages comes first in its line."""

FILE_TOOLS = ("write_file", "replace")
_HARMLESS_TOOLS = frozenset((
    *FILE_TOOLS, "activate_skill", "ask_user", "complete_task", "enter_plan_mode", "exit_plan_mode", "glob",
    "google_web_search", "grep_search", "list_directory", "read_file", "read_many_files", "save_memory",
    "search_file_content", "update_topic", "web_fetch", "write_todos",
))  # fmt: skip
SHELL_TOOL = "run_shell_command"
TASK_TOOL = "invoke_agent"
"""Name of the tool that starts a subagent and waits for it."""

COMMITTED = "committed"
"""Key of a session's metadata: abbreviated ids of the commits that the last shell command with commits printed."""

_SESSION_CONTEXT = "<session_context>"
_HOOK_CONTEXT = ("<hook_context>", "</hook_context>")
_NO_PROMPT = (
    _SESSION_CONTEXT,  # the start of every session
    "<state_snapshot>",  # what a compaction left of the conversation
    "I ran the following shell command:",  # the user interface's `!` mode
    "System: ",  # after a loop was detected
    "User has manually exited Plan Mode.",
)


# ---------------------------------------------------------------- messages


def message_id(record: Record) -> str:
    return clean(record.get("id"))


def text_of(content: object) -> str:
    """Return the text of a message's content, a string or a list of parts, without thoughts and hooks' additions."""
    parts = content if isinstance(content, list) else [content]
    return "".join(text for text in map(_part_text, parts) if not _is_hook_context(text))


def _part_text(part: object) -> str:
    if isinstance(part, dict):
        return "" if part.get("thought") else clean(part.get("text"))
    return clean(part)


def _is_hook_context(text: str) -> bool:
    return text.startswith(_HOOK_CONTEXT[0]) and text.rstrip().endswith(_HOOK_CONTEXT[1])


def without_hook_context(text: str) -> str:
    """Return a prompt without what other hooks put before it."""
    while text.startswith(_HOOK_CONTEXT[0]):
        _, closing, rest = text.partition(_HOOK_CONTEXT[1])
        if not closing:
            break
        text = rest.lstrip()
    return text


def prompt_text(record: Record) -> str:
    """Return the prompt that a person typed, or '' if this user message is none."""
    content = record.get("content")
    text = without_hook_context(text_of(content))
    if text.startswith(_NO_PROMPT):
        return ""
    shown = without_hook_context(text_of(record.get("displayContent")))
    return shown or text or ("[image]" if _has_media(content) else "")


def _has_media(content: object) -> bool:
    parts = content if isinstance(content, list) else [content]
    return any(isinstance(part, dict) and ("inlineData" in part or "fileData" in part) for part in parts)


def is_session_context(record: Record) -> bool:
    """Tell whether this user message starts with what the agent tells the model when a session begins."""
    content = record.get("content")
    first = content[:1] if isinstance(content, list) else content
    return text_of(first).startswith(_SESSION_CONTEXT)


def is_conversation(record: Record) -> bool:
    """Tell whether a message is part of a conversation, and not only how the agent begins one."""
    return (record.get("type") == "user" and bool(prompt_text(record))) or record.get("type") == "gemini"


# ---------------------------------------------------------------- the agent's own view


def new_messages(record: Record) -> list[Record] | None:
    """Return the messages with which this record replaces the conversation that the model sees, None if it does not."""
    changes = record.get("$set")
    found = changes.get("messages") if isinstance(changes, dict) else None
    return [message for message in found if isinstance(message, dict)] if isinstance(found, list) else None


def rewound_to(record: Record) -> str:
    """Return the id of the first message that the agent's own rewind removed, or ''."""
    return clean(record.get("$rewindTo"))


# ---------------------------------------------------------------- answers


def usage(record: Record) -> tuple[int | None, int | None, int | None] | None:
    """Return input (with what was cached), cached and output tokens (without thoughts); None without any figures."""
    found = record.get("tokens")
    if not isinstance(found, dict):
        return None
    return _figure(found, "input"), _figure(found, "cached"), _figure(found, "output")


def _figure(found: Record, key: str) -> int | None:
    value = found.get(key)
    return value if type(value) is int and 0 <= value <= LARGEST else None


# ---------------------------------------------------------------- tool calls


def calls(record: Record) -> list[Record]:
    found = record.get("toolCalls")
    return [call for call in found if isinstance(call, dict)] if isinstance(found, list) else []


def arguments(call: Record) -> Record:
    given = call.get("args")
    return given if isinstance(given, dict) else {}


def changed_path(call: Record) -> str:
    """Return the path that a call changed, absolute if the agent tells; '' if it changed none."""
    if call.get("name") not in FILE_TOOLS or call.get("status") != "success":
        return ""
    display = call.get("resultDisplay")
    shown = path_of(display.get("filePath")) if isinstance(display, dict) else ""
    return shown or path_of(arguments(call).get("file_path"))


def runs_programs(call: Record) -> bool:
    """Tell whether a tool can change files that it does not report: a shell, MCP, a subagent, or one not known here."""
    return clean(call.get("name")) not in _HARMLESS_TOOLS


def is_interruption(record: Record) -> bool:
    """Tell whether the agent noted here that the user stopped it."""
    return record.get("type") == "info" and text_of(record.get("content")) == "Request cancelled."


def path_of(value: object) -> str:
    """Return an untrusted path, or '' if no file can have it."""
    path = clean(value)
    return "" if "\0" in path else path


def output(call: Record) -> str:
    """Return what a call put out: what the model gets, and what the person sees."""
    results = call.get("result")
    texts = [clean(call.get("resultDisplay"))]
    for part in results if isinstance(results, list) else []:
        answered = part.get("functionResponse") if isinstance(part, dict) else None
        response = answered.get("response") if isinstance(answered, dict) else None
        texts.append(clean(response.get("output")) if isinstance(response, dict) else "")
    return "\n".join(texts)


def subagent_id(call: Record) -> str:
    """Return the id of the subagent that a call ran; '' if it is not known or not safe in a path."""
    found = clean(call.get("agentId"))
    return found if is_tool_id(found) else ""
