"""What a story may ask of a real agent, whichever it is: one class per agent has this shape, and its facts as data."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from script import Part, ToolCall, Turn, Usage, text
from terminal import PATIENCE, Terminal


def installed() -> Path:
    """Return npm's folder of packages: that of ENTIRE_E2E_AGENTS, else of where `make agents` installs them."""
    return Path(os.environ.get("ENTIRE_E2E_AGENTS") or Path(__file__).parent / "agents") / "node_modules"


def binary(agent: type[Driver]) -> Path | None:
    """Return an installed agent's program. Two versions of an agent share one name in npm's folder of programs, so its
    package is asked, or the one with the program that it starts.
    """
    if agent.native:
        return next(installed().glob(agent.native), None)
    package = installed() / agent.package
    try:
        path = package / json.loads((package / "package.json").read_bytes())["bin"][agent.command]
    except FileNotFoundError:
        return None
    return path if path.exists() else None


@dataclass(frozen=True, kw_only=True)
class Run:
    """A headless run that ended."""

    session: str
    status: int
    result: dict[str, Any]
    stderr: str


@dataclass(frozen=True, kw_only=True)
class Running:
    """A headless run that goes on."""

    session: str
    process: subprocess.Popen[bytes]

    def send(self, number: signal.Signals) -> Run:
        """Send a signal to the agent's processes, of which there may be several, and wait for the end."""
        os.killpg(self.process.pid, number)
        return self.finish()

    def finish(self) -> Run:
        """Wait for the end."""
        out, err = self.process.communicate(timeout=2 * PATIENCE)
        lines = out.decode().splitlines()
        first = next((n for n, line in enumerate(lines) if line.startswith("{")), len(lines))
        result = json.loads("\n".join(lines[first:])) if lines[first:] else {}
        return Run(session=self.session, status=self.process.returncode, result=result, stderr=err.decode())


class EventsRunning(Running):
    """A headless run of an agent that prints one event a line, and may say other things between."""

    def finish(self) -> Run:
        """Wait for the end."""
        out, err = self.process.communicate(timeout=2 * PATIENCE)
        events = [json.loads(line) for line in out.splitlines() if line.startswith(b"{")]
        return Run(session=self.session, status=self.process.returncode, result={"events": events}, stderr=err.decode())


@contextmanager
def running(session: str, arguments: list[str], cwd: Path, environment: Mapping[str, str]) -> Iterator[Running]:
    """Start a headless run; whatever happens, the agent is gone afterwards."""
    process = subprocess.Popen(
        arguments,
        cwd=cwd,
        env=environment,
        bufsize=0,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield Running(session=session, process=process)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=PATIENCE)


def observer(folder: Path) -> str:
    """Return a shell command that keeps the payload of a hook as a file of its own."""
    return f'f="{folder}/$(date +%s%N)-$$"; cat > "$f" && mv "$f" "$f.json"'


def payloads(folder: Path, name: str | None, session: str | None) -> list[dict[str, Any]]:
    """Return what an observer kept (of one event, of one session), oldest first."""
    found = [json.loads(path.read_bytes()) for path in sorted(folder.glob("*.json"))]
    return [e for e in found if name in (None, e.get("hook_event_name")) and session in (None, e.get("session_id"))]


class Home:
    """What the drivers of agents have in common: a scratch home whose hooks are observed, and facts of most agents."""

    shows_notices: ClassVar[bool] = True
    masks_secrets: ClassVar[bool] = False
    tells_stopped: ClassVar[bool] = True

    def __init__(self, program: Path, home: Path, path: str, environment: Mapping[str, str]) -> None:
        """Prepare the home; `path` is the PATH of the agent and of everything it starts."""
        self.program = program
        self.home = home
        self.observed = home / ".observed"
        self.observed.mkdir(parents=True, exist_ok=True)
        self.environment = {
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "PATH": path,
            "TERM": "xterm-256color",
            **environment,
        }

    def events(self, name: str | None = None, session: str | None = None) -> list[dict[str, Any]]:
        """Return the hook payloads so far, oldest first."""
        return payloads(self.observed, name, session)

    def transcript(self, session: str) -> Path:
        """Return the path of a session's transcript; where nothing was written yet, a path that does not exist."""
        raise NotImplementedError

    def records(self, session: str) -> list[dict[str, Any]]:
        """Return the complete records of a session's transcript."""
        path = self.transcript(session)
        return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]] if path.exists() else []

    def begins(self, own: bytes, part: bytes) -> bool:
        """Tell whether a transcript begins with a part of it, byte for byte."""
        return own.startswith(part) and (part.endswith(b"\n") or own[len(part) : len(part) + 1] in (b"", b"\n"))

    def subagent_calls(self, session: str) -> list[str]:
        """Return the ids that hooks tell of the tool calls that started a subagent: none."""
        return []

    def counters(self, spent: Usage, calls: int) -> dict[str, int]:
        """Return what a checkpoint counts for these answers."""
        return {
            "input_tokens": spent.input,
            "cache_creation_tokens": spent.cache_creation,
            "cache_read_tokens": spent.cache_read,
            "output_tokens": spent.output,
            "api_call_count": calls,
        }

    def report(self, words: str) -> tuple[Part, ...]:
        """Return the parts with which a subagent ends its work."""
        return (text(words),)

    def headless(self, prompt: str, cwd: Path, *, resume: str | None = None) -> Run:
        """Run one prompt to its end."""
        with self.start(prompt, cwd, resume=resume) as started:
            return started.finish()

    def start(self, prompt: str, cwd: Path, *, resume: str | None = None) -> AbstractContextManager[Running]:
        """Start one prompt, which a test may watch or interrupt; whatever happens, the agent is gone afterwards."""
        raise NotImplementedError


class AgentTerminal(Terminal):
    """An agent on a terminal; `session` is the id of the session that runs there now."""

    session: str

    def prompt(self, prompt: str) -> None:
        """Submit a prompt and wait until its turn began."""
        raise NotImplementedError

    def turn(self, prompt: str) -> None:
        """Submit a prompt and wait until its turn ended, its hooks included."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """Stop the running turn with Escape and wait until the agent wrote that down."""
        raise NotImplementedError

    def clear(self) -> str:
        """Begin another session in the same process and return its id."""
        raise NotImplementedError

    def compact(self) -> None:
        """Have the conversation replaced by a summary and wait until it is."""
        raise NotImplementedError

    def exit(self) -> None:
        """Leave as a person does and wait for the process."""
        raise NotImplementedError


class Driver(Protocol):
    """A scratch home with one agent in it; every session started here shares it."""

    name: ClassVar[str]
    """The agent's name in the registry."""
    type: ClassVar[str]
    """What metadata calls it."""
    package: ClassVar[str]
    """The name in `agents/package.json` of the package that `make agents` installs."""
    command: ClassVar[str]
    """The program of that package."""
    native: ClassVar[str]
    """Where the program lies in npm's folder of packages, if that of the package only starts it; else empty."""
    runs_git_hooks: ClassVar[bool]
    """Whether git runs the repository's hooks in the shells of its tools."""
    files_by_minute: ClassVar[bool]
    """Whether a session that is resumed in another minute than it began in gets a file of another name."""
    records_api_errors: ClassVar[bool]
    """Whether its transcript says that the API failed."""
    input_holds_cached: ClassVar[bool]
    """Whether its figure for input includes what came from the cache."""
    keeps_prompts: ClassVar[bool]
    """Whether the prompts stay in the conversation when a summary takes its place."""
    tells_compaction: ClassVar[bool]
    """Whether its transcript tells the tokens of that summary."""
    turn_end: ClassVar[str]
    """The hook at a turn's end."""
    enabling: ClassVar[tuple[str, ...]]
    """What `entire enable` needs to be told for its hooks to run."""
    shows_notices: ClassVar[bool]
    """Whether it shows what a hook answers to the person."""
    masks_secrets: ClassVar[bool]
    """Whether it hides keys in what its tools print from the model."""
    tells_stopped: ClassVar[bool]
    """Whether its transcript tells the tokens of an answer whose tools were stopped."""
    program: Path
    home: Path
    environment: dict[str, str]

    def __init__(self, program: Path, home: Path, model_url: str, path: str) -> None:
        """Prepare the home so that no dialog appears; `path` is the PATH of the agent and of everything it starts."""

    def events(self, name: str | None = None, session: str | None = None) -> list[dict[str, Any]]:
        """Return the hook payloads so far, oldest first."""

    def transcript(self, session: str) -> Path:
        """Return the path of a session's transcript; where nothing was written yet, a path that does not exist."""

    def records(self, session: str) -> list[dict[str, Any]]:
        """Return the complete records of a session's transcript."""

    def begins(self, own: bytes, part: bytes) -> bool:
        """Tell whether a transcript begins with what a part of it holds."""

    @staticmethod
    def said(transcript: bytes) -> list[str]:
        """Return the texts of the model in a transcript, in order."""

    def prompt_line(self, session: str, prompt: str) -> int:
        """Return how many lines stand before the record of a prompt, -1 if there is none."""

    def answers(self, session: str) -> int:
        """Return how many answers of the model are written down."""

    def subagents(self, session: str) -> dict[str, Path]:
        """Return the transcripts of a session's subagents by their ids."""

    def subagent_calls(self, session: str) -> list[str]:
        """Return the ids that hooks tell of the tool calls that started a subagent."""

    def counters(self, spent: Usage, calls: int) -> dict[str, int]:
        """Return what a checkpoint counts for these answers; an absent key is a figure the agent does not tell."""

    def headless(self, prompt: str, cwd: Path, *, resume: str | None = None) -> Run:
        """Run one prompt to its end."""

    def start(self, prompt: str, cwd: Path, *, resume: str | None = None) -> AbstractContextManager[Running]:
        """Start one prompt, which a test may watch or interrupt; whatever happens, the agent is gone afterwards."""

    def terminal(self, cwd: Path, *, resume: str | None = None) -> AbstractContextManager[AgentTerminal]:
        """Start the agent on a terminal; whatever happens, it is gone afterwards."""

    def resume_command(self, session: str) -> str:
        """Return the command that continues a session."""

    def write(self, path: str, content: str) -> ToolCall:
        """Return the tool call that writes a file."""

    def read(self, path: str) -> ToolCall:
        """Return the tool call that reads a file."""

    def edit(self, path: str, old: str, new: str) -> ToolCall:
        """Return the tool call that replaces a part of a file."""

    def shell(self, command: str) -> ToolCall:
        """Return the tool call that runs a shell command."""

    def delegate(self, prompt: str) -> tuple[ToolCall, ...]:
        """Return the tool calls of an answer that hands a prompt to a subagent and waits for it."""

    def report(self, words: str) -> tuple[Part, ...]:
        """Return the parts with which a subagent ends its work."""

    def summary(self, words: str, usage: Usage) -> Turn:
        """Return what the model answers when the agent asks for a summary of the conversation."""
