"""Writes transcripts that compress like real ones: prose and code of many words, ids, signatures."""

from __future__ import annotations

import base64
import json
import random
import uuid
from collections.abc import Iterator
from typing import Any

_SYLLABLES = [a + b for a in "bcdfghklmnprstvw" for b in ("a", "e", "i", "o", "u", "ar", "en", "it", "ol", "un")]


class Writer:
    """Writes the records of a session; the same seed gives the same records."""

    def __init__(self, session_id: str, cwd: str, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._words = ["".join(self._random.choices(_SYLLABLES, k=self._random.randint(1, 4))) for _ in range(5000)]
        self._common = {
            "isSidechain": False,
            "userType": "external",
            "cwd": cwd,
            "sessionId": session_id,
            "version": "2.1.197",
        }
        self._parent: str | None = None
        self._answers = 0

    def words(self, count: int) -> str:
        """Return prose in which, as in real text, some words are far more frequent than others."""
        return " ".join(self._words[int(len(self._words) * self._random.random() ** 3)] for _ in range(count))

    def record(self, kind: str, **value: object) -> bytes:
        own = str(uuid.UUID(int=self._random.getrandbits(128), version=4))
        stamp = "2026-02-01T10:00:00.000Z"
        line = {"parentUuid": self._parent, **self._common, "uuid": own, "timestamp": stamp, "type": kind, **value}
        self._parent = own
        return json.dumps(line).encode() + b"\n"

    def prompt(self, text: str, prompt_id: str) -> bytes:
        """Return the record of a prompt."""
        return self.record("user", promptId=prompt_id, promptSource="sdk", message={"role": "user", "content": text})

    def answer(self, *blocks: dict[str, Any]) -> bytes:
        """Return the record of an answer."""
        self._answers += 1
        usage = {
            "input_tokens": self._answers,
            "output_tokens": 10,
            "cache_creation_input_tokens": 7,
            "cache_read_input_tokens": 11,
        }
        message = {
            "id": f"msg_{self._random.getrandbits(96):024x}",
            "type": "message",
            "role": "assistant",
            "model": "claude-x",
            "content": list(blocks),
            "usage": usage,
        }
        return self.record("assistant", requestId="req_1", message=message)

    def tool(self, name: str, given: dict[str, Any], result: dict[str, Any], output: str = "ok") -> bytes:
        """Return the records of a tool call and its result."""
        tool_id = f"toolu_{self._random.getrandbits(96):024x}"
        call = self.answer({"type": "tool_use", "id": tool_id, "name": name, "input": given})
        content = [{"tool_use_id": tool_id, "type": "tool_result", "content": output}]
        return call + self.record("user", message={"role": "user", "content": content}, toolUseResult=result)

    def work(self, size: int) -> Iterator[bytes]:
        """Yield about ``size`` bytes of thinking, reading and explaining."""
        done = 0
        while done < size:
            number = self._random.randint(1, 400)
            thought = {"type": "thinking", "thinking": self.words(60), "signature": self._signature()}
            file = "\n".join(f"{n}\t    {self.words(self._random.randint(2, 9))}" for n in range(60))
            path = f"{self._common['cwd']}/d{number % 10}/f{number}.txt"
            result = {"type": "text", "file": {"filePath": path, "content": file, "numLines": 60}}
            block = self.answer(thought) + self.tool("Read", {"file_path": path}, result, file)
            block += self.answer({"type": "text", "text": self.words(80)})
            done += len(block)
            yield block

    def _signature(self) -> str:
        return base64.b64encode(self._random.randbytes(300)).decode()
