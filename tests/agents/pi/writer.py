"""Writes sessions as Pi writes them, in the form of version 0.73.1."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path


def stamp(moment: float | None = None) -> str:
    now = time.time() if moment is None else moment
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03}Z"


class Entries:
    """The entries of a session, written as the agent writes them. ``leaf``: that after which the next one comes."""

    def __init__(self, path: Path, session_id: str, cwd: str) -> None:
        self.path, self.id, self.cwd = path, session_id, cwd
        known = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        self.leaf = known[-1].get("id") if len(known) > 1 else None

    def begin(self, parent: str = "") -> None:
        more = {"parentSession": parent} if parent else {}
        self._write({"type": "session", "version": 3, "id": self.id, "timestamp": stamp(), "cwd": self.cwd, **more})

    def append(self, kind: str, **fields: object) -> str:
        own_id = os.urandom(4).hex()
        self._write({"type": kind, "id": own_id, "parentId": self.leaf, "timestamp": stamp(), **fields})
        self.leaf = own_id
        return own_id

    def message(self, role: str, **fields: object) -> str:
        return self.append("message", message={"role": role, **fields, "timestamp": int(time.time() * 1000)})

    def prompt(self, text: str) -> str:
        return self.message("user", content=[{"type": "text", "text": text}])

    def answer(self, *content: dict[str, object], reason: str = "stop", usage: int = 10, **more: object) -> str:
        told = {"input": 10 * usage, "output": usage, "cacheRead": 3 * usage, "cacheWrite": 2 * usage}
        return self.message("assistant", content=list(content), api="anthropic-messages", provider="local",
                            model="scripted", usage=told, stopReason=reason, **more)  # fmt: skip

    def say(self, text: str) -> str:
        return self.answer({"type": "text", "text": text})

    def call(self, name: str, own_id: str = "", **arguments: object) -> str:
        """Write an answer that asks for a tool; return the call's id."""
        own_id = own_id or f"toolu_{os.urandom(6).hex()}"
        self.answer({"type": "toolCall", "id": own_id, "name": name, "arguments": arguments}, reason="toolUse")
        return own_id

    def result(self, call: str, name: str, text: str = "ok", *, failed: bool = False, **more: object) -> str:
        content = [{"type": "text", "text": text}]
        return self.message("toolResult", toolCallId=call, toolName=name, content=content, isError=failed, **more)

    def add_file(self, path: str) -> None:
        self.result(self.call("write", path=path, content="x\n"), "write")

    def abort(self) -> None:
        self.answer(reason="aborted", usage=0, errorMessage="Operation aborted")

    def _write(self, record: dict[str, object]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
