"""Anthropic's Messages API, as Claude Code speaks it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from script import Answer, Message, Part, Request, Text, Thought, ToolCall, Usage

_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_NOTIFICATION = re.compile(r"<task-notification>.*</task-notification>", re.DOTALL)
_SESSION = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Anthropic:
    """`POST /v1/messages`, streamed and not (https://docs.anthropic.com/en/api/messages)."""

    def serves(self, method: str, path: str) -> bool:
        """Tell whether this is the Messages endpoint."""
        return method == "POST" and path.split("?")[0] == "/v1/messages"

    def aside(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Answer token counting (a rough figure; agents only compare it with their limits)."""
        if method == "POST" and path.split("?")[0] == "/v1/messages/count_tokens":
            return {"input_tokens": len(json.dumps(body.get("messages", []))) // 4}
        return None

    def parse(self, path: str, body: dict[str, Any]) -> Request:
        """Read a Messages request."""
        sid = _SESSION.findall(str((body.get("metadata") or {}).get("user_id", "")))
        return Request(
            conversation=tuple(_message(m) for m in body.get("messages", [])),
            tools=tuple(str(t.get("name", "")) for t in body.get("tools") or []),
            stream=bool(body.get("stream")),
            model=str(body.get("model", "")),
            session=sid[-1] if sid else "",
            system=" ".join(_texts(body.get("system") or "")),
            wants_json="format" in (body.get("output_config") or {}) or "output_format" in body,
        )

    def problem(self, body: dict[str, Any]) -> str:
        """Refuse a thinking block that is not as it was signed."""
        for number, message in enumerate(body.get("messages", [])):
            blocks = message.get("content", "")
            for at, block in enumerate(blocks if isinstance(blocks, list) else []):
                if block.get("type") == "thinking" and block.get("signature") != signature(str(block.get("thinking"))):
                    return f"messages.{number}.content.{at}: Invalid `signature` in `thinking` block"
        return ""

    def render(self, request: Request, answer: Answer, mark: str) -> Iterator[bytes]:
        """Write the answer as one JSON document or as server-sent events."""
        blocks = [_block(part, mark, index) for index, part in enumerate(answer.parts)]
        reason = "tool_use" if any(b["type"] == "tool_use" for b in blocks) else "end_turn"
        whole = {
            "id": f"msg_{mark}",
            "type": "message",
            "role": "assistant",
            "model": request.model,
            "content": blocks,
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": _usage(answer.usage, answer.usage.output),
        }
        if not request.stream:
            yield json.dumps(whole).encode()
            return
        # The first event knows the input but not yet the output, as the real service.
        begun = {
            **whole,
            "content": [],
            "stop_reason": None,
            "usage": _usage(answer.usage, min(1, answer.usage.output)),
        }
        yield _event("message_start", message=begun)
        for index, block in enumerate(blocks):
            yield b"".join(_block_events(index, block))
        ended = _event(
            "message_delta",
            delta={"stop_reason": reason, "stop_sequence": None},
            usage=_usage(answer.usage, answer.usage.output),
        )
        yield ended + _event("message_stop")

    def refuse(self, status: int, kind: str, message: str) -> dict[str, Any]:
        """Write an error document."""
        return {"type": "error", "error": {"type": kind, "message": message}}


def signature(thought: str) -> str:
    """Return the signature of a thought; it begins as a token of a cloud provider does, as those of new models do."""
    return (
        "CAIS"
        + base64.b64encode(b"".join(hashlib.sha512(f"{n}{thought}".encode()).digest() for n in range(6))).decode()
    )


def _message(raw: dict[str, Any]) -> Message:
    """Read one element of `messages`; one with the role `system` is the agent's own addition and carries no prompt."""
    content = raw.get("content", "")
    blocks = [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []
    role = str(raw.get("role", ""))
    words = (_REMINDER.sub(_told, t).strip() for t in _texts(content))
    return Message(
        role=role,
        texts=tuple(w for w in words if w) if role in ("user", "assistant") else (),
        calls=tuple(
            ToolCall(name=b.get("name", ""), input=b.get("input", {})) for b in blocks if b.get("type") == "tool_use"
        ),
        results=tuple(
            (str(b.get("tool_use_id", "")), "\n".join(_texts(b.get("content", ""))))
            for b in blocks
            if b.get("type") == "tool_result"
        ),
    )


def _told(reminder: re.Match[str]) -> str:
    """Return what a reminder tells as a prompt would: that a task has ended, as newer versions wrap it."""
    found = _NOTIFICATION.search(reminder.group())
    return found.group() if found else ""


def _texts(content: object) -> list[str]:
    """Return the texts of a string or of a list of blocks."""
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    return [str(b.get("text", "")) for b in content if isinstance(b, dict) and b.get("type") == "text"]


def _block(part: Part, mark: str, index: int) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, Thought):
        return {"type": "thinking", "thinking": part.text, "signature": signature(part.text)}
    return {"type": "tool_use", "id": f"toolu_{mark}{index:02d}", "name": part.name, "input": part.input}


def _block_events(index: int, block: dict[str, Any]) -> Iterator[bytes]:
    """Write the start, the deltas and the stop of one content block."""
    if block["type"] in ("text", "thinking"):
        kind = str(block["type"])
        empty, form, whole = {**block, kind: ""}, (f"{kind}_delta", kind), str(block[kind])
    else:
        empty, form, whole = {**block, "input": {}}, ("input_json_delta", "partial_json"), json.dumps(block["input"])
    yield _event("content_block_start", index=index, content_block=empty)
    half = len(whole) // 2
    for piece in (whole[:half], whole[half:]):
        yield _event("content_block_delta", index=index, delta={"type": form[0], form[1]: piece})
    if "signature" in block:
        signed = {"type": "signature_delta", "signature": block["signature"]}
        yield _event("content_block_delta", index=index, delta=signed)
    yield _event("content_block_stop", index=index)


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def _usage(usage: Usage, output: int) -> dict[str, int]:
    return {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_creation,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": output,
    }
