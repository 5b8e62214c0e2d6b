"""Runs the real Codex CLI, headless or on a terminal of its own, against a scripted model server.

Tests wait for facts, as with the other agents. The payloads come from hooks in the scratch user configuration, trusted
by their hashes. All hooks of an event run at once: that a turn's hooks have ended is known from the record of its end,
which follows them.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from driver import AgentTerminal, Home, Run, Running, observer, running
from script import ToolCall, Turn, Usage, answer, text, tool, turn
from terminal import PATIENCE

API_KEY = "dummy-key"
"""Only the scripted server ever sees it."""

OBSERVED = (
    "Interrupt",
    "PostCompact",
    "PostToolUse",
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

MODEL = "gpt-5.5"
"""One that calls each tool by itself."""

SETTINGS = f"""\
model = "{MODEL}"
model_provider = "local"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[feedback]
enabled = false

[model_providers.local]
name = "local"
base_url = "URL/v1"
env_key = "LOCAL_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[notice.model_migrations]
"{MODEL}" = "gpt-6-sol"

[tui]
screen_reader_detection_done = true
"""
"""Point the agent at the scripted server, and keep it from asking and from talking to anyone else."""

_END = re.compile(r"task_complete|turn_aborted")
_SHOWN = re.compile(r"Session:.*?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.DOTALL)


def trusted_hash(event: str, command: str, timeout: int) -> str:
    """Return what the user's configuration must hold of a hook without a matcher for it to run."""
    handler = {"type": "command", "command": command, "timeout": timeout, "async": False}
    told = {"event_name": event, "hooks": [handler]}
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def snake(event: str) -> str:
    """Return how the configuration names an event."""
    return re.sub(r"(?<=.)([A-Z])", r"_\1", event).lower()


def patch(*hunks: str) -> ToolCall:
    """Return the tool call that applies a patch."""
    return tool("apply_patch", input="\n".join(("*** Begin Patch", *hunks, "*** End Patch", "")))


def forms(records: list[dict[str, Any]]) -> list[str]:
    """Return what each record is, in a word."""

    def form(payload: dict[str, Any], kind: str) -> str:
        item = payload.get("item") or {}
        return str(item.get("type") or payload.get("type") or kind)

    return [form(r["payload"], r["type"]) for r in records]


def names(events: list[dict[str, Any]]) -> list[str]:
    """Return the names of events."""
    return [str(e["hook_event_name"]) for e in events]


class CodexRunning(Running):
    """A headless run of Codex, which prints one event a line."""

    def finish(self) -> Run:
        """Wait for the end."""
        out, err = self.process.communicate(timeout=2 * PATIENCE)
        events = [json.loads(line) for line in out.splitlines()]
        return Run(session=self.session, status=self.process.returncode, result={"events": events}, stderr=err.decode())


class Codex(Home):
    """One scratch home with Codex CLI in it; every session started here shares it."""

    name: ClassVar[str] = "codex"
    type: ClassVar[str] = "Codex"
    package: ClassVar[str] = "@openai/codex"
    command: ClassVar[str] = "codex"
    native: ClassVar[str] = "@openai/codex-*/vendor/*/bin/codex"
    runs_git_hooks: ClassVar[bool] = True
    files_by_minute: ClassVar[bool] = False
    records_api_errors: ClassVar[bool] = True
    input_holds_cached: ClassVar[bool] = False
    keeps_prompts: ClassVar[bool] = True
    tells_compaction: ClassVar[bool] = True
    turn_end: ClassVar[str] = "Stop"
    enabling: ClassVar[tuple[str, ...]] = ("--trust-hooks",)
    events_observed: ClassVar[tuple[str, ...]] = OBSERVED

    def __init__(self, program: Path, home: Path, model_url: str, path: str) -> None:
        """Prepare the home so that no dialog appears; `path` is the PATH of the agent and of everything it starts."""
        super().__init__(program, home, path, {"LOCAL_API_KEY": API_KEY})
        begun = f'grep -ls \'"thread_source":"[s]ubagent"\' {home}/.codex/sessions/*/*/*/*.jsonl'
        self.has_helped = f"{begun} | xargs -r grep -qs task_complete"
        """Tells the shell whether a subagent has ended: its last record follows its hooks."""
        self.config = home / ".codex" / "config.toml"
        self.config.parent.mkdir(exist_ok=True)
        command = observer(self.observed)
        self.config.write_text(SETTINGS.replace("URL", model_url))
        for event in OBSERVED:
            self.add_hook(event, command, 3)

    def use_newer_model(self) -> None:
        """Have a model that calls its tools from scripts, as all newer ones do."""
        self.config.write_text(self.config.read_text().replace(f'model = "{MODEL}"', 'model = "gpt-6-sol"', 1))

    def add_hook(self, event: str, command: str, timeout: int = 30) -> None:
        """Add a hook that the user trusts to the user's settings."""
        written = self.config.read_text()
        place = written.count(f"[[hooks.{event}]]")
        self.config.write_text(
            f"{written}\n[[hooks.{event}]]\n[[hooks.{event}.hooks]]\n"
            f'type = "command"\ncommand = {json.dumps(command)}\ntimeout = {timeout}\n'
            f'\n[hooks.state."{self.config}:{snake(event)}:{place}:0"]\n'
            f'trusted_hash = "{trusted_hash(snake(event), command, timeout)}"\n'
        )

    # --- facts ---

    def transcript(self, session: str) -> Path:
        """Return the path of a session's transcript, of which a rewind makes another."""
        found = (self.home / ".codex" / "sessions").glob(f"*/*/*/rollout-*-{session}*.jsonl")
        return max(found, key=lambda path: path.stat().st_mtime_ns, default=self.home / "no-transcript")

    def turns_ended(self, session: str) -> int:
        """Return how many turns are written down as ended; their hooks have run."""
        return sum(bool(_END.fullmatch(str(r["payload"].get("type")))) for r in self.records(session))

    @staticmethod
    def said(transcript: bytes) -> list[str]:
        """Return the texts of the model in a transcript, in order."""
        items = [json.loads(line)["payload"] for line in transcript.splitlines()]
        said = [i["content"] for i in items if (i.get("type"), i.get("role")) == ("message", "assistant")]
        return ["".join(part["text"] for part in content) for content in said]

    def prompt_line(self, session: str, prompt: str) -> int:
        """Return how many lines stand before the record of a prompt, -1 if there is none."""
        for number, payload in enumerate(r["payload"] for r in self.records(session)):
            item = payload.get("item") or {}
            if item.get("type") == "UserMessage" and item["content"][0]["text"] == prompt:
                return number
            if payload.get("type") == "user_message" and payload["message"] == prompt:  # of the older dialect
                return number
        return -1

    def answers(self, session: str) -> int:
        """Return how many answers of the model are written down."""
        return sum(record["type"] == "token_usage_record" for record in self.records(session))

    def subagents(self, session: str) -> dict[str, Path]:
        """Return the transcripts of a session's subagents by their ids."""
        started = self.events("SubagentStart", session)
        return {e["agent_id"]: Path(e["transcript_path"]) for e in started}

    def resume_command(self, session: str) -> str:
        """Return the command that continues a session."""
        return f"codex resume {session}"

    # --- what a script says to it ---

    def write(self, path: str, content: str) -> ToolCall:
        """Return the tool call that writes a file."""
        return patch(f"*** Add File: {path}", *(f"+{line}" for line in content.splitlines()))

    def read(self, path: str) -> ToolCall:
        """Return the tool call that reads a file."""
        return self.shell(f"cat '{path}'")

    def edit(self, path: str, old: str, new: str) -> ToolCall:
        """Return the tool call that replaces a whole line of a file."""
        return patch(f"*** Update File: {path}", "@@", f"-{old}", f"+{new}")

    def shell(self, command: str) -> ToolCall:
        """Return the tool call that runs a shell command."""
        return tool("exec_command", cmd=command, yield_time_ms=30_000)

    def delegate(self, prompt: str) -> tuple[ToolCall, ...]:
        """Return the tool calls that hand a prompt to a subagent and wait for it: its id, which the agent's own tool
        wants for that, is not known beforehand.
        """
        wait = f"n=0; until {self.has_helped} || [ $((n+=1)) -gt 600 ]; do sleep 0.1; done; sleep 0.3"
        return tool("multi_agent_v1.spawn_agent", message=prompt), self.shell(wait)

    def summary(self, words: str, usage: Usage) -> Turn:
        """Return what the model answers when the agent asks for a summary of the conversation."""
        return turn(re.compile("CONTEXT CHECKPOINT COMPACTION"), answer(text(words), usage=usage))

    # --- headless ---

    @contextmanager
    def start(self, prompt: str, cwd: Path, *, resume: str | None = None) -> Iterator[Running]:
        """Start one prompt, which a test may watch or interrupt; whatever happens, the agent is gone afterwards."""
        choice = ["resume", resume] if resume else []
        with self._exec(cwd, *choice, prompt) as started:
            yield started

    def fork(self, prompt: str, cwd: Path, session: str) -> Run:
        """Run one prompt in a copy of a session, which gets an id of its own."""
        with self._exec(cwd, "fork", session, prompt) as started:
            return started.finish()

    @contextmanager
    def _exec(self, cwd: Path, *words: str) -> Iterator[Running]:
        """Start a headless run, whose first line tells the id of its session."""
        self.trust(cwd)
        with running("", [str(self.program), "exec", "--json", *words], cwd, self.environment) as started:
            assert started.process.stdout
            line = started.process.stdout.readline()
            if not line:
                raise AssertionError(started.finish().stderr)
            yield CodexRunning(session=str(json.loads(line)["thread_id"]), process=started.process)

    def trust(self, cwd: Path) -> None:
        """Trust the project of a folder, as a person's answer does: without it, its hooks are not even looked at. Where
        the folder is in a linked worktree, that is the main checkout.
        """
        root = next((p for p in (cwd, *cwd.parents) if (p / ".git").exists()), cwd)
        if (root / ".git").is_file():
            root = Path((root / ".git").read_text().removeprefix("gitdir: ").partition("/.git/worktrees/")[0])
        table = f'[projects."{root.resolve()}"]'
        written = self.config.read_text()
        if table not in written:
            self.config.write_text(f'{written}\n{table}\ntrust_level = "trusted"\n')

    def hooks(self, cwd: Path) -> list[dict[str, Any]]:
        """Return what the agent says of the hooks in a folder."""
        return list(self._ask("hooks/list", cwds=[str(cwd)])["data"][0]["hooks"])

    def listed(self, session: str) -> list[str]:
        """Return the prompts of a session as the agent lists them."""
        thread = self._ask("thread/read", threadId=session, includeTurns=True)["thread"]
        items = (item for turn in thread["turns"] for item in turn["items"])
        return [item["content"][0]["text"] for item in items if item["type"] == "userMessage"]

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the answer of the agent's own server."""
        asked = (
            {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "tests", "version": "1"}}},
            {"method": "initialized"},
            {"id": 2, "method": method, "params": parameters},
        )
        command = [str(self.program), "app-server"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, env=self.environment, stdin=pipe, stdout=pipe) as server:
            assert server.stdin
            assert server.stdout
            server.stdin.write("".join(f"{json.dumps(line)}\n" for line in asked).encode())
            server.stdin.flush()
            told = (json.loads(line) for line in server.stdout)
            found = next(answer for answer in told if answer.get("id") == 2)
            server.stdin.close()
        assert "result" in found, found
        return dict(found["result"])

    # --- on a terminal ---

    @contextmanager
    def terminal(self, cwd: Path, *, resume: str | None = None, are_hooks_new: bool = False) -> Iterator[CodexTerminal]:
        """Start the agent on a terminal, and trust the hooks it asks about; whatever happens, it is gone afterwards."""
        self.trust(cwd)
        words = ["resume", resume] if resume else []
        started = CodexTerminal(self, resume or "", [str(self.program), *words, "--no-daemon", "--no-alt-screen"], cwd)
        try:
            if are_hooks_new:
                started.trust_hooks()
            started.wait_ready()
            yield started
        finally:
            started.close()


class OlderCodex(Codex):
    """The version whose transcripts are of the older dialect, and whose hooks need no trust but a switch."""

    package: ClassVar[str] = "codex-older"
    native: ClassVar[str] = "codex-older/vendor/*/codex/codex"

    def __init__(self, program: Path, home: Path, model_url: str, path: str) -> None:
        """Prepare the home."""
        super().__init__(program, home, model_url, path)
        handler = {"type": "command", "command": observer(self.observed), "timeout": 3}
        hooks = {event: [{"hooks": [handler]}] for event in OBSERVED}
        (self.config.parent / "hooks.json").write_text(json.dumps({"hooks": hooks}))
        settings = SETTINGS.replace("URL", model_url)
        self.config.write_text(f"{settings}\n[features]\napply_patch_freeform = true\ncodex_hooks = true\n")

    def counters(self, spent: Usage, calls: int) -> dict[str, int]:
        """Return what a checkpoint counts; what went into the cache is unknown, and is input."""
        return {
            "input_tokens": spent.input + spent.cache_creation,
            "cache_read_tokens": spent.cache_read,
            "output_tokens": spent.output,
            "api_call_count": calls,
        }


class CodexTerminal(AgentTerminal):
    """Codex CLI on a terminal; `session` is the id of the session that runs there now, known from its first prompt."""

    def __init__(self, codex: Codex, session: str, arguments: list[str], cwd: Path) -> None:
        """Start the process."""
        self.codex = codex
        self.session = session
        super().__init__(arguments, cwd, codex.environment)

    def trust_hooks(self) -> None:
        """Trust all hooks that the agent asks about when it starts."""
        self.wait(lambda: "Hooks need review" in self.screen, "the question about hooks")
        time.sleep(0.5)
        self.submit("2")

    def wait_ready(self) -> None:
        """Wait until the agent takes input."""
        self.wait(lambda: "YOLO mode" in self.screen, "the input line")

    def _prompts(self) -> list[dict[str, Any]]:
        return [e for e in self.codex.events("UserPromptSubmit") if "agent_id" not in e]

    def prompt(self, prompt: str) -> None:
        """Submit a prompt and wait until its turn began."""
        before = len(self._prompts())
        self.submit(prompt)
        self.wait(lambda: len(self._prompts()) > before, f"the prompt {prompt!r}")
        self.session = str(self._prompts()[-1]["session_id"])

    def turn(self, prompt: str) -> None:
        """Submit a prompt and wait until its turn ended, its hooks included."""
        self.prompt(prompt)
        number = self._prompts()[-1]["turn_id"]

        def ended() -> bool:
            found = (r["payload"] for r in self.codex.records(self.session))
            return any(_END.fullmatch(str(p.get("type"))) and p.get("turn_id") == number for p in found)

        self.wait(ended, f"the end of the turn {prompt!r}")

    def interrupt(self) -> None:
        """Stop the running turn with Escape and wait until the agent wrote that down."""
        before = self.codex.turns_ended(self.session)
        self.type(self.ESCAPE)
        self.wait(lambda: self.codex.turns_ended(self.session) > before, "the record of the interruption")

    def rewind(self) -> None:
        """Press Escape twice and Enter, which takes back the last prompt."""
        ends = len(self.codex.events("SessionEnd"))
        time.sleep(0.3)
        self.type(self.ESCAPE)
        self.wait(lambda: "edit p" in self.screen, "the word on the second Escape")
        time.sleep(0.3)
        self.type(self.ESCAPE)
        self.wait(lambda: "rewind" in self.screen, "the list of prompts")
        time.sleep(0.3)
        self.type(self.ENTER)
        self.wait(lambda: len(self.codex.events("SessionEnd")) > ends, "the rewind")
        time.sleep(0.5)
        self.type("\x15")  # the input line holds the prompt that was taken back

    def clear(self) -> str:
        """Use `/clear` and return the id of the session that follows, which the agent is asked for."""
        at = len(self.screen)
        self.submit("/clear")
        self.wait(lambda: "YOLO mode" in self.screen[at:], "the session after /clear")
        time.sleep(0.5)  # it takes keys only now
        at = len(self.screen)
        self.submit("/status")
        self.wait(lambda: _SHOWN.search(self.screen, at), "the id of the session")
        self.session = _SHOWN.findall(self.screen[at:])[-1]
        return self.session

    def compact(self) -> None:
        """Use `/compact` and wait until the summary took the place of the conversation: a turn of its own."""
        before = self.codex.turns_ended(self.session)
        self.submit("/compact")
        self.wait(lambda: self.codex.turns_ended(self.session) > before, "the record of the compaction")

    def exit(self) -> None:
        """Leave with `/quit` and wait for the process."""
        self.submit("/quit")
        self.process.wait(timeout=PATIENCE)
