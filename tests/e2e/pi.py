"""Runs the real Pi, in print mode, on a terminal of its own, or driven by RPC, against a scripted model server.

Tests wait for facts, as with the other agents. The events come from an extension in the scratch home. Pi plays each one
to the project's extensions first, and waits for them: once an event is there, our own report of it has ended.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from driver import AgentTerminal, Home, Running, running
from gemini import node
from script import ToolCall, Turn, Usage, answer, text, tool, turn
from terminal import PATIENCE, wait_for

OBSERVED = ("agent_end", "before_agent_start", "session_compact", "session_shutdown", "session_start", "session_tree")
"""Events that are kept for the tests."""

OBSERVER = """\
import { renameSync, writeFileSync } from "node:fs";
let count = 0;
export default function (pi) {
  for (const name of NAMES) {
    pi.on(name, (event, ctx) => {
      const path = `FOLDER/${String(Date.now()).padStart(16, "0")}-${process.pid}-${String(++count).padStart(6, "0")}`;
      let session;
      try { session = ctx.sessionManager.getSessionId(); } catch { session = undefined; }
      const told = { hook_event_name: name, session_id: session, reason: event.reason, prompt: event.prompt };
      writeFileSync(path, JSON.stringify(told));
      renameSync(path, `${path}.json`);
    });
  }
}
"""

MODEL = {
    "id": "scripted",
    "name": "Scripted",
    "reasoning": False,
    "input": ["text"],
    "contextWindow": 10_000_000,
    "maxTokens": 8192,
    "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0},
}


class Pi(Home):
    """One scratch home with Pi in it; every session started here shares it."""

    name: ClassVar[str] = "pi"
    type: ClassVar[str] = "Pi"
    package: ClassVar[str] = "@mariozechner/pi-coding-agent"
    command: ClassVar[str] = "pi"
    native: ClassVar[str] = ""
    runs_git_hooks: ClassVar[bool] = True
    files_by_minute: ClassVar[bool] = False
    records_api_errors: ClassVar[bool] = True
    input_holds_cached: ClassVar[bool] = False
    keeps_prompts: ClassVar[bool] = False
    tells_compaction: ClassVar[bool] = False
    turn_end: ClassVar[str] = "agent_end"
    enabling: ClassVar[tuple[str, ...]] = ()

    def __init__(self, program: Path, home: Path, model_url: str, path: str) -> None:
        """Prepare the home so that no dialog appears; `path` is the PATH of the agent and of everything it starts."""
        environment = {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}
        super().__init__(program, home, os.pathsep.join((path, str(Path(node()).parent))), environment)
        own = home / ".pi" / "agent"
        extension = own / "extensions" / "observer" / "index.ts"
        extension.parent.mkdir(parents=True)
        extension.write_text(OBSERVER.replace("NAMES", json.dumps(OBSERVED)).replace("FOLDER", str(self.observed)))
        provider = {"baseUrl": model_url, "api": "anthropic-messages", "apiKey": "dummy", "models": [MODEL]}
        (own / "models.json").write_text(json.dumps({"providers": {"local": provider}}))
        settings = {"compaction": {"enabled": False, "keepRecentTokens": 1}, "retry": {"enabled": False}}
        (own / "settings.json").write_text(json.dumps(settings))

    # --- facts ---

    def transcript(self, session: str) -> Path:
        """Return the path of a session's transcript."""
        found = (self.home / ".pi" / "agent" / "sessions").glob(f"*/*_{session}.jsonl")
        return next(found, self.home / "no-transcript")

    @staticmethod
    def said(transcript: bytes) -> list[str]:
        """Return the texts of the model in a transcript, in order."""
        messages = [json.loads(line).get("message", {}) for line in transcript.splitlines()]
        blocks = (block for m in messages if m.get("role") == "assistant" for block in m["content"])
        return [block["text"] for block in blocks if block["type"] == "text"]

    def prompt_line(self, session: str, prompt: str) -> int:
        """Return how many lines stand before the record of a prompt, -1 if there is none."""
        asked = [{"type": "text", "text": prompt}]
        messages = (r.get("message", {}) for r in self.records(session))
        found = (n for n, m in enumerate(messages) if m.get("role") == "user" and m["content"] == asked)
        return next(found, -1)

    def answers(self, session: str) -> int:
        """Return how many answers of the model are written down."""
        return sum(r.get("message", {}).get("role") == "assistant" for r in self.records(session))

    def subagents(self, session: str) -> dict[str, Path]:
        """Return the transcripts of a session's subagents by their ids: it has none of its own."""
        return {}

    def resume_command(self, session: str) -> str:
        """Return the command that continues a session."""
        return f"pi --session {session}"

    # --- what a script says to it ---

    def write(self, path: str, content: str) -> ToolCall:
        """Return the tool call that writes a file."""
        return tool("write", path=path, content=content)

    def read(self, path: str) -> ToolCall:
        """Return the tool call that reads a file."""
        return tool("read", path=path)

    def edit(self, path: str, old: str, new: str) -> ToolCall:
        """Return the tool call that replaces a part of a file."""
        return tool("edit", path=path, edits=[{"oldText": old, "newText": new}])

    def shell(self, command: str) -> ToolCall:
        """Return the tool call that runs a shell command."""
        return tool("bash", command=command)

    def delegate(self, prompt: str) -> tuple[ToolCall, ...]:
        """Return the tool call that hands a prompt to a subagent, if `add_subagents` was called."""
        return (tool("subagent", agent="worker", task=prompt),)

    def summary(self, words: str, usage: Usage) -> Turn:
        """Return what the model answers when the agent asks for a summary of the conversation."""
        return turn(re.compile("<conversation>"), answer(text(words), usage=usage))

    # --- headless ---

    @contextmanager
    def start(self, prompt: str, cwd: Path, *, resume: str | None = None) -> Iterator[Running]:
        """Start one prompt, which a test may watch or interrupt; whatever happens, the agent is gone afterwards."""
        before = len(self.events("session_start"))
        with running("", [*self._command(resume), "-p", prompt], cwd, self.environment) as started:
            process = started.process
            wait_for(lambda: process.poll() is not None or len(self.events("session_start")) > before, "the session")
            begun = self.events("session_start")[before:]
            if not begun:
                raise AssertionError(started.finish().stderr)
            yield Running(session=str(begun[0]["session_id"]), process=process)

    def _command(self, resume: str | None) -> list[str]:
        choice = ["--session", resume] if resume else []
        return [node(), str(self.program), "--provider", "local", "--model", "scripted", *choice]

    def add_subagents(self) -> None:
        """Install the extension that comes with Pi as an example, and an agent for it."""
        own, example = self.home / ".pi" / "agent", self.program.parents[1] / "examples" / "extensions" / "subagent"
        shutil.copytree(example, own / "extensions" / "subagent")
        (own / "agents").mkdir()
        about = "---\nname: worker\ndescription: Works\nmodel: local/scripted\n---\nWork.\n"
        (own / "agents" / "worker.md").write_text(about)

    # --- driven by RPC ---

    @contextmanager
    def rpc(self, cwd: Path) -> Iterator[PiRpc]:
        """Start the agent to be driven; whatever happens, it is gone afterwards."""
        started = PiRpc([*self._command(None), "--mode", "rpc"], cwd, self.environment)
        try:
            yield started
        finally:
            started.close()

    # --- on a terminal ---

    @contextmanager
    def terminal(self, cwd: Path, *, resume: str | None = None) -> Iterator[PiTerminal]:
        """Start the agent on a terminal; whatever happens, it is gone afterwards."""
        started = PiTerminal(self, self._command(resume), cwd)
        try:
            started.wait_ready()
            yield started
        finally:
            started.close()


class PiRpc:
    """Pi in RPC mode: commands and answers are lines of JSON."""

    def __init__(self, arguments: list[str], cwd: Path, environment: dict[str, str]) -> None:
        """Start the process."""
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(arguments, cwd=cwd, env=environment, stdin=pipe, stdout=pipe, text=True)
        self.told: list[dict[str, Any]] = []

    def ask(self, command: str, **fields: object) -> dict[str, Any]:
        """Send a command and return the data of its answer."""
        self._send({"type": command, **fields})
        done = self._until("response")
        assert done["success"], done
        return dict(done.get("data") or {})

    def prompt(self, words: str) -> None:
        """Send a prompt and wait for the end of its turn."""
        self._send({"type": "prompt", "message": words})
        self._until("agent_end")

    def _send(self, line: dict[str, object]) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{json.dumps(line)}\n")
        self.process.stdin.flush()

    def _until(self, kind: str) -> dict[str, Any]:
        assert self.process.stdout
        for line in self.process.stdout:
            told = json.loads(line)
            self.told.append(told)
            if told["type"] == kind:
                return dict(told)
        raise AssertionError(f"it ended before {kind}: {self.told[-3:]}")

    def close(self) -> None:
        """Let it end, as it does with its input."""
        self.process.communicate(timeout=PATIENCE)


class PiTerminal(AgentTerminal):
    """Pi on a terminal; `session` is the id of the session that runs there now."""

    def __init__(self, pi: Pi, arguments: list[str], cwd: Path) -> None:
        """Start the process."""
        self.pi = pi
        self._starts = len(pi.events("session_start"))
        super().__init__(arguments, cwd, pi.environment)

    def wait_ready(self) -> None:
        """Wait until the agent takes input."""
        self.wait(lambda: len(self.pi.events("session_start")) > self._starts, "the session to start")
        self.session = str(self.pi.events("session_start")[-1]["session_id"])
        time.sleep(0.3)  # it draws its input line

    def _until(self, event: str, line: str) -> None:
        before = len(self.pi.events(event))
        self.submit(line)
        self.wait(lambda: len(self.pi.events(event)) > before, f"{event} after {line!r}")

    def prompt(self, prompt: str) -> None:
        """Submit a prompt and wait until its turn began."""
        self._until("before_agent_start", prompt)

    def turn(self, prompt: str) -> None:
        """Submit a prompt and wait until its turn ended, our report included."""
        self._until("agent_end", prompt)

    def interrupt(self) -> None:
        """Stop the running turn with Escape and wait until the agent wrote that down."""
        before = len(self.pi.events("agent_end"))
        self.type(self.ESCAPE)
        self.wait(lambda: len(self.pi.events("agent_end")) > before, "the end of the turn")

    def clear(self) -> str:
        """Begin another session in the same process and return its id."""
        self._until("session_start", "/new")
        self.session = str(self.pi.events("session_start")[-1]["session_id"])
        time.sleep(0.3)
        return self.session

    def compact(self) -> None:
        """Have the conversation replaced by a summary and wait until it is."""
        self._until("session_compact", "/compact")

    def tree(self, up: int) -> None:
        """Go back in the tree of the session, without a summary, to the entry so many places above the last one."""
        before, at = len(self.pi.events("session_tree")), len(self.screen)
        self.submit("/tree")
        self.wait(lambda: "Session Tree" in self.screen[at:], "the tree")
        self.type("\x1b[A" * up)
        time.sleep(0.3)
        self.type(self.ENTER)
        self.wait(lambda: "No summary" in self.screen[at:], "the question about a summary")
        time.sleep(0.3)
        self.type(self.ENTER)
        self.wait(lambda: len(self.pi.events("session_tree")) > before, "the jump")

    def exit(self) -> None:
        """Leave as a person does and wait for the process."""
        self.submit("/quit")
        self.process.wait(timeout=PATIENCE)
