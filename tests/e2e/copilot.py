"""Runs the real GitHub Copilot CLI, headless or on a terminal of its own, against a scripted model server.

Tests wait for facts, as with the other agents. The payloads come from hooks in the scratch home, under the names of
events for which the agent sends payloads in the manner of Claude Code. All hooks of an event have run once the record
of their end is there.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from driver import AgentTerminal, EventsRunning, Home, Running, installed, observer, running
from script import ToolCall, Turn, Usage, answer, text, tool, turn
from terminal import PATIENCE

OBSERVED = (
    "PreCompact",
    "PreToolUse",
    "SessionEnd",
    "SessionStart",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "UserPromptSubmit",
)
"""Events whose payloads are kept for the tests."""

MODEL = "claude-sonnet-4.5"
"""One that has a tool for each kind of edit."""

ENVIRONMENT = {
    "COPILOT_AUTO_UPDATE": "false",
    "COPILOT_MODEL": MODEL,
    "COPILOT_OFFLINE": "true",
    "COPILOT_PROVIDER_API_KEY": "dummy-key",
    "COPILOT_PROVIDER_TYPE": "openai",
    "COPILOT_PROVIDER_WIRE_API": "responses",
    "TERM": "linux",  # which the agent asks for no colours, whose answers it would wait for
}
"""Points the agent at the scripted server, and keeps it from talking to anyone else."""

UNPACKED = ".cache/copilot"
"""Where the program unpacks itself, below a home: 200 MB and two seconds, so all homes share what `make agents` did."""


class Copilot(Home):
    """One scratch home with Copilot CLI in it; every session started here shares it."""

    name: ClassVar[str] = "copilot-cli"
    type: ClassVar[str] = "Copilot CLI"
    package: ClassVar[str] = "@github/copilot"
    command: ClassVar[str] = "copilot"
    native: ClassVar[str] = "@github/copilot-*/copilot"
    runs_git_hooks: ClassVar[bool] = True
    files_by_minute: ClassVar[bool] = False
    records_api_errors: ClassVar[bool] = True
    input_holds_cached: ClassVar[bool] = False
    keeps_prompts: ClassVar[bool] = False
    tells_compaction: ClassVar[bool] = True
    turn_end: ClassVar[str] = "Stop"
    enabling: ClassVar[tuple[str, ...]] = ()
    shows_notices: ClassVar[bool] = False
    masks_secrets: ClassVar[bool] = True

    def __init__(self, program: Path, home: Path, model_url: str, path: str) -> None:
        """Prepare the home so that no dialog appears; `path` is the PATH of the agent and of everything it starts."""
        super().__init__(program, home, path, {**ENVIRONMENT, "COPILOT_PROVIDER_BASE_URL": f"{model_url}/v1"})
        hook = {"type": "command", "bash": observer(self.observed), "timeoutSec": 30}
        self.config = home / ".copilot"
        (self.config / "hooks").mkdir(parents=True, exist_ok=True)
        hooks = {"version": 1, "hooks": {event: [hook] for event in OBSERVED}}
        (self.config / "hooks" / "observer.json").write_text(json.dumps(hooks))
        shared = installed() / ".home" / UNPACKED
        if shared.is_dir() and not (home / UNPACKED).exists():
            (home / UNPACKED).parent.mkdir(exist_ok=True)
            (home / UNPACKED).symlink_to(shared)

    # --- facts ---

    def transcript(self, session: str) -> Path:
        """Return the path of a session's transcript; where nothing was written yet, a path that does not exist."""
        return self.config / "session-state" / session / "events.jsonl"

    def own(self, session: str) -> list[dict[str, Any]]:
        """Return the records of a session without those of its subagents."""
        return [record for record in self.records(session) if "agentId" not in record]

    def turns_ended(self, session: str) -> int:
        """Return how many turns' hooks are written down as ended."""
        ended = {"hook.end", "abort"}
        return sum(
            r["type"] in ended and r["data"].get("hookType", "agentStop") == "agentStop" for r in self.own(session)
        )

    @staticmethod
    def said(transcript: bytes) -> list[str]:
        """Return the texts of the model in a transcript, in order; the first agent's that it holds."""
        records = [json.loads(line) for line in transcript.splitlines()]
        told = [r for r in records if r["type"] == "assistant.message" and r["data"]["content"]]
        return [r["data"]["content"] for r in told if r.get("agentId") == records[0].get("agentId")]

    def prompt_line(self, session: str, prompt: str) -> int:
        """Return how many lines stand before the record of a prompt, -1 if there is none."""
        records = enumerate(self.records(session))
        return next((n for n, r in records if r["type"] == "user.message" and r["data"]["content"] == prompt), -1)

    def answers(self, session: str) -> int:
        """Return how many answers of the model are written down."""
        return sum(record["type"] == "assistant.message" for record in self.own(session))

    def subagents(self, session: str) -> dict[str, Path]:
        """Return the transcripts of a session's subagents by their ids: copies of their lines in the session's file."""
        lines: dict[str, list[bytes]] = {}
        for line in self.transcript(session).read_bytes().splitlines(keepends=True):
            lines.setdefault(json.loads(line).get("agentId", ""), []).append(line)
        found = {agent: self.observed / f"{agent}.lines" for agent in lines if agent}
        for agent, path in found.items():
            path.write_bytes(b"".join(lines[agent]))
        return found

    def resume_command(self, session: str) -> str:
        """Return the command that continues a session."""
        return f"copilot --resume={session}"

    # --- what a script says to it ---

    def write(self, path: str, content: str) -> ToolCall:
        """Return the tool call that writes a file."""
        return tool("create", path=path, file_text=content)

    def read(self, path: str) -> ToolCall:
        """Return the tool call that reads a file."""
        return tool("view", path=path)

    def edit(self, path: str, old: str, new: str) -> ToolCall:
        """Return the tool call that replaces a part of a file."""
        return tool("edit", path=path, old_str=old, new_str=new)

    def shell(self, command: str) -> ToolCall:
        """Return the tool call that runs a shell command."""
        return tool("bash", command=command, description="Work in the shell", initial_wait=120)

    def delegate(self, prompt: str) -> tuple[ToolCall, ...]:
        """Return the tool call that hands a prompt to a subagent and waits for it."""
        asked = {"name": "helper", "description": "Do it", "prompt": prompt, "agent_type": "general-purpose"}
        return (ToolCall(name="task", input={**asked, "mode": "sync"}),)

    def summary(self, words: str, usage: Usage) -> Turn:
        """Return what the model answers when the agent asks for a summary of the conversation."""
        return turn(re.compile("Please write the summary now"), answer(text(words), usage=usage))

    # --- headless ---

    @contextmanager
    def start(self, prompt: str, cwd: Path, *, resume: str | None = None) -> Iterator[Running]:
        """Start one prompt, which a test may watch or interrupt; whatever happens, the agent is gone afterwards."""
        session = resume or str(uuid.uuid4())
        command = [*self._command(cwd, session, resume), "--output-format", "json", "-p", prompt]
        with running(session, command, cwd, self.environment) as started:
            yield EventsRunning(session=session, process=started.process)

    def _command(self, cwd: Path, session: str, resume: str | None) -> list[str]:
        """Return the command line that all runs share; the folder is trusted in advance."""
        self.trust(cwd)
        choice = f"--resume={session}" if resume else f"--session-id={session}"
        return [str(self.program), "--allow-all", "--disable-client-telemetry", "--no-auto-update", choice]

    def trust(self, cwd: Path) -> None:
        """Trust a folder, as a person's answer does who lets the agent remember it."""
        path = self.config / "config.json"
        known = json.loads("".join(_uncommented(path))) if path.exists() else {}
        trusted = known.get("trustedFolders", [])
        if str(cwd.resolve()) not in trusted:
            path.write_text(json.dumps({**known, "trustedFolders": [*trusted, str(cwd.resolve())]}))

    # --- on a terminal ---

    @contextmanager
    def terminal(self, cwd: Path, *, resume: str | None = None) -> Iterator[CopilotTerminal]:
        """Start the agent on a terminal; whatever happens, it is gone afterwards."""
        session = resume or str(uuid.uuid4())
        started = CopilotTerminal(self, session, self._command(cwd, session, resume), cwd)
        try:
            started.wait_ready()
            yield started
        finally:
            started.close()


def _uncommented(path: Path) -> Iterator[str]:
    return (line for line in path.read_text().splitlines() if not line.startswith("//"))


class CopilotTerminal(AgentTerminal):
    """Copilot CLI on a terminal; `session` is the id of the session that runs there now."""

    def __init__(self, copilot: Copilot, session: str, arguments: list[str], cwd: Path) -> None:
        """Start the process."""
        self.copilot = copilot
        self.session = session
        super().__init__(arguments, cwd, copilot.environment)

    def wait_ready(self) -> None:
        """Wait until the agent takes input."""
        self.wait(lambda: "next tab" in self.screen, "the input line")

    def _prompts(self) -> int:
        return len([e for e in self.copilot.events("UserPromptSubmit") if "agent_id" not in e])

    def prompt(self, prompt: str) -> None:
        """Submit a prompt and wait until its turn began."""
        before = self._prompts()
        self.submit(prompt)
        self.wait(lambda: self._prompts() > before, f"the prompt {prompt!r}")
        self.session = str(self.copilot.events("UserPromptSubmit")[-1]["session_id"])

    def turn(self, prompt: str) -> None:
        """Submit a prompt and wait until its turn ended, its hooks included."""
        before = self.copilot.turns_ended(self.session)
        self.prompt(prompt)
        self.wait(lambda: self.copilot.turns_ended(self.session) > before, f"the end of the turn {prompt!r}")

    def interrupt(self) -> None:
        """Stop the running turn with Escape and wait until the agent wrote that down."""
        before = self.copilot.turns_ended(self.session)
        self.wait(lambda: self._stops(before), "the record of the interruption")

    def _stops(self, before: int) -> bool:
        """Press Escape twice, which counts only if both come soon after each other, and tell whether a turn ended."""
        self.type(self.ESCAPE)
        time.sleep(0.2)
        self.type(self.ESCAPE)
        end = time.monotonic() + 5
        while time.monotonic() < end:
            if self.copilot.turns_ended(self.session) > before:
                return True
            time.sleep(0.02)
        return False

    def clear(self) -> str:
        """Use `/clear` and return the id of the session that follows, which is known from its folder."""
        folder = self.copilot.config / "session-state"
        before = set(folder.iterdir())
        self.submit("/clear")
        self.wait(lambda: set(folder.iterdir()) - before, "the session after /clear")
        (made,) = set(folder.iterdir()) - before
        self.session = made.name
        time.sleep(0.5)
        return self.session

    def compact(self) -> None:
        """Use `/compact` and wait until the summary took the place of the conversation."""

        def done() -> int:
            return sum(r["type"] == "session.compaction_complete" for r in self.copilot.records(self.session))

        before, at = done(), len(self.screen)
        self.submit("/compact")
        self.wait(lambda: done() > before, "the record of the compaction")
        self.wait(lambda: "Compaction completed" in self.screen[at:], "the word on the compaction")
        time.sleep(0.5)  # it takes keys only now

    def exit(self) -> None:
        """Leave with `/exit` and wait for the process."""
        self.submit("/exit")
        self.process.wait(timeout=PATIENCE)
