"""Writes sessions as OpenCode writes them, in the form of version 1.18.33."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.agents.opencode.store import Store

_NUMBERS = itertools.count(1)
_last = 0


def now() -> int:
    """Return the time in milliseconds, later than at the call before."""
    global _last
    _last = max(int(time.time() * 1000), _last + 1)
    return _last


def new_id(kind: str) -> str:
    return f"{kind}_{now():x}{next(_NUMBERS):06}"


class Session:
    """A session in a database. Each message is written as a whole, unless it is left open."""

    def __init__(self, store: Store, session_id: str, directory: str, parent: str = "") -> None:
        self.store, self.id, self.directory, self.parent = store, session_id, directory, parent
        self.agent = "general" if parent else "build"

    def begin(self) -> None:
        created = now()
        info = {"id": self.id, "parentID": self.parent or None, "slug": "calm-wizard", "title": "Scripted title",
                "version": "1.18.33", "time": {"created": created, "updated": created}}  # fmt: skip
        self.store.put_session(info, self.directory)

    def touch(self) -> None:
        self.store.change("UPDATE session SET time_updated = ? WHERE id = ?", now(), self.id)

    def append(self, role: str, parts: Sequence[dict[str, Any]], **info: Any) -> str:
        message = new_id("msg")
        own = {"id": message, "sessionID": self.id, "role": role, "agent": self.agent, **info}
        own.setdefault("time", {"created": now()})
        whole = [{"id": new_id("prt"), "sessionID": self.id, "messageID": message, **part} for part in parts]
        self.store.put(self.id, {"info": own, "parts": whole})
        self.touch()
        return message

    def prompt(self, text: str) -> str:
        model = {"providerID": "local", "modelID": "scripted"}
        return self.append("user", [{"type": "text", "text": text}], model=model)

    def say(self, *parts: dict[str, Any], finish: str = "stop", **info: Any) -> str:
        created = now()
        tokens = {"total": 120, "input": 80, "output": 12, "reasoning": 3, "cache": {"read": 20, "write": 5}}
        told = {
            "modelID": "scripted", "providerID": "local", "path": {"cwd": self.directory, "root": self.directory},
            "tokens": tokens, "cost": 0.001, "time": {"created": created, "completed": now()}, "finish": finish, **info,
        }  # fmt: skip
        return self.append("assistant", [{"type": "step-start", "snapshot": "0" * 40}, *parts], **told)

    def answer(self, text: str) -> str:
        return self.say({"type": "text", "text": text, "time": {"start": now(), "end": now()}})

    def add_file(self, path: str) -> str:
        return self.say(self.tool("write", {"filePath": path, "content": Path(path).name}, "Wrote file successfully."),
                        finish="tool-calls")  # fmt: skip

    def tool(self, name: str, given: dict[str, Any], output: str = "", **state: Any) -> dict[str, Any]:
        own = {"status": "completed", "input": given, "output": output, "metadata": {}, "title": "",
               "time": {"start": now(), "end": now()}, **state}  # fmt: skip
        return {"type": "tool", "tool": name, "callID": new_id("call"), "state": own}

    def stop(self) -> None:
        """Write what is written when the user stops the agent while it answers."""
        error = {"name": "MessageAbortedError", "data": {"message": "Aborted"}}
        none = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
        self.say(error=error, tokens=none, finish="")

    def copy(self, other: str) -> Session:
        """Return a fork: its messages have other ids, and keep the times at which they were created."""
        fork = Session(self.store, other, self.directory)
        fork.begin()
        for message, data in self.store.rows(
            "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", self.id
        ):
            parts = self.store.rows("SELECT data FROM part WHERE message_id = ? ORDER BY id", message)
            fork.append(parts=[json.loads(part) for (part,) in parts], **json.loads(data))
        return fork
