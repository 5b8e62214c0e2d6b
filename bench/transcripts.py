"""Writes transcripts that compress like real ones: prose and code of many words, ids, signatures."""

from __future__ import annotations

import base64
import json
import random
import uuid
from collections.abc import Iterator
from typing import Any

_TIME = "2026-02-01T10:00:00.000Z"
_UPDATED = {"$set": {"lastUpdated": _TIME}}
_SYLLABLES = [a + b for a in "bcdfghklmnprstvw" for b in ("a", "e", "i", "o", "u", "ar", "en", "it", "ol", "un")]


class Writer:
    """Writes the records of a session; the same seed gives the same records. The form is the agent's."""

    def __init__(self, session_id: str, cwd: str, seed: int = 1) -> None:
        self.session_id = session_id
        self.cwd = cwd
        self.random = random.Random(seed)
        self._words = ["".join(self.random.choices(_SYLLABLES, k=self.random.randint(1, 4))) for _ in range(5000)]

    def words(self, count: int) -> str:
        """Return prose in which, as in real text, some words are far more frequent than others."""
        return " ".join(self._words[int(len(self._words) * self.random.random() ** 3)] for _ in range(count))

    def work(self, size: int) -> Iterator[bytes]:
        """Yield about ``size`` bytes of thinking, reading and explaining."""
        done = 0
        while done < size:
            number = self.random.randint(1, 400)
            thought = self.words(60)
            file = "\n".join(f"{n}\t    {self.words(self.random.randint(2, 9))}" for n in range(60))
            block = self.read(thought, f"{self.cwd}/d{number % 10}/f{number}.txt", file) + self.answer(self.words(80))
            done += len(block)
            yield block

    def begin(self) -> bytes:
        """Return what is in the transcript before the first prompt."""
        return b""

    def prompt(self, text: str, prompt_id: str) -> bytes:
        """Return the record of a prompt."""
        raise NotImplementedError

    def answer(self, text: str) -> bytes:
        """Return the record of an answer."""
        raise NotImplementedError

    def read(self, thought: str, path: str, text: str) -> bytes:
        """Return the records of a thought and of reading a file, with its result."""
        raise NotImplementedError

    def create(self, path: str, text: str) -> bytes:
        """Return the records of writing a new file."""
        raise NotImplementedError

    def edit(self, path: str, old: str, new: str) -> bytes:
        """Return the records of replacing ``old`` in a file."""
        raise NotImplementedError

    def shell(self, command: str, output: str) -> bytes:
        """Return the records of a shell command."""
        raise NotImplementedError


class ClaudeCode(Writer):
    """JSON lines, each with the id of the one before."""

    def __init__(self, session_id: str, cwd: str, seed: int = 1) -> None:
        super().__init__(session_id, cwd, seed)
        self._common = {
            "isSidechain": False,
            "userType": "external",
            "cwd": cwd,
            "sessionId": session_id,
            "version": "2.1.197",
        }
        self._parent: str | None = None
        self._answers = 0

    def start_again(self) -> None:
        """Let the next record follow no other."""
        self._parent = None

    def prompt(self, text: str, prompt_id: str) -> bytes:
        return self._record("user", promptId=prompt_id, promptSource="sdk", message={"role": "user", "content": text})

    def answer(self, text: str) -> bytes:
        return self._answer({"type": "text", "text": text})

    def read(self, thought: str, path: str, text: str) -> bytes:
        thinking = {"type": "thinking", "thinking": thought, "signature": self._signature()}
        result = {"type": "text", "file": {"filePath": path, "content": text, "numLines": text.count("\n") + 1}}
        return self._answer(thinking) + self._tool("Read", {"file_path": path}, result, text)

    def create(self, path: str, text: str) -> bytes:
        result = {"type": "create", "filePath": path, "content": text, "structuredPatch": []}
        return self._tool("Write", {"file_path": path, "content": text}, result)

    def edit(self, path: str, old: str, new: str) -> bytes:
        given = {"file_path": path, "old_string": old, "new_string": new}
        return self._tool("Edit", given, {"filePath": path, "oldString": old, "newString": new})

    def shell(self, command: str, output: str) -> bytes:
        return self._tool("Bash", {"command": command}, {"stdout": output, "stderr": ""}, output)

    def _record(self, kind: str, **value: object) -> bytes:
        own = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        line = {"parentUuid": self._parent, **self._common, "uuid": own, "timestamp": _TIME, "type": kind, **value}
        self._parent = own
        return json.dumps(line).encode() + b"\n"

    def _answer(self, *blocks: dict[str, Any]) -> bytes:
        self._answers += 1
        usage = {
            "input_tokens": self._answers,
            "output_tokens": 10,
            "cache_creation_input_tokens": 7,
            "cache_read_input_tokens": 11,
        }
        message = {
            "id": f"msg_{self.random.getrandbits(96):024x}",
            "type": "message",
            "role": "assistant",
            "model": "claude-x",
            "content": list(blocks),
            "usage": usage,
        }
        return self._record("assistant", requestId="req_1", message=message)

    def _tool(self, name: str, given: dict[str, Any], result: dict[str, Any], output: str = "ok") -> bytes:
        """Return the records of a tool call and its result."""
        tool_id = f"toolu_{self.random.getrandbits(96):024x}"
        call = self._answer({"type": "tool_use", "id": tool_id, "name": name, "input": given})
        content = [{"tool_use_id": tool_id, "type": "tool_result", "content": output}]
        return call + self._record("user", message={"role": "user", "content": content}, toolUseResult=result)

    def _signature(self) -> str:
        return base64.b64encode(self.random.randbytes(300)).decode()


class GeminiCli(Writer):
    """JSON lines; a message is written again with its tool calls when they are done."""

    def begin(self) -> bytes:
        first = self._message("user", [{"text": "<session_context>\nThis is the Gemini CLI.\n</session_context>"}])
        header = {"sessionId": self.session_id, "projectHash": "0" * 64, "startTime": _TIME, "lastUpdated": _TIME}
        return _lines({**header, "kind": "main"}, {"$set": {"messages": [first], "lastUpdated": _TIME}})

    def prompt(self, text: str, prompt_id: str) -> bytes:
        return _lines({**self._message("user", [{"text": text}]), "id": prompt_id}, _UPDATED)

    def answer(self, text: str) -> bytes:
        return _lines(self._answer(text), _UPDATED)

    def read(self, thought: str, path: str, text: str) -> bytes:
        return self._tool("read_file", {"file_path": path}, text, "", thought)

    def create(self, path: str, text: str) -> bytes:
        return self._change("write_file", {"file_path": path, "content": text}, "", text)

    def edit(self, path: str, old: str, new: str) -> bytes:
        given = {"file_path": path, "instruction": "change it", "old_string": old, "new_string": new}
        return self._change("replace", given, old, new)

    def shell(self, command: str, output: str) -> bytes:
        return self._tool("run_shell_command", {"command": command}, output, output)

    def _change(self, name: str, given: dict[str, str], old: str, new: str) -> bytes:
        shown = {"filePath": given["file_path"], "originalContent": old, "newContent": new}
        return self._tool(name, given, f"Successfully changed {given['file_path']}", shown)

    def _tool(self, name: str, given: dict[str, str], output: str, shown: object, thought: str = "") -> bytes:
        """Return the records of an answer, of the same with its tool call, and of the call's result."""
        call_id = f"{name}_{self.random.getrandbits(64)}_0"
        result = [{"functionResponse": {"id": call_id, "name": name, "response": {"output": output}}}]
        call = {"id": call_id, "name": name, "args": given, "result": result, "status": "success", "timestamp": _TIME}
        answer = self._answer("", thought)
        done = {**answer, "toolCalls": [{**call, "resultDisplay": shown}]}
        return _lines(answer, _UPDATED, done, self._message("user", result), _UPDATED)

    def _answer(self, text: str, thought: str = "") -> dict[str, Any]:
        thoughts = [{"subject": "Next", "description": thought, "timestamp": _TIME}] if thought else []
        tokens = {"input": 100, "output": 10, "cached": 7, "thoughts": 3, "tool": 0, "total": 113}
        return {**self._message("gemini", text), "thoughts": thoughts, "tokens": tokens, "model": "gemini-2.5-pro"}

    def _message(self, kind: str, content: object) -> dict[str, Any]:
        own = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        return {"id": own, "timestamp": _TIME, "type": kind, "content": content}


class Parrot(Writer):
    """JSON lines of few members, as the templates for plugins read them."""

    def prompt(self, text: str, prompt_id: str) -> bytes:  # noqa: ARG002
        return _lines({"type": "prompt", "text": text, "time": _TIME})

    def answer(self, text: str) -> bytes:
        spent = {"model": "parrot-1", "input_tokens": 100, "output_tokens": 10}
        return _lines({"type": "answer", "text": text, **spent, "time": _TIME})

    def read(self, thought: str, path: str, text: str) -> bytes:
        return _lines({"type": "read", "path": path, "text": text, "thought": thought, "time": _TIME})

    def create(self, path: str, text: str) -> bytes:
        return _lines({"type": "change", "path": path, "text": text, "time": _TIME})

    def edit(self, path: str, old: str, new: str) -> bytes:
        return _lines({"type": "change", "path": path, "old": old, "text": new, "time": _TIME})

    def shell(self, command: str, output: str) -> bytes:
        return _lines({"type": "shell", "command": command, "text": output, "time": _TIME})


def _lines(*records: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)
