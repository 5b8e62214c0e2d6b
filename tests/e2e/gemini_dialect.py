"""Google's Generative Language API, as Gemini CLI speaks it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from script import Answer, Message, Part, Request, Thought, ToolCall, Usage

_ENDPOINT = re.compile(r"/v1(?:beta)?/models/([^/:]+):(streamGenerateContent|generateContent|countTokens)")
_CONTEXT = re.compile(r"<(session_context|hook_context)>.*?</\1>", re.DOTALL)


class Gemini:
    """`POST /v1beta/models/MODEL:generateContent`, streamed and not (https://ai.google.dev/api/generate-content)."""

    def serves(self, method: str, path: str) -> bool:
        """Tell whether this asks a model for content."""
        found = _ENDPOINT.fullmatch(path.split("?")[0])
        return method == "POST" and found is not None and found[2] != "countTokens"

    def aside(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Answer token counting (a rough figure; agents only compare it with their limits)."""
        found = _ENDPOINT.fullmatch(path.split("?")[0])
        if method == "POST" and found is not None and found[2] == "countTokens":
            return {"totalTokens": len(json.dumps(body.get("contents", []))) // 4}
        return None

    def parse(self, path: str, body: dict[str, Any]) -> Request:
        """Read a request for content."""
        found = _ENDPOINT.match(path)
        declared = [d for group in body.get("tools") or [] for d in group.get("functionDeclarations") or []]
        return Request(
            conversation=tuple(_message(content) for content in body.get("contents", [])),
            tools=tuple(str(d.get("name", "")) for d in declared),
            stream=found is not None and found[2] == "streamGenerateContent",
            model=found[1] if found else "",
            system=" ".join(_texts(body.get("systemInstruction") or {})),
            wants_json=(body.get("generationConfig") or {}).get("responseMimeType") == "application/json",
        )

    def problem(self, body: dict[str, Any]) -> str:
        """Refuse nothing."""
        return ""

    def render(self, request: Request, answer: Answer, mark: str) -> Iterator[bytes]:
        """Write the answer as one JSON document or as server-sent events, with the usage in the last one."""
        parts = [piece for part in answer.parts for piece in _parts(part, whole=not request.stream)]
        if not request.stream:
            yield json.dumps(_document(request, mark, parts, answer.usage)).encode()
            return
        for index, part in enumerate(parts):
            usage = answer.usage if index == len(parts) - 1 else None
            yield f"data: {json.dumps(_document(request, mark, [part], usage))}\r\n\r\n".encode()

    def refuse(self, status: int, kind: str, message: str) -> dict[str, Any]:
        """Write an error document."""
        return {"error": {"code": status, "message": message, "status": kind.upper()}}


def _message(content: dict[str, Any]) -> Message:
    """Read one element of `contents`; what the agent itself says of its surroundings carries no prompt."""
    parts = [p for p in content.get("parts") or [] if isinstance(p, dict)]
    calls = [p["functionCall"] for p in parts if "functionCall" in p]
    results = [p["functionResponse"] for p in parts if "functionResponse" in p]
    words = (_CONTEXT.sub("", t).strip() for t in _texts(content))
    return Message(
        role="assistant" if content.get("role") == "model" else "user",
        texts=tuple(w for w in words if w),
        calls=tuple(ToolCall(name=c.get("name", ""), input=c.get("args") or {}) for c in calls),
        results=tuple((str(r.get("id", "")), json.dumps(r.get("response"))) for r in results),
    )


def _texts(content: dict[str, Any]) -> list[str]:
    """Return the texts of a content, without the model's thoughts."""
    parts = [p for p in content.get("parts") or [] if isinstance(p, dict)]
    return [str(p["text"]) for p in parts if "text" in p and not p.get("thought")]


def _parts(part: Part, *, whole: bool) -> list[dict[str, Any]]:
    """Return the parts of a document; a streamed text comes in two."""
    if isinstance(part, Thought):
        return [{"text": part.text, "thought": True}]
    if isinstance(part, ToolCall):
        return [{"functionCall": {"name": part.name, "args": part.input}}]
    half = 0 if whole else len(part.text) // 2
    return [{"text": piece} for piece in (part.text[:half], part.text[half:]) if piece]


def _document(request: Request, mark: str, parts: list[dict[str, Any]], usage: Usage | None) -> dict[str, Any]:
    """Return one document of an answer; only the last of a stream has its `usage`, and the reason of its end."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    found: dict[str, Any] = {"candidates": [candidate], "modelVersion": request.model, "responseId": mark}
    if usage is not None:
        candidate["finishReason"] = "STOP"
        found["usageMetadata"] = _usage(usage)
    return found


def _usage(usage: Usage) -> dict[str, int]:
    """Return the counters: the prompt's includes what came from the cache, and nothing tells what went into it."""
    prompt = usage.input + usage.cache_read
    return {
        "promptTokenCount": prompt,
        "cachedContentTokenCount": usage.cache_read,
        "candidatesTokenCount": usage.output,
        "totalTokenCount": prompt + usage.output,
    }
