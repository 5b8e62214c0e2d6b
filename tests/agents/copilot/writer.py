"""Writes sessions as Copilot CLI writes them, in the form of version 1.0.102."""

from __future__ import annotations

import json
import time
import uuid
from pathlib import Path


def stamp(moment: float | None = None) -> str:
    now = time.time() if moment is None else moment
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03}Z"


class Events:
    """The events of a session, written as the agent writes them; ``agent``: of one of its subagents."""

    def __init__(self, path: Path, session_id: str, cwd: str, agent: str = "") -> None:
        self.path, self.id, self.cwd, self.agent = path, session_id, cwd, agent

    def append(self, kind: str, **data: object) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        own = {"agentId": self.agent} if self.agent else {}
        record = {"type": kind, "data": data, **own, "id": str(uuid.uuid4()), "timestamp": stamp(), "parentId": None}
        with self.path.open("a") as file:
            file.write(json.dumps(record, separators=(",", ":")) + "\n")

    def begin(self) -> None:
        context = {"cwd": self.cwd, "gitRoot": self.cwd}
        self.append("session.start", sessionId=self.id, version=1, copilotVersion="1.0.102", context=context)

    def prompt(self, text: str, source: str = "") -> None:
        more = {"source": source} if source else {}
        self.append("user.message", content=text, messageId=str(uuid.uuid4()), interactionId=str(uuid.uuid4()), **more)

    def say(self, text: str, *requests: dict[str, object]) -> None:
        call = f"resp_{uuid.uuid4().hex}"
        self.append("assistant.turn_start", turnId="0")
        self.append("session.usage_record", usage={
            "model": "claude-sonnet-4.5", "inputTokens": 100, "outputTokens": 10, "cacheReadTokens": 30,
            "cacheWriteTokens": 5, "reasoningTokens": 4, "apiCallId": call})  # fmt: skip
        self.append("assistant.message", messageId=str(uuid.uuid4()), model="claude-sonnet-4.5", content=text,
                    toolRequests=list(requests), apiCallId=call)  # fmt: skip

    def call(self, name: str, **arguments: object) -> str:
        """Write a call of the model's that asks for a tool; return the tool call's id."""
        own_id = f"call_{uuid.uuid4().hex[:12]}"
        self.say("", {"toolCallId": own_id, "name": name, "arguments": arguments, "type": "function"})
        self.append("tool.execution_start", toolCallId=own_id, toolName=name, arguments=arguments)
        return own_id

    def result(self, call: str, output: str = "ok", **more: object) -> None:
        self.append("tool.execution_complete", toolCallId=call, success=True, result={"content": output}, **more)

    def add_file(self, path: str) -> None:
        call = self.call("create", path=path, file_text="x\n")
        self.result(call, f"Created file {path}", fileEdits=[{"path": path, "kind": "create"}])

    def hook(self, kind: str) -> None:
        self.append("hook.start", hookInvocationId=str(uuid.uuid4()), hookType=kind, input={"sessionId": self.id})

    def hook_end(self, kind: str) -> None:
        self.append("hook.end", hookInvocationId=str(uuid.uuid4()), hookType=kind, success=True)
