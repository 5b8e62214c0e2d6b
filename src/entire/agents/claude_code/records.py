"""Interprets the records of a Claude Code transcript: prompts, answers, tool results (2.1.332 and older).

A transcript is an append-only file of JSON lines. Records with a ``uuid`` form a tree by ``parentUuid``; a rewind in
the agent leaves an abandoned branch in the file. The old short form has only ``type``, ``uuid`` and ``message``.
Records of other types, such as what was sent to the model (``api-request-blob``), are no part of the conversation.
"""

from __future__ import annotations

from entire.agents.untrusted import clean, dict_of
from entire.model.ids import is_tool_id
from entire.model.jsontext import natural
from entire.model.tokens import TokenUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Native = dict[str, Any]

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

TASK_TOOLS = ("Agent", "Task")
"""Names of the tool that starts a subagent; it was called Task before 2.1."""

NOTICE = "<task-notification>"
"""How the notice starts that a background task ended."""

_COMMAND = ("<command-name>", "<command-message>")
_INTERRUPTED = "[Request interrupted by user"
_NO_PROMPT = (
    *_COMMAND,
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<local-command-",
    NOTICE,
    _INTERRUPTED,
)
_USAGE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def content(record: Native) -> object:
    """Return the message's content: a string, or a list of blocks; in the old short form a message may be its text."""
    message = record.get("message")
    return message.get("content") if isinstance(message, dict) else message


def blocks(record: Native, kind: str) -> list[Native]:
    """Return the message's content blocks of type ``kind``."""
    contained = content(record)
    if not isinstance(contained, list):
        return []
    return [block for block in contained if isinstance(block, dict) and block.get("type") == kind]


def text_of(record: Native) -> str:
    """Return the message's text, its text blocks joined by newlines."""
    contained = content(record)
    if isinstance(contained, str):
        return clean(contained)
    return "\n".join(clean(block.get("text")) for block in blocks(record, "text"))


def parts(record: Native) -> list[tuple[str, Native | None]]:
    """Return each tool call of an answer with the text before it, and last the text after them without a call."""
    contained, texts = content(record), list[str]()
    found: list[tuple[str, Native | None]] = []
    for block in contained if isinstance(contained, list) else [{"type": "text", "text": contained}]:
        kind = block.get("type") if isinstance(block, dict) else ""
        if kind == "text" and (text := clean(block.get("text"))):
            texts.append(text)
        elif kind == "tool_use":
            found.append(("\n".join(texts), block))
            texts = []
    return [*found, ("\n".join(texts), None)]


def prompt_text(record: Native, *, modern: bool) -> str:
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


def joined_prompt(record: Native) -> str:
    """Return the prompt that a person typed while a tool ran, and that joined the turn; '' for other records."""
    held = record.get("attachment") if record.get("type") == "attachment" else None
    if not isinstance(held, dict) or held.get("type") != "queued_command" or held.get("commandMode") != "prompt":
        return ""
    origin = held.get("origin")
    is_typed = not isinstance(origin, dict) or origin.get("kind") == "human"
    return clean(held.get("prompt")) if is_typed else ""


def command_text(record: Native) -> str:
    """Return ``/name args`` if this user record is a slash command, else ''."""
    text = content(record)
    if not isinstance(text, str) or not text.startswith(_COMMAND) or record.get("isMeta") is True:
        return ""
    name, arguments = _tagged(text, "command-name"), _tagged(text, "command-args")
    return clean(f"{name} {arguments}".strip()) if name else ""


def is_expansion(record: Native) -> bool:
    """Tell whether this is the expansion of a custom slash command (built-in ones like /compact have none)."""
    return record.get("isMeta") is True and not text_of(record).startswith("<local-command-")


def notice(text: object) -> tuple[str, str, str]:
    """Return (task id, tool use id, what it shows to people) of a notice that a background task ended; '' for an id
    that is not safe in a path, and for any other text.
    """
    if not isinstance(text, str) or not text.startswith(NOTICE):
        return "", "", ""
    task, tool = (named if is_tool_id(named := _tagged(text, tag)) else "" for tag in ("task-id", "tool-use-id"))
    return task, tool, clean(_tagged(text, "summary"))


def is_launched(result: Native) -> bool:
    """Tell whether a tool's result only says that a subagent began to work in the background."""
    return result.get("isAsync") is True or result.get("status") == "async_launched"


def _tagged(text: str, tag: str) -> str:
    _, _, rest = text.partition(f"<{tag}>")
    inside, closing, _ = rest.partition(f"</{tag}>")
    return inside.strip() if closing else ""


def answer_id(record: Native) -> str:
    """Return the id shared by all records of an API response; in the old form, which has none, the record's own."""
    return clean(dict_of(record.get("message")).get("id")) or clean(record.get("uuid"))


def is_synthetic(record: Native) -> bool:
    """Tell whether the agent itself wrote this answer, such as an API error or "No response requested."."""
    return record.get("isApiErrorMessage") is True or dict_of(record.get("message")).get("model") == "<synthetic>"


def model(record: Native) -> str:
    """Return the model that wrote this answer."""
    return clean(dict_of(record.get("message")).get("model"))


def usage(record: Native) -> TokenUsage | None:
    """Return the tokens of the response that this record belongs to; None if the record does not tell."""
    figures = dict_of(dict_of(record.get("message")).get("usage"))
    fresh, written, cached, output = [natural(figures.get(key)) for key in _USAGE]
    if not (fresh or written or cached or output):
        return None
    told = TokenUsage(input_tokens=fresh, cache_creation_tokens=written, cache_read_tokens=cached, output_tokens=output,
                      api_call_count=1)  # fmt: skip
    thoughts = dict_of(figures.get("output_tokens_details")).get("thinking_tokens")
    if thoughts is None:
        return told
    from entire.conversation import responses  # older versions tell no thoughts

    return responses.reasoning_in_output(told, natural(thoughts))


def is_interruption(record: Native) -> bool:
    """Tell whether the agent noted here that the user stopped it; a person may type the same words."""
    is_noted = isinstance(content(record), list) and not record.get("promptSource")
    return is_noted and text_of(record).startswith(_INTERRUPTED)
