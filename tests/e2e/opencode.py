"""Runs the real OpenCode, headless or on a terminal of its own, against a scripted model server.

Tests wait for facts, as with the other agents. OpenCode's plugin calls `entire`, so the payloads come from a program of
that name that stands before it on the agent's PATH, keeps what it is given once `entire` has done its work, and hands
everything on.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar

from driver import AgentTerminal, EventsRunning, Home, Run, Running, running
from script import ToolCall, Turn, Usage, answer, text, tool, turn
from terminal import PATIENCE

VERSION = "1.18.33"
MODEL = "local/scripted"
ENVIRONMENT = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_SHARE": "1",
}
"""Keeps the agent from talking to anyone but the scripted server."""
IGNORED = ("node_modules", "package.json", "package-lock.json", "bun.lock", ".gitignore")
"""What the agent itself has git ignore in its folder."""
OBSERVER = """\
#!/bin/sh
[ "$1 $2" = "hooks opencode" ] || exec {entire} "$@"
f="{observed}/$(date +%s%N)-$$"
cat > "$f"
{entire} "$@" < "$f"
status=$?
{{ printf '{{"hook_event_name":"%s",' "$3"; tail -c +2 "$f"; }} > "$f.new" && mv "$f.new" "$f.json"
exit $status
"""


def settings(model_url: str) -> dict[str, Any]:
    """Return the settings of the scratch home."""
    model = {"name": "Scripted", "tool_call": True, "limit": {"context": 1_000_000, "output": 4096}}
    provider = {"npm": "@ai-sdk/anthropic", "name": "Local", "models": {"scripted": model},
                "options": {"baseURL": f"{model_url}/v1", "apiKey": "dummy-key"}}  # fmt: skip
    return {
        "autoupdate": False, "share": "disabled", "model": MODEL, "small_model": MODEL, "enabled_providers": ["local"],
        "permission": {"*": "allow"}, "provider": {"local": provider},
    }  # fmt: skip


class OpenCode(Home):
    """One scratch home with OpenCode in it; every session started here shares it."""

    name: ClassVar[str] = "opencode"
    type: ClassVar[str] = "OpenCode"
    package: ClassVar[str] = "opencode-ai"
    command: ClassVar[str] = "opencode"
    native: ClassVar[str] = "opencode-ai/bin/opencode"
    runs_git_hooks: ClassVar[bool] = True
    files_by_minute: ClassVar[bool] = False
    records_api_errors: ClassVar[bool] = True
    input_holds_cached: ClassVar[bool] = False
    keeps_prompts: ClassVar[bool] = False
    tells_compaction: ClassVar[bool] = True
    tells_stopped: ClassVar[bool] = False
    turn_end: ClassVar[str] = "turn-end"
    enabling: ClassVar[tuple[str, ...]] = ()

    def __init__(self, program: Path, home: Path, model_url: str, path: str) -> None:
        """Prepare the home so that nothing is installed; `path` is the PATH of the agent and of what it starts."""
        shared = Path(path.partition(":")[0])
        if not (shared / "opencode").exists():
            (shared / "opencode").symlink_to(program)  # a person has it on PATH, too
        super().__init__(program, home, f"{home / 'bin'}:{path}", ENVIRONMENT)
        observer = home / "bin" / "entire"
        observer.parent.mkdir(exist_ok=True)
        observer.write_text(OBSERVER.format(entire=shared / "entire", observed=self.observed))
        observer.chmod(0o755)
        config = home / ".config" / "opencode"
        self._prepare(config)
        (config / "opencode.json").write_text(json.dumps(settings(model_url)))
        self.database = home / ".local" / "share" / "opencode" / "opencode.db"

    def _prepare(self, folder: Path) -> None:
        """Write what the agent would install into a folder of plugins, which ours does not need."""
        (folder / "node_modules").mkdir(parents=True, exist_ok=True)
        wanted = {"dependencies": {"@opencode-ai/plugin": VERSION}}
        (folder / "package.json").write_text(json.dumps(wanted))
        (folder / "package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": {"": wanted}}))
        (folder / ".gitignore").write_text("\n".join(IGNORED))

    # --- facts ---

    def events(self, name: str | None = None, session: str | None = None) -> list[dict[str, Any]]:
        """Return the hook payloads so far, oldest first; a turn that was stopped ends by an event of its own."""
        found = super().events(None, session)
        for event in found:
            if event["hook_event_name"] == self.turn_end and event.get("reason"):
                event["hook_event_name"] = "turn-stopped"
        return [event for event in found if name in (None, event["hook_event_name"])]

    def _rows(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        if not self.database.exists():
            return []
        with closing(sqlite3.connect(self.database, timeout=PATIENCE)) as connection:
            return connection.execute(question, values).fetchall()

    def messages(self, session: str) -> list[dict[str, Any]]:
        """Return the messages of a session as they are exported."""
        parts: dict[str, list[dict[str, Any]]] = {}
        for part, message, data in self._rows(
            "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id", session
        ):
            parts.setdefault(message, []).append(
                {**json.loads(data), "id": part, "messageID": message, "sessionID": session}
            )
        rows = self._rows("SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", session)
        return [{"info": {**json.loads(data), "id": name, "sessionID": session}, "parts": parts.get(name, [])}
                for name, data in rows]  # fmt: skip

    @staticmethod
    def is_export(printed: bytes, messages: list[dict[str, Any]]) -> bool:
        """Tell whether this is what `opencode export` printed of a session with these messages."""
        return bool(json.loads(printed)["messages"] == messages)

    def transcript(self, session: str) -> Path:
        """Return a file with the session's rows as lines, made now; one that does not exist if there are none."""
        found = self.observed / f"{session}.lines"
        found.unlink(missing_ok=True)
        if messages := self.messages(session):
            found.touch(0o600)
            found.write_text("".join(f"{json.dumps(native)}\n" for native in ({"info": {"id": session}}, *messages)))
        return found

    def begins(self, own: bytes, part: bytes) -> bool:
        """Tell whether a part has the same messages: keys are in another order after an import, and what a turn changed
        is added to its prompt later.
        """
        ours, others = (list(map(_settled, data.splitlines())) for data in (own, part))
        return bool(others) and ours[: len(others)] == others

    @staticmethod
    def said(transcript: bytes) -> list[str]:
        """Return the texts of the model in a transcript, in order."""
        natives = [json.loads(line) for line in transcript.splitlines()]
        parts = [n["parts"] for n in natives if n["info"].get("role") == "assistant"]
        return [part["text"] for each in parts for part in each if part["type"] == "text"]

    def prompt_line(self, session: str, prompt: str) -> int:
        """Return how many lines stand before the record of a prompt, -1 if there is none."""
        found = enumerate(self.messages(session), 1)
        return next((n for n, m in found if [p.get("text") for p in m["parts"]][:1] == [prompt]), -1)

    def answers(self, session: str) -> int:
        """Return how many answers of the model are written down."""
        return sum(message["info"]["role"] == "assistant" for message in self.messages(session))

    def subagents(self, session: str) -> dict[str, Path]:
        """Return the transcripts of a session's subagents by their ids."""
        found = self._rows("SELECT id FROM session WHERE parent_id = ?", session)
        return {child: self.transcript(child) for (child,) in found}

    def subagent_calls(self, session: str) -> list[str]:
        """Return the ids that hooks tell of the tool calls that started a subagent."""
        return [str(event["tool_use_id"]) for event in self.events("subagent-start", session)]

    def resume_command(self, session: str) -> str:
        """Return the command that continues a session."""
        return f"opencode -s {session}"

    # --- what a script says to it ---

    def write(self, path: str, content: str) -> ToolCall:
        """Return the tool call that writes a file."""
        return tool("write", filePath=path, content=content)

    def read(self, path: str) -> ToolCall:
        """Return the tool call that reads a file."""
        return tool("read", filePath=path)

    def edit(self, path: str, old: str, new: str) -> ToolCall:
        """Return the tool call that replaces a part of a file."""
        return tool("edit", filePath=path, oldString=old, newString=new)

    def shell(self, command: str) -> ToolCall:
        """Return the tool call that runs a shell command."""
        return tool("bash", command=command, description="Work in the shell")

    def delegate(self, prompt: str) -> tuple[ToolCall, ...]:
        """Return the tool call that hands a prompt to a subagent and waits for it."""
        return (tool("task", description="Do it", prompt=prompt, subagent_type="general"),)

    def summary(self, words: str, usage: Usage) -> Turn:
        """Return what the model answers when the agent asks for a summary of the conversation."""
        return turn(re.compile("summar", re.IGNORECASE), answer(text(words), usage=usage))

    # --- headless ---

    @contextmanager
    def start(self, prompt: str, cwd: Path, *, resume: str | None = None, fork: bool = False) -> Iterator[Running]:
        """Start one prompt, which a test may watch or interrupt; whatever happens, the agent is gone afterwards."""
        self._prepare_project(cwd)
        choice = [*(["-s", resume] if resume else []), *(["--fork"] if fork else [])]
        # A word with a blank would be quoted in the prompt.
        command = [str(self.program), "run", "--format", "json", *choice, "--", *prompt.split(" ")]
        with running("", command, cwd, self.environment) as started:
            assert started.process.stdout
            line = started.process.stdout.readline()
            if not line:
                raise AssertionError(started.finish().stderr)
            yield EventsRunning(session=str(json.loads(line)["sessionID"]), process=started.process)

    def fork(self, prompt: str, cwd: Path, session: str) -> Run:
        """Run one prompt in a copy of a session, which gets an id of its own."""
        with self.start(prompt, cwd, resume=session, fork=True) as started:
            return started.finish()

    def _prepare_project(self, cwd: Path) -> None:
        for root in (cwd, *cwd.parents):
            if (root / ".opencode").is_dir():
                self._prepare(root / ".opencode")

    # --- on a terminal ---

    @contextmanager
    def terminal(self, cwd: Path, *, resume: str | None = None) -> Iterator[OpenCodeTerminal]:
        """Start the agent on a terminal; whatever happens, it is gone afterwards."""
        self._prepare_project(cwd)
        words = ["-s", resume] if resume else []
        started = OpenCodeTerminal(self, resume or "", [str(self.program), *words], cwd)
        try:
            started.wait_ready()
            yield started
        finally:
            started.close()


def _settled(line: bytes) -> dict[str, Any]:
    native: dict[str, Any] = json.loads(line)
    if "parts" not in native:
        return {"id": native["info"]["id"]}
    if native["info"]["role"] == "user":
        native["info"].pop("summary", None)
    return native


class OpenCodeTerminal(AgentTerminal):
    """OpenCode on a terminal; `session` is the id of the session that runs there now, known from its first prompt."""

    patience = 3 * PATIENCE  # it draws all the time: beside other tests, a turn has taken a minute

    def __init__(self, opencode: OpenCode, session: str, arguments: list[str], cwd: Path) -> None:
        """Start the process."""
        self.opencode = opencode
        self.session = session
        super().__init__(arguments, cwd, opencode.environment)

    def wait_ready(self) -> None:
        """Wait until the agent takes input."""
        self.wait(lambda: "Ask anything" in self.screen or "commands" in self.screen, "the input line")
        time.sleep(1.0)

    def prompt(self, prompt: str) -> None:
        """Submit a prompt and wait until its turn began."""
        before = len(self.opencode.events("turn-start"))
        self.submit(prompt)
        self.wait(lambda: len(self.opencode.events("turn-start")) > before, f"the prompt {prompt!r}")
        self.session = str(self.opencode.events("turn-start")[-1]["session_id"])

    def turn(self, prompt: str) -> None:
        """Submit a prompt and wait until its turn ended, its hooks included."""
        before = len(self.opencode.events("turn-end"))
        self.prompt(prompt)
        self.wait(lambda: len(self.opencode.events("turn-end")) > before, f"the end of the turn {prompt!r}")

    def interrupt(self) -> None:
        """Stop the running turn with Escape, pressed twice, and wait until that was reported."""
        before = len(self.opencode.events("turn-stopped"))
        self.type(self.ESCAPE)
        time.sleep(0.5)
        self.type(self.ESCAPE)
        self.wait(lambda: len(self.opencode.events("turn-stopped")) > before, "the report of the interruption")

    def clear(self) -> str:
        """Use `/new`; the session that follows has its id when it is first prompted."""
        raise NotImplementedError

    def compact(self) -> None:
        """Use `/compact` and wait until the summary took the place of the conversation."""
        before = len(self.opencode.events("compaction"))
        self.submit("/compact")
        self.wait(lambda: len(self.opencode.events("compaction")) > before, "the report of the compaction")

    def exit(self) -> None:
        """Leave with Control-C and wait for the process."""
        self.type("\x03")
        self.process.wait(timeout=PATIENCE)
