"""Interprets the records of a Gemini CLI chat: prompts, answers, tool calls (0.61.0, and the older single document).

Since 2026 a chat is an append-only file of JSON lines: a header, messages with an ``id``, and changes of the agent's
own view of the conversation (``$set``, ``$rewindTo``). A message is written again when its tool calls are done; the
last line of an id wins. Older chats are one JSON object whose ``messages`` are the same messages.
"""

from __future__ import annotations

from entire.agents.untrusted import clean, dict_of, dicts_of
from entire.model.jsontext import figure
from entire.model.tokens import TokenUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Native = dict[str, Any]

WITHOUT_MEANING = (b'{"$set":{"lastUpdated":"',)
"""How lines start that need not be parsed. A new list of messages comes first in its line."""

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


def message_id(native: Native) -> str:
    return clean(native.get("id"))


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


def prompt_text(native: Native) -> str:
    """Return the prompt that a person typed, or '' if this user message is none."""
    content = native.get("content")
    text = without_hook_context(text_of(content))
    if text.startswith(_NO_PROMPT):
        return ""
    shown = without_hook_context(text_of(native.get("displayContent")))
    return shown or text or ("[image]" if _has_media(content) else "")


def _has_media(content: object) -> bool:
    parts = content if isinstance(content, list) else [content]
    return any(isinstance(part, dict) and ("inlineData" in part or "fileData" in part) for part in parts)


def is_session_context(native: Native) -> bool:
    """Tell whether this user message starts with what the agent tells the model when a session begins."""
    content = native.get("content")
    first = content[:1] if isinstance(content, list) else content
    return text_of(first).startswith(_SESSION_CONTEXT)


def is_conversation(native: Native) -> bool:
    """Tell whether a message is part of a conversation, and not only how the agent begins one."""
    return (native.get("type") == "user" and bool(prompt_text(native))) or native.get("type") == "gemini"


# ---------------------------------------------------------------- the agent's own view


def new_messages(native: Native) -> list[Native] | None:
    """Return the messages with which a record replaces the conversation that the model sees, None if it does not."""
    messages = dict_of(native.get("$set")).get("messages")
    return dicts_of(messages) if isinstance(messages, list) else None


def rewound_to(native: Native) -> str:
    """Return the id of the first message that the agent's own rewind removed, or ''."""
    return clean(native.get("$rewindTo"))


# ---------------------------------------------------------------- answers


def usage(native: Native) -> TokenUsage | None:
    """Return an answer's tokens as the agent gives them, None without any: its input includes what was cached, its
    output no thoughts. So did the Go CLI, whose checkpoints stay comparable.
    """
    figures = native.get("tokens")
    if not isinstance(figures, dict):
        return None
    from entire.conversation import responses  # no hook that reads no transcript needs it

    told = TokenUsage(input_tokens=figure(figures.get("input")), cache_read_tokens=figure(figures.get("cached")),
                      output_tokens=figure(figures.get("output")), api_call_count=1)  # fmt: skip
    return responses.reasoning_beside_output(told, figure(figures.get("thoughts")))


def calls(native: Native) -> list[Native]:
    """Return the tool calls of an answer, as they are in it; ``tools`` interprets them."""
    return dicts_of(native.get("toolCalls"))


# ---------------------------------------------------------------- others


def is_interruption(native: Native) -> bool:
    """Tell whether the agent noted here that the user stopped it."""
    return native.get("type") == "info" and text_of(native.get("content")) == "Request cancelled."
