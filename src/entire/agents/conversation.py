"""Reads any agent's stored transcript as a conversation for people: who said what, which tools were called.

It knows the shapes that agents use (JSON lines or one document, ``type`` or ``role``, text or blocks of content) and
not the agents: one of a later version, or one that this installation lacks, can be read too. What it cannot place it
leaves out. No hook uses this.
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


class Said(Value):
    """One thing in a conversation. ``at`` is the number of records before it; ``name`` is a tool's."""

    who: str  # USER, AGENT or TOOL
    text: str
    at: int
    name: str = ""


def read(data: bytes, start: int = 0) -> list[Said]:
    """Return the conversation in a transcript from record ``start`` on."""
    said: list[Said] = []
    for at, record in records(data):
        if at >= start and isinstance(record, dict):
            said += _read_record(at, record)
    return said


def prompts(data: bytes, start: int = 0) -> list[str]:
    """Return what people said, from record ``start`` on."""
    return [one.text for one in read(data, start) if one.who == USER]


def records(data: bytes) -> Iterator[tuple[int, object]]:
    """Yield each record with its number: the lines of a JSONL file, the messages of a document."""
    document = _loads(data) if data.lstrip()[:1] == b"{" else None  # lines are refused after the first
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


def _read_record(at: int, record: dict[str, Any]) -> list[Said]:
    """Return what one record says; notes of the agent's program to itself (meta, reminders) say nothing."""
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
    said = list(_contents(at, who, content))
    calls = inner.get("toolCalls")
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict):
            said.append(_call(at, call.get("name"), call.get("args")))
    return said


def _contents(at: int, who: str, content: object) -> Iterator[Said]:
    """Yield texts and tool calls of a message's content; tool results and thoughts are left out."""
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


def _text(at: int, who: str, texts: list[str]) -> Iterator[Said]:
    text = "\n".join(one for one in texts if one.strip()).strip()
    if text and not (who == USER and text.startswith(_NOTES)):
        yield Said(who=who, text=text, at=at)


def _call(at: int, name: object, given: object) -> Said:
    """Describe a tool call by the one thing that says most."""
    subject = ""
    if isinstance(given, dict):
        subject = next((given[key] for key in _SUBJECTS if isinstance(given.get(key), str) and given[key]), "")
    elif isinstance(given, str):
        subject = given
    return Said(who=TOOL, text=subject, at=at, name=name if isinstance(name, str) else "tool")
