"""Reads any agent's stored transcript as a conversation for people: who said what, which tools were called.

It knows the formats that agents use (JSON lines or one document, ``type`` or ``role``, text or content blocks), not the
agents themselves, so it can also read transcripts of newer versions and of agents that are not installed. It skips what
it does not recognise. No hook uses it.
"""

from __future__ import annotations

import json

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

USER = "user"
AGENT = "agent"
TOOL = "tool"
_ROLES = {
    "user": USER, "human": USER, "prompt": USER,
    "assistant": AGENT, "gemini": AGENT, "model": AGENT, "answer": AGENT, "agent": AGENT,
    "call": TOOL,
}  # fmt: skip
_NOTES = ("<system-reminder>", "<local-command-", "<command-name>", "Caveat: The messages below were generated")
_SUBJECTS = (
    "file_path",
    "notebook_path",
    "path",
    "absolute_path",
    "command",
    "pattern",
    "url",
    "description",
    "prompt",
)


class Message(Value):
    """A text or tool call in a conversation. ``at``: records before it; ``name``: the tool's name."""

    who: str  # USER, AGENT or TOOL
    text: str
    at: int
    name: str = ""


def read(data: bytes, start: int = 0) -> list[Message]:
    """Return the conversation in a transcript from record ``start`` on."""
    messages: list[Message] = []
    for at, record in records(data):
        if at >= start and isinstance(record, dict):
            messages += _read_record(at, record)
    return messages


def prompts(data: bytes, start: int = 0) -> list[str]:
    """Return the prompts that people typed, from record ``start`` on."""
    return [message.text for message in read(data, start) if message.who == USER]


def records(data: bytes) -> Iterator[tuple[int, object]]:
    """Yield each record with its number: the lines of a JSONL file, or the messages of a document."""
    document = _loads(data) if data.lstrip()[:1] == b"{" else None  # several JSON lines are no valid document
    if isinstance(document, dict) and isinstance(document.get("messages"), list):
        yield from enumerate(document["messages"])
        return
    for at, line in enumerate(data.split(b"\n")):
        yield at, _loads(line)


def _loads(data: bytes) -> object:
    try:
        found: object = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found


def _read_record(at: int, record: dict[str, Any]) -> list[Message]:
    """Return the messages of a record; none for the agent's notes to itself, such as reminders."""
    if record.get("isMeta") or record.get("isSidechain") or record.get("isCompactSummary"):
        return []
    message = record.get("message")
    inner = message if isinstance(message, dict) else record
    kind = inner.get("role") or record.get("type")
    who = _ROLES.get(kind) if isinstance(kind, str) else None
    if who is None:
        return []
    if who == TOOL:
        return [_call(at, inner.get("tool"), inner.get("input"))]
    content = inner.get("content", inner.get("text", message if isinstance(message, str) else ""))
    messages = list(_contents(at, who, content))
    calls = inner.get("toolCalls")
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict):
            messages.append(_call(at, call.get("name"), call.get("args")))
    return messages


def _contents(at: int, who: str, content: object) -> Iterator[Message]:
    """Yield the texts and tool calls of a message's content, without tool results and thinking."""
    texts = []
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict) and block.get("type") == "tool_use":
            if texts:
                yield from _text(at, who, texts)
                texts = []
            yield _call(at, block.get("name"), block.get("input"))
        elif isinstance(block, dict) and isinstance(block.get("text"), str) and block.get("type") != "thinking":
            texts.append(block["text"])
    yield from _text(at, who, texts)


def _text(at: int, who: str, texts: list[str]) -> Iterator[Message]:
    text = "\n".join(part for part in texts if part.strip()).strip()
    if text and not (who == USER and text.startswith(_NOTES)):
        yield Message(who=who, text=text, at=at)


def _call(at: int, name: object, given: object) -> Message:
    """Describe a tool call by its most telling argument."""
    subject = ""
    if isinstance(given, dict):
        subject = next((given[key] for key in _SUBJECTS if isinstance(given.get(key), str) and given[key]), "")
    elif isinstance(given, str):
        subject = given
    return Message(who=TOOL, text=subject, at=at, name=name if isinstance(name, str) else "tool")
