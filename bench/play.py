"""Plays a session of Claude Code: each hook is a real process with its payload on standard input."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from bench.processes import Spent
from bench.transcripts import Writer
from bench.worlds import World


class Session:
    """A session in a world."""

    def __init__(self, world: World, *, history: int = 0) -> None:
        """``history``: bytes in the transcript before the first turn."""
        self.world = world
        self.id = str(uuid.uuid4())
        self.file = world.folder / "projects" / f"{self.id}.jsonl"
        self.file.parent.mkdir(exist_ok=True)
        self._writer = Writer(self.id, str(world.root), seed=len(list(self.file.parent.iterdir())) + 1)
        self._prompt_id = ""
        self._turns = 0
        self.hook("session-start", source="startup")
        with self.file.open("ab", buffering=1 << 20) as file:
            part = list(self._writer.work(min(history, 2_000_000)))  # repeated, as writing it all takes a minute
            while file.tell() < history:
                file.writelines(part)

    def hook(self, verb: str, *, env: Mapping[str, str] | None = None, peak: bool = False, **extra: object) -> Spent:
        """Run a hook and wait for it."""
        payload = {
            "session_id": self.id,
            "transcript_path": str(self.file),
            "cwd": str(self.world.root),
            "hook_event_name": verb,
            **extra,
        }
        if self._prompt_id:
            payload.setdefault("prompt_id", self._prompt_id)
        argv = [self.world.programs.entire, "hooks", "claude-code", verb]
        return self.world.programs.run(
            argv, cwd=self.world.root, stdin=json.dumps(payload).encode(), env=env, peak=peak
        )

    def prompt(self, *, env: Mapping[str, str] | None = None, peak: bool = False) -> Spent:
        """Start a turn: a person's prompt."""
        self._turns += 1
        self._prompt_id = str(uuid.uuid4())
        text = f"Prompt {self._turns}: {self._writer.words(12)}"
        spent = self.hook("user-prompt-submit", prompt=text, env=env, peak=peak)
        self._append(self._writer.prompt(text, self._prompt_id))
        return spent

    def work(self, size: int) -> None:
        """Let the agent read and explain (``size`` bytes of transcript), write a new file and edit an old one."""
        new, old = f"work/new{self._turns}.py", "d0/f0.txt"
        text = "".join(f"{self._writer.words(6)}\n" for _ in range(20))
        with self.file.open("ab") as file:
            file.writelines(self._writer.work(max(0, size - 4000)))
        self.world.write(new, text)
        path = str(self.world.root / new)
        created: dict[str, Any] = {"type": "create", "filePath": path, "content": text, "structuredPatch": []}
        self._append(self._writer.tool("Write", {"file_path": path, "content": text}, created))
        before = self.world.read(old)
        self.world.write(old, f"{before}turn {self._turns}\n")
        path = str(self.world.root / old)
        given = {"file_path": path, "old_string": before[-5:], "new_string": f"{before[-5:]}turn {self._turns}\n"}
        edited = {"filePath": path, "oldString": given["old_string"], "newString": given["new_string"]}
        self._append(self._writer.tool("Edit", given, edited))

    def finish(self) -> str:
        """Write the turn's last answer, which the `stop` hook waits for; return its text."""
        text = f"Done with {self._turns}."
        self._append(self._writer.answer({"type": "text", "text": text}))
        return text

    def stop(self, text: str, *, env: Mapping[str, str] | None = None, peak: bool = False) -> Spent:
        """End the turn whose last answer is in the transcript."""
        return self.hook("stop", last_assistant_message=text, stop_hook_active=False, env=env, peak=peak)

    def turn(self, size: int, *, peak: bool = False) -> list[Spent]:
        """Play a whole turn; return the measurements of its two hooks."""
        began = self.prompt(peak=peak)
        self.work(size)
        return [began, self.stop(self.finish(), peak=peak)]

    def end(self) -> None:
        """End the session."""
        self.hook("session-end", reason="other")

    def _append(self, data: bytes) -> None:
        with self.file.open("ab") as file:
            file.write(data)
