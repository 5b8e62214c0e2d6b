"""Plays sessions of Gemini CLI: hooks by payload, a chat in the agent's own form, the files it leaves behind."""

from __future__ import annotations

import io
import json
import os
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from entire.cli import main
from tests.agents.gemini.writer import Chat, stamp
from tests.integration.story import Story

NO_HOOKS = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.hooksPath",
    "GIT_CONFIG_VALUE_0": "",
    "GEMINI_CLI": "1",
}
"""What the agent adds to the environment of its commands."""


class Session:
    """A session at work in a story's repository."""

    def __init__(self, story: Story, chats: Path, session_id: str = "") -> None:
        self.story = story
        self.chats = chats
        self.id = session_id or str(uuid.uuid4())
        self.chat = Chat(chats / f"session-2026-01-01T10-00-{self.id[:8]}.jsonl", self.id)
        self.printed = b""

    @property
    def file(self) -> Path:
        return self.chat.path

    def hook(self, verb: str, event: str, **extra: object) -> bytes:
        """Run a hook; return what it printed."""
        payload = {
            "session_id": self.id,
            "transcript_path": str(self.file),
            "cwd": str(self.story.root),
            "hook_event_name": event,
            "timestamp": stamp(),
            **extra,
        }
        before, stdin, stdout = Path.cwd(), sys.stdin, sys.stdout
        os.chdir(self.story.root)
        out = io.BytesIO()
        try:
            sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps(payload).encode()))
            sys.stdout = io.TextIOWrapper(out, write_through=True)
            assert main(["hooks", "gemini", verb]) == 0
            return out.getvalue()
        finally:
            sys.stdin, sys.stdout = stdin, stdout
            os.chdir(before)

    def start(self) -> None:
        self.chat.begin()
        self.printed = self.hook("session-start", "SessionStart", source="startup")

    def resume(self) -> Path:
        """Resume as the agent does: it leaves a stub, which its first hook names. Returns the stub."""
        stub = Chat(self.chats / f"session-2026-01-01T11-00-{self.id[:8]}.jsonl", self.id)
        stub.begin()
        self.hook("session-start", "SessionStart", source="resume", transcript_path=str(stub.path))
        self.chat.append(**{"$set": {"sessionId": self.id}})
        return stub.path

    def prompt(self, text: str) -> None:
        self.hook("before-agent", "BeforeAgent", prompt=text)
        self.hook("pre-compress", "PreCompress", trigger="auto")
        self.chat.message("user", [{"text": text}])

    def end_turn(self, text: str = "Done.") -> None:
        self.chat.answer(text)
        self.hook("after-agent", "AfterAgent", prompt="?", prompt_response=text + text, stop_hook_active=False)

    @contextmanager
    def turn(self, text: str) -> Iterator[Session]:
        self.prompt(text)
        yield self
        self.end_turn()

    def end(self, reason: str = "exit") -> None:
        self.hook("session-end", "SessionEnd", reason=reason)

    @contextmanager
    def call(self, name: str, args: dict[str, Any], chat: Chat | None = None, **more: Any) -> Iterator[dict[str, Any]]:
        """Call a tool. What the block puts into the yielded dict, is in the call: ``output``, ``agentId``..."""
        chat = chat or self.chat
        answer = chat.answer()
        self.hook("before-tool", "BeforeTool", tool_name=name, tool_input=args)
        told: dict[str, Any] = dict(more)
        yield told
        response = told.pop("response", {"llmContent": told.get("output", ""), "returnDisplay": ""})
        self.hook("after-tool", "AfterTool", tool_name=name, tool_input=args, tool_response=response)
        chat.call(name, args, answer=answer, **told)

    def write(self, name: str, text: str, chat: Chat | None = None) -> None:
        """Write a file with the agent's tool, which is given a relative path."""
        with self.call("write_file", {"file_path": name, "content": text}, chat) as told:
            self.story.write(name, text)
            told["resultDisplay"] = {"filePath": str(self.story.root / name), "fileName": name}

    def commit(self, message: str, *args: str) -> str:
        """Commit as the agent does: its shells switch git's hooks off."""
        with self.call("run_shell_command", {"command": f"git commit -m '{message}'"}) as told:
            self.story.git("add", "-A")
            told["output"] = self.story.git("commit", "-m", message, *args, env=NO_HOOKS)
        return self.story.head()

    @contextmanager
    def subagent(self, prompt: str) -> Iterator[Chat]:
        """Let a subagent work; the block plays it."""
        agent = str(uuid.uuid4())
        chat = Chat(self.chats / self.id / f"{agent}.jsonl", agent, kind="subagent")
        with self.call("invoke_agent", {"agent_name": "generalist", "prompt": prompt}) as told:
            chat.begin()
            chat.message("user", [{"text": prompt}])
            yield chat
            activity = [{"id": f"{agent}#0-0", "type": "tool_call"}]
            told["response"] = {"returnDisplay": {"isSubagentProgress": True, "recentActivity": activity}}
            told["agentId"] = agent

    def state(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads((self.story.root / f".git/entire-sessions/{self.id}.json").read_text())
        return value
