"""OpenAI's Responses API, as Codex CLI speaks it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from script import Answer, Message, Part, Request, Text, Thought, ToolCall, Usage

FREEFORM = ("apply_patch", "exec")
"""Tools whose argument is a text (here: `input`), not JSON."""

_ADDED = re.compile(
    r"<(current_datetime|environment_context|turn_aborted|subagent_notification|hook_prompt|user_instructions)\b[^>]*>.*?</\1>",
    re.DOTALL,
)
_TITLE = "Generate a concise, single-line task title"
_ROLES = {"message": "", "reasoning": "assistant", "function_call": "assistant", "custom_tool_call": "assistant"}


class Responses:
    """`POST /v1/responses`, streamed and not (https://platform.openai.com/docs/api-reference/responses)."""

    def serves(self, method: str, path: str) -> bool:
        """Tell whether this asks for a response."""
        return method == "POST" and path.split("?")[0] == "/v1/responses"

    def aside(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Answer nothing else."""
        return None

    def parse(self, path: str, body: dict[str, Any]) -> Request:
        """Read a request for a response; a conversation is told apart by the key that its cache has."""
        asked = body.get("input") or []
        items = [{"role": "user", "content": asked}] if isinstance(asked, str) else asked
        conversation = tuple(_conversation(items))
        aside = any(words.startswith(_TITLE) for message in conversation[-1:] for words in message.texts)
        added = [tool for item in items if item.get("type") == "additional_tools" for tool in item.get("tools") or []]
        tools = [] if aside else [*(body.get("tools") or []), *added]
        return Request(
            conversation=conversation,
            tools=tuple(str(t.get("name") or t.get("type") or "") for t in tools),
            stream=bool(body.get("stream")),
            model=str(body.get("model", "")),
            session=str(body.get("prompt_cache_key") or ""),
            system=str(body.get("instructions") or ""),
            wants_json="format" in (body.get("text") or {}),
        )

    def problem(self, body: dict[str, Any]) -> str:
        """Refuse nothing."""
        return ""

    def render(self, request: Request, answer: Answer, mark: str) -> Iterator[bytes]:
        """Write the answer as one JSON document or as server-sent events, with the usage at their end."""
        items = [_item(part, mark, index) for index, part in enumerate(answer.parts)]
        begun = {"id": f"resp_{mark}", "object": "response", "model": request.model, "output": []}
        whole = {**begun, "status": "completed", "output": items, "usage": _usage(answer.usage)}
        if not request.stream:
            yield json.dumps(whole).encode()
            return
        yield _event("response.created", response={**begun, "status": "in_progress"})
        for index, item in enumerate(items):
            yield b"".join(_item_events(index, item))
        yield _event("response.completed", response=whole)

    def refuse(self, status: int, kind: str, message: str) -> dict[str, Any]:
        """Write an error document."""
        return {"error": {"message": message, "type": kind, "code": kind, "param": None}}


def _conversation(items: list[dict[str, Any]]) -> Iterator[Message]:
    """Join what the model said and called in one response, whose items follow each other, to one message."""
    answer: list[Message] = []
    for item in items:
        message = _message(item)
        if message.role == "assistant":
            answer.append(message)
            continue
        yield from _joined(answer)
        answer = []
        yield message
    yield from _joined(answer)


def _joined(answer: list[Message]) -> Iterator[Message]:
    if answer:
        texts = tuple(words for message in answer for words in message.texts)
        calls = tuple(call for message in answer for call in message.calls)
        yield Message(role="assistant", texts=texts, calls=calls)


def _message(item: dict[str, Any]) -> Message:
    """Read one element of `input`; what the agent itself adds to the conversation carries no prompt."""
    kind = str(item.get("type") or "message")
    role = _ROLES.get(kind, "tool") or str(item.get("role", ""))
    if kind == "function_call":
        name = ".".join(filter(None, (item.get("namespace"), str(item.get("name", "")))))
        return Message(role=role, calls=(ToolCall(name=name, input=json.loads(item.get("arguments") or "{}")),))
    if kind == "custom_tool_call":
        return Message(role=role, calls=(ToolCall(name=str(item.get("name", "")), input={"input": item["input"]}),))
    if kind in ("function_call_output", "custom_tool_call_output"):
        words = "\n".join(_texts(item.get("output")))
        return Message(role=role, results=((str(item.get("call_id", "")), words),))
    if kind == "agent_message":
        return Message(role="user", texts=tuple(_task(item.get("content"))))
    texts = (_ADDED.sub("", t).strip() for t in _texts(item.get("content")))
    return Message(role=role, texts=tuple(t for t in texts if t) if role in ("user", "assistant") else ())


def _task(content: object) -> Iterator[str]:
    """Yield what one agent hands to another, behind a line that says so; what it reports is no prompt."""
    if any("Message Type: NEW_TASK" in words for words in _texts(content)):
        parts = content if isinstance(content, list) else []
        yield from (str(part["encrypted_content"]) for part in parts if "encrypted_content" in part)


def _texts(content: object) -> list[str]:
    """Return the texts of a string or of a list of parts."""
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [str(p["text"]) for p in parts if isinstance(p, dict) and "text" in p]


def _item(part: Part, mark: str, index: int) -> dict[str, Any]:
    if isinstance(part, Text):
        words = {"type": "output_text", "text": part.text, "annotations": []}
        said = {"type": "message", "role": "assistant", "status": "completed", "content": [words]}
        return {"id": f"msg_{mark}{index:02d}", **said}
    if isinstance(part, Thought):
        return {
            "id": f"rs_{mark}{index:02d}",
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": part.text}],
            "encrypted_content": "c2VjcmV0",
        }
    call = {"call_id": f"call_{mark}{index:02d}", "status": "completed"}
    if part.name in FREEFORM:
        return {"type": "custom_tool_call", "id": f"ctc_{mark}{index:02d}", **call, "name": part.name, **part.input}
    space, _, name = part.name.rpartition(".")
    named = {"name": name, "arguments": json.dumps(part.input), **({"namespace": space} if space else {})}
    return {"type": "function_call", "id": f"fc_{mark}{index:02d}", **call, **named}


def _item_events(index: int, item: dict[str, Any]) -> Iterator[bytes]:
    """Write the start, the deltas of a text, and the end of one item."""
    empty = {**item, "status": "in_progress"}
    if item["type"] == "message":
        yield _event("response.output_item.added", output_index=index, item={**empty, "content": []})
        whole = item["content"][0]["text"]
        half = len(whole) // 2
        for piece in (whole[:half], whole[half:]):
            place = {"item_id": item["id"], "output_index": index, "content_index": 0}
            yield _event("response.output_text.delta", **place, delta=piece)
    else:
        yield _event("response.output_item.added", output_index=index, item=empty)
    yield _event("response.output_item.done", output_index=index, item=item)


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def _usage(usage: Usage) -> dict[str, Any]:
    """Return the counters: the input includes what came from the cache and went into it, the output the thoughts."""
    given = usage.input + usage.cache_read + usage.cache_creation
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_creation},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": given + usage.output,
    }
