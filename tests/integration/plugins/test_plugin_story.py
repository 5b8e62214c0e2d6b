"""The plugins that `entire plugin new` writes: checked, allowed, enabled, and called as their agent would."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from entire_plugin_kit import PROMISES, fixtures, suite, template
from entire_plugin_kit.program.probe import Limits
from entire_plugin_kit.promise import PROGRAM, Status
from entire_plugin_kit.suite import Options
from tests import forks
from tests.forks import BIN

NAME, TYPE, SESSION = "myagent", "Myagent", "s-1"
LIMITS = Limits() if "ENTIRE_LONG" in os.environ else Limits(large_bytes=4_000_000, many_lines=5_000)
THROUGH_THE_HOST = (
    "events", "captured", "lines", "beyond-the-end", "installation", "commands", "broken-configuration", "shell",
)  # fmt: skip
"""What fixtures are enough for, of the promises of adapters."""
NAMES = [promise.name for promise in PROMISES if promise.by == PROGRAM or promise.name in THROUGH_THE_HOST]
NOT_DECLARED = {"preparation", "text", "subagent-figures", "compact"}
SKIPPED = {
    "python": NOT_DECLARED,
    "shell": {
        *NOT_DECLARED,
        *(promise.name for promise in PROMISES if promise.group == "extensions"),
    },  # it speaks version 1 only
}


@pytest.fixture(scope="module", params=template.LANGUAGES)
def plugin(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The language of a new plugin, and its folder."""
    folder = tmp_path_factory.mktemp("plugin") / "new"
    template.write(NAME, request.param, str(folder))
    (folder / "forked").mkdir()
    return request.param, folder


@pytest.mark.parametrize("name", NAMES)
def test_a_new_plugin_keeps_its_promises(name: str, plugin: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    language, folder = plugin
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    options = Options(only=(name,), fixtures=fixtures.load(folder / "fixtures"), limits=LIMITS)
    program = folder / f"entire-agent-{NAME}"
    if language == "python":
        forked = folder / "forked" / program.name
        forks.write(forked, program.read_text(), real=(str(program),))
        program = forked
    (result,) = suite.run(str(program), options)
    expected = Status.SKIPPED if name in SKIPPED[language] else Status.PASSED
    assert result.status is expected, result


class Agent:
    """The imaginary agent at work: writes its transcript, and runs the commands that are installed as its hooks."""

    def __init__(self, language: str, plugin: Path, folder: Path) -> None:
        self.language = language
        self.home, self.root, self.program = folder / "home", folder / "a project", folder / "bin" / plugin.name
        for path in (self.home, self.root, self.program.parent):
            path.mkdir()
        self.program.write_bytes(plugin.read_bytes())
        self.program.chmod(0o755)
        (self.home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.com\n")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "GIT_", "ENTIRE_"))}
        search = os.pathsep.join((str(self.program.parent), str(BIN), os.environ["PATH"]))
        self.env = {**kept, "HOME": str(self.home), "PATH": search, "ENTIRE_TEST_TTY": "0"}
        self.turn = 0
        self.run("git", "init", "-q", "-b", "main")
        (self.root / "README.md").write_text("start\n")
        self.commit("Start")

    def run(self, *words: str, code: int = 0, stdin: str = "") -> str:
        done = subprocess.run(words, cwd=self.root, env=self.env, input=stdin, capture_output=True, text=True)
        assert done.returncode == code, (words, done.stdout, done.stderr)
        return done.stdout or done.stderr

    def json(self, *words: str) -> Any:
        return json.loads(self.run("entire", *words, "--json"))

    def commit(self, message: str) -> None:
        self.run("git", "add", "-A")
        self.run("git", "commit", "-qm", message)

    @property
    def ref(self) -> Path:
        """Return the session's file, as an agent finds it that knows nothing of plugins."""
        project = re.sub(rb"[^A-Za-z0-9]", b"-", os.fsencode(self.root)).decode()
        return self.home / f".{NAME}" / "sessions" / project / f"{SESSION}.jsonl"

    def hook(self, name: str, **given: object) -> None:
        about = {"session_id": SESSION, "transcript_path": str(self.ref), "cwd": str(self.root), "time": now()}
        (command,) = self.commands(name)
        assert self.run("sh", "-c", command, stdin=json.dumps({**about, **given})) == ""

    def commands(self, hook: str) -> list[str]:
        """Return what the agent runs on a hook, as its settings say."""
        if self.language == template.SHELL:
            lines = (self.root / f".{NAME}" / "hooks" / "entire.hooks").read_text().splitlines()
            return [command for name, command in (line.split(" ", 1) for line in lines) if name == hook]
        settings = json.loads((self.root / f".{NAME}" / "settings.json").read_text())
        return [entry["command"] for entry in settings["hooks"][hook]]

    def say(self, kind: str, **record: object) -> None:
        self.ref.parent.mkdir(parents=True, exist_ok=True)
        with self.ref.open("a") as file:
            file.write(json.dumps({"type": kind, **record, "time": now()}) + "\n")

    def ask(self, prompt: str, *files: str, commit: str = "") -> None:
        """Play a turn in which the agent writes files and, with a message, commits them before its answer."""
        self.turn += 1
        self.hook("prompt", turn_id=f"t{self.turn}", prompt=prompt, model="m-1")
        self.say("prompt", text=prompt)
        for name in files:
            (self.root / name).write_text(f"{prompt}\n")
            self.say("change", path=str(self.root / name))
        if commit:
            self.commit(commit)
        self.say("answer", text=f"Did: {prompt}", model="m-1", input_tokens=10, output_tokens=4)
        self.hook("stop", turn_id=f"t{self.turn}", answer=f"Did: {prompt}")

    def part(self, commit: str) -> Any:
        """Return the session's part of the checkpoint of a commit."""
        (checkpoint,) = self.json("explain", "--commit", commit)["checkpoints"]
        (part,) = checkpoint["parts"]
        return part


def told(part: Any) -> tuple[object, ...]:
    prompts, tokens = [prompt["text"] for prompt in part["prompts"]], part["tokens"]
    return part["agent"], prompts, part["files"], tokens["input_tokens"], tokens["output_tokens"]


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


@pytest.fixture
def agent(plugin: tuple[str, Path], tmp_path: Path) -> Agent:
    language, folder = plugin
    return Agent(language, folder / f"entire-agent-{NAME}", tmp_path)


def test_the_whole_story(agent: Agent) -> None:
    refused = agent.run("entire", "enable", "--agent", NAME, code=2)
    assert f"`entire plugin allow {NAME}`" in refused
    agent.run("entire", "plugin", "allow", NAME, "--yes")
    agent.run("entire", "enable", "--agent", NAME)
    agent.commit("Enable")
    agent.hook("session-start")

    agent.ask('say "one" to Zoë', "one.txt")
    agent.commit("One")
    agent.ask("write two", "two.txt", commit="Two, in the turn")
    agent.ask("write three", "three.txt")
    first, second = (agent.part(commit) for commit in ("HEAD~1", "HEAD"))
    assert (told(first), told(second)) == (
        (TYPE, ['say "one" to Zoë'], ["one.txt"], 10, 4),
        (TYPE, ["write two"], ["two.txt"], 10, 4),
    )

    before = agent.ref.read_bytes()
    point = next(point for point in agent.json("rewind", "--list") if point["message"] == "Write two")
    assert f"{NAME} --resume {SESSION}" in agent.run("entire", "rewind", "--to", point["id"], "--yes")
    assert not (agent.root / "three.txt").exists()
    assert agent.ref.read_bytes() == b"".join(before.splitlines(keepends=True)[:6])
    agent.run("entire", "rewind", "--undo", "--yes")
    assert (agent.root / "three.txt").exists()
    assert agent.ref.read_bytes() == before

    agent.hook("session-end")
    agent.commit("Three")
    assert "No problems found" in agent.run("entire", "doctor")
    assert agent.json("status")["warnings"] == []

    elsewhere = agent.root.parent / "elsewhere"
    agent.run("git", "clone", "-q", str(agent.root), str(elsewhere))
    agent.run("git", "-C", str(elsewhere), "fetch", "-q", "origin", "entire/checkpoints/v1:entire/checkpoints/v1")
    origin, agent.root = agent.ref, elsewhere
    agent.run("entire", "enable", "--agent", NAME)
    origin.unlink()
    assert f"{NAME} --resume {SESSION}" in agent.run("entire", "resume", "main", "--force")
    assert agent.ref.read_bytes() == before
    assert agent.ref != origin

    agent.run("entire", "disable", "--uninstall", "--force")
    assert not (agent.root / f".{NAME}").exists()


def test_a_changed_plugin_breaks_no_turn(agent: Agent) -> None:
    agent.run("entire", "plugin", "allow", NAME, "--yes")
    agent.run("entire", "enable", "--agent", NAME)
    agent.commit("Enable")
    agent.ask("write one", "one.txt")
    agent.program.write_bytes(agent.program.read_bytes() + b"\n# changed\n")
    agent.ask("write two", "two.txt")
    (warning,) = agent.json("status")["warnings"]
    assert f"the plugin {NAME} has changed since you allowed it, so it does not run" in warning
    agent.run("entire", "plugin", "allow", NAME, "--yes")
    agent.commit("Both")
    assert "Entire-Checkpoint" in agent.run("git", "log", "-1", "--format=%B")
    assert agent.json("status")["warnings"] == []
