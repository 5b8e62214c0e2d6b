"""Runs the real Claude Code, headless or on a terminal of its own, against a scripted model server.

Tests wait for facts (hook payloads, records in the agent's transcript, files), not for text on the screen. The payloads
come from hooks in the scratch user settings, beside those of the repository: Claude Code runs both.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from driver import AgentTerminal, Home, Run, Running, observer, running
from script import Part, ToolCall, Turn, Usage, answer, text, tool, turn
from terminal import PATIENCE

API_KEY = "sk-ant-dummy-000000000000000000000000"
"""A key of the right form; only the scripted server ever sees it."""

QUIET = (
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_AUTOUPDATER",
    "DISABLE_BUG_COMMAND",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
    "IS_SANDBOX",
)
"""Switches that keep the agent from talking to anybody else, and let it run as root without asking."""

OBSERVED = (
    "PostToolUse",
    "PreCompact",
    "PreToolUse",
    "SessionEnd",
    "SessionStart",
    "Stop",
    "StopFailure",
    "SubagentStop",
    "UserPromptSubmit",
)
"""Events whose payloads are kept for the tests."""


class Claude(Home):
    """One scratch home with Claude Code in it; every session started here shares it."""

    name: ClassVar[str] = "claude-code"
    type: ClassVar[str] = "Claude Code"
    package: ClassVar[str] = "@anthropic-ai/claude-code"
    command: ClassVar[str] = "claude"
    native: ClassVar[str] = ""
    runs_git_hooks: ClassVar[bool] = True
    files_by_minute: ClassVar[bool] = False
    records_api_errors: ClassVar[bool] = True
    input_holds_cached: ClassVar[bool] = False
    keeps_prompts: ClassVar[bool] = False
    tells_compaction: ClassVar[bool] = False
    turn_end: ClassVar[str] = "Stop"
    enabling: ClassVar[tuple[str, ...]] = ()

    def __init__(self, program: Path, home: Path, model_url: str, path: str) -> None:
        """Prepare the home so that no dialog appears; `path` is the PATH of the agent and of everything it starts."""
        environment = {"ANTHROPIC_API_KEY": API_KEY, "ANTHROPIC_BASE_URL": model_url, **dict.fromkeys(QUIET, "1")}
        super().__init__(program, home, path, environment)
        entry = [{"hooks": [{"type": "command", "command": observer(self.observed), "timeout": 30}]}]
        settings = {"skipDangerousModePermissionPrompt": True, "hooks": dict.fromkeys(OBSERVED, entry)}
        (home / ".claude").mkdir(exist_ok=True)
        (home / ".claude" / "settings.json").write_text(json.dumps(settings, indent=2) + "\n")

    # --- facts ---

    def transcript(self, session: str) -> Path:
        """Return the path of a session's transcript; where nothing was written yet, a path that does not exist."""
        found = sorted((self.home / ".claude" / "projects").glob(f"*/{session}.jsonl"))
        return found[0] if found else self.home / "no-transcript"

    def turns_ended(self, session: str) -> int:
        """Return how many times the hooks at a turn's end are known to have finished (on a terminal: at once)."""
        return sum(r.get("subtype") == "stop_hook_summary" for r in self.records(session))

    @staticmethod
    def said(transcript: bytes) -> list[str]:
        """Return the texts of the model in a transcript, in order."""
        records = [json.loads(line) for line in transcript.splitlines()]
        blocks = [b for r in records if r.get("type") == "assistant" for b in r["message"]["content"]]
        return [b["text"] for b in blocks if b["type"] == "text"]

    def prompt_line(self, session: str, prompt: str) -> int:
        """Return how many lines stand before the record of a prompt, -1 if there is none."""
        records = enumerate(self.records(session))
        return next((n for n, r in records if r.get("type") == "user" and r["message"]["content"] == prompt), -1)

    def answers(self, session: str) -> int:
        """Return how many answers of the model are written down."""
        return len({r["message"]["id"] for r in self.records(session) if r.get("type") == "assistant"})

    def subagents(self, session: str) -> dict[str, Path]:
        """Return the transcripts of a session's subagents by their ids."""
        found = (self.transcript(session).parent / session / "subagents").glob("agent-*.jsonl")
        return {path.stem.removeprefix("agent-"): path for path in found}

    def subagent_calls(self, session: str) -> list[str]:
        """Return the ids that hooks tell of the tool calls that started a subagent."""
        return [e["tool_use_id"] for e in self.events("PreToolUse", session) if e["tool_name"] == "Agent"]

    def resume_command(self, session: str) -> str:
        """Return the command that continues a session."""
        return f"claude -r {session}"

    # --- what a script says to it ---

    def write(self, path: str, content: str) -> ToolCall:
        """Return the tool call that writes a file."""
        return tool("Write", file_path=path, content=content)

    def read(self, path: str) -> ToolCall:
        """Return the tool call that reads a file."""
        return tool("Read", file_path=path)

    def edit(self, path: str, old: str, new: str) -> ToolCall:
        """Return the tool call that replaces a part of a file."""
        return tool("Edit", file_path=path, old_string=old, new_string=new, replace_all=False)

    def shell(self, command: str) -> ToolCall:
        """Return the tool call that runs a shell command."""
        return tool("Bash", command=command, description="Work in the shell")

    def delegate(self, prompt: str) -> tuple[ToolCall, ...]:
        """Return the tool call that hands a prompt to a subagent and waits for it."""
        asked = {"description": "Do it", "prompt": prompt, "subagent_type": "general-purpose"}
        return (tool("Agent", **asked, run_in_background=False),)

    def helper(self, prompt: str) -> ToolCall:
        """Return the tool call that hands a prompt to a subagent, as the model does by default."""
        return tool("Agent", description="Do it", prompt=prompt, subagent_type="general-purpose")

    def report(self, words: str) -> tuple[Part, ...]:
        """Return the parts with which a subagent ends its work."""
        return (text(words),)

    def summary(self, words: str, usage: Usage) -> Turn:
        """Return what the model answers when the agent asks for a summary of the conversation."""
        return turn(re.compile("create a detailed summary"), answer(text(f"<summary>{words}</summary>"), usage=usage))

    # --- headless ---

    @contextmanager
    def start(self, prompt: str, cwd: Path, *, resume: str | None = None) -> Iterator[Running]:
        """Start one prompt, which a test may watch or interrupt; whatever happens, the agent is gone afterwards."""
        session = resume or str(uuid.uuid4())
        choice = ["--resume", resume] if resume else ["--session-id", session]
        options = ["--permission-mode", "bypassPermissions", "--output-format", "json"]
        command = [str(self.program), "-p", prompt, *options, *choice]
        with running(session, command, cwd, self.environment) as started:
            yield started

    def fork(self, prompt: str, cwd: Path, session: str) -> Run:
        """Run one prompt in a copy of a session, which gets an id of its own."""
        options = ["--permission-mode", "bypassPermissions", "--output-format", "json", "--fork-session"]
        command = [str(self.program), "-p", prompt, *options, "--resume", session]
        with running("", command, cwd, self.environment) as started:
            run = started.finish()
        return replace(run, session=str(run.result["session_id"]))

    # --- on a terminal ---

    @contextmanager
    def terminal(self, cwd: Path, *, resume: str | None = None) -> Iterator[ClaudeTerminal]:
        """Start the agent on a terminal; whatever happens, it is gone afterwards."""
        self._accept(cwd)
        session = resume or str(uuid.uuid4())
        choice = ["--resume", resume] if resume else ["--session-id", session]
        arguments = [str(self.program), "--permission-mode", "bypassPermissions", *choice]
        terminal = ClaudeTerminal(self, session, arguments, cwd)
        try:
            terminal.wait_ready()
            yield terminal
        finally:
            terminal.close()

    def _accept(self, cwd: Path) -> None:
        """Answer the questions of the first start in advance: onboarding, the API key, trust in this folder."""
        path = self.home / ".claude.json"
        known: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {}
        known |= {"hasCompletedOnboarding": True, "theme": "dark"}
        known["customApiKeyResponses"] = {"approved": [API_KEY[-20:]], "rejected": []}
        known.setdefault("projects", {}).setdefault(str(cwd), {})["hasTrustDialogAccepted"] = True
        path.write_text(json.dumps(known))


class NewestClaude(Claude):
    """The other version that is tested: where it does something differently, a story asks for this class."""

    package: ClassVar[str] = "claude-code-newest"


class ClaudeTerminal(AgentTerminal):
    """Claude Code on a terminal; `session` is the id of the session that runs there now."""

    def __init__(self, claude: Claude, session: str, arguments: list[str], cwd: Path) -> None:
        """Start the process."""
        self.claude = claude
        self.session = session
        self._starts = len(claude.events("SessionStart"))
        super().__init__(arguments, cwd, claude.environment)

    def wait_ready(self) -> None:
        """Wait until the agent takes input: its first hook ran and the input line is drawn."""
        self.wait(lambda: len(self.claude.events("SessionStart")) > self._starts, "the session to start")
        self.wait(lambda: "❯" in self.screen, "the input line")

    def prompt(self, prompt: str) -> None:
        """Submit a prompt and wait until its turn began."""
        before = len(self.claude.events("UserPromptSubmit", self.session))
        self.submit(prompt)
        self.wait(lambda: len(self.claude.events("UserPromptSubmit", self.session)) > before, f"the prompt {prompt!r}")

    def turn(self, prompt: str) -> None:
        """Submit a prompt and wait until its turn ended, its hooks included."""
        before = self.claude.turns_ended(self.session)
        self.prompt(prompt)
        self.wait(lambda: self.claude.turns_ended(self.session) > before, f"the end of the turn {prompt!r}")

    def interrupt(self) -> None:
        """Stop the running turn with Escape and wait until the agent wrote that down."""

        def noted() -> int:
            return sum("[Request interrupted by user" in json.dumps(r) for r in self.claude.records(self.session))

        before = noted()
        self.type(self.ESCAPE)
        self.wait(lambda: noted() > before, "the record of the interruption")

    def rewind(self, prompts: int, done: Callable[[], bool]) -> None:
        """Use `/rewind` to take back so many prompts and what was written since, which must become `done`."""
        at = len(self.screen)
        self.submit("/rewind")
        self.wait(lambda: "(current)" in self.screen[at:], "the list of prompts")
        time.sleep(0.5)
        for _ in range(prompts):
            time.sleep(0.3)  # it takes one key at a time
            self.type("\x1b[A")
        time.sleep(0.5)
        at = len(self.screen)
        self.type(self.ENTER)
        self.wait(lambda: "ummarize" in self.screen[at:], "what is to be restored")
        time.sleep(0.3)
        self.type(self.ENTER)
        self.wait(done, "what was written to be taken back")
        time.sleep(0.5)
        self.type("\x15")  # the input line holds the prompt that was taken back

    def clear(self) -> str:
        """Use `/clear` and return the id of the session that follows."""
        before = len(self.claude.events("SessionStart"))
        self.submit("/clear")
        self.wait(lambda: len(self.claude.events("SessionStart")) > before, "the session after /clear")
        self.session = str(self.claude.events("SessionStart")[-1]["session_id"])
        return self.session

    def compact(self) -> None:
        """Use `/compact` and wait until the summary took the place of the conversation."""

        def done() -> int:
            return sum(r.get("subtype") == "compact_boundary" for r in self.claude.records(self.session))

        before, starts = done(), len(self.claude.events("SessionStart"))
        self.submit("/compact")
        self.wait(lambda: done() > before, "the record of the compaction")
        self.wait(lambda: len(self.claude.events("SessionStart")) > starts, "the session to go on")

    def exit(self) -> None:
        """Leave with `/exit` and wait for the process."""
        self.submit("/exit")
        self.process.wait(timeout=PATIENCE)
