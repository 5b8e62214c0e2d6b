"""Writes chats as Gemini CLI writes them."""

from __future__ import annotations

import json
import time
import uuid
from pathlib import Path
from typing import Any

CONTEXT = [{"text": "<session_context>\nThis is the Gemini CLI.\n</session_context>"}]


def stamp(moment: float | None = None) -> str:
    now = time.time() if moment is None else moment
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03}Z"


class Chat:
    """A chat file, written as the agent writes it."""

    def __init__(self, path: Path, session_id: str, kind: str = "main") -> None:
        self.path = path
        self.id = session_id
        self.kind = kind
        self.answers = 0

    def append(self, **record: object) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(record, separators=(",", ":")) + "\n")

    def message(self, kind: str, content: object, **more: object) -> dict[str, Any]:
        record = {"id": str(uuid.uuid4()), "timestamp": stamp(), "type": kind, "content": content, **more}
        self.append(**record)
        self.append(**{"$set": {"lastUpdated": stamp()}})
        return record

    def begin(self) -> None:
        now = stamp()
        self.append(sessionId=self.id, projectHash="0" * 64, startTime=now, lastUpdated=now, kind=self.kind)
        if self.kind == "main":
            first = {"id": "d04923d38bb0f6017037e74183378ef4", "timestamp": now, "type": "user", "content": CONTEXT}
            self.append(**{"$set": {"messages": [first], "lastUpdated": now}})

    def answer(self, text: str = "") -> dict[str, Any]:
        """Write an answer; answer n of a chat costs 2^n input tokens, so that sums tell which were counted."""
        used = 2**self.answers
        self.answers += 1
        tokens = {"input": used, "output": 10, "cached": 0, "thoughts": 3, "tool": 0, "total": used + 13}
        return self.message("gemini", text, thoughts=[], tokens=tokens, model="gemini-2.5-pro")

    def call(
        self, name: str, args: dict[str, Any], output: str = "", answer: dict[str, Any] | None = None, **more: object
    ) -> None:
        """Write an answer, if it is not there yet, and again with its call when that is done; then the result."""
        answer = answer or self.answer()
        number = f"{name}__{name}_{int(time.time() * 1000)}_{self.answers}"
        result = [{"functionResponse": {"id": number, "name": name, "response": {"output": output}}}]
        call = {"id": number, "name": name, "args": args, "result": result, "status": "success", "timestamp": stamp()}
        self.append(**answer, toolCalls=[{**call, **more}])
        self.message("user", result)
