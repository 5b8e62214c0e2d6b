"""What a hook of an agent that a plugin connects may load, start and look at, beside what the plugin itself does.

Proved by counting, as in ``test_hook_path``, whose bounds hold for all other hooks wherever plugins are installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.hookworld import ELSEWHERE, HEAVY, SESSION, World
from tests.architecture.places import PACKAGE

PLUGIN = PACKAGE.parents[1] / "bench" / "quick_plugin.sh"
FILE = "entire-agent-quick"

# Exactly what each hook asks its plugin, a process each.
CALLS = {
    "session-start": ["parse-hook", "get-session-dir"],  # the latter once for each repository
    "prompt": ["parse-hook", "get-transcript-position"],
    "stop": ["parse-hook", "extract-modified-files", "extract-prompts", "extract-summary", "calculate-tokens"],
    "session-end": ["parse-hook"],
}
# Processes of git, exactly: as many as for built-in agents.
GIT = {"session-start": 0, "prompt": 2, "stop": 4, "session-end": 0}
# Modules of Entire, at most: those of ``test_hook_path``, without an agent's own room, and some for the host, which
# speaks of prompts.
MODULES = {"session-start": 75, "prompt": 99, "stop": 110, "session-end": 73}


class PluginWorld(World):
    """A world with a plugin in the second of three folders on PATH, which the user has allowed."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.transcript = folder / "sessions" / f"{SESSION}.jsonl"
        self.transcript.parent.mkdir()
        self._calls = folder / "calls"
        self.config = folder / "config"
        self.first, self.bin, self.last = (folder / name for name in ("first", "plugins", "last"))
        for path in (self.first, self.bin, self.last):
            path.mkdir()
        is_file = f'if [ -f /dev/stdin ]; then echo "$1" >>"{folder}/given"; fi'
        (self.bin / FILE).write_text(f'#!/bin/sh\necho "$1" >>"{self._calls}"\n{is_file}\n. "{PLUGIN}"\n')
        (self.bin / FILE).chmod(0o755)
        self.env |= {
            "XDG_CONFIG_HOME": str(self.config),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "PATH": os.pathsep.join(map(str, (folder / "bin", self.first, self.bin, self.last, os.environ["PATH"]))),
        }
        words = [sys.executable, "-m", "entire", "plugin", "allow", "--yes", "quick"]
        subprocess.run(words, cwd=self.repo, env=self.env, check=True, capture_output=True)
        self.calls()

    def calls(self) -> list[str]:
        """Return the subcommands that the plugin was called with since the last time."""
        found = self._calls.read_text().split() if self._calls.exists() else []
        self._calls.unlink(missing_ok=True)
        return found

    def write(self, **record: object) -> None:
        """Append a record to the transcript as the plugin's agent writes it."""
        with self.transcript.open("a") as file:
            file.write(json.dumps(record, separators=(",", ":")) + "\n")

    def play(self) -> Iterator[tuple[str, set[str], list[str]]]:
        """Play a session of one turn that writes a file: each hook with the modules and git commands it took."""
        yield "session-start", *self.hook("session-start", "quick")
        yield "prompt", *self.hook("prompt", "quick", turn_id="t1", prompt="Write b.txt")
        self.write(type="prompt", text="Write b.txt")
        (self.repo / "b.txt").write_text("two\n")
        self.write(type="change", path=str(self.repo / "b.txt"))
        self.write(type="answer", text="Done.")
        yield "stop", *self.hook("stop", "quick", turn_id="t1", answer="Done.")
        assert len(self.steps()) == 1, "the turn's end saved nothing"
        yield "session-end", *self.hook("session-end", "quick")
        assert self.state()["agent_type"] == "Quick"

    def names(self) -> Counter[str]:
        """Return where the last hook looked for the plugin, and how often in each folder."""
        return Counter(path for how, path in self.looked if how == "look" and os.path.basename(path) == FILE)

    def opened(self) -> Counter[str]:
        """Return what the last hook opened, without its modules."""
        return Counter(path for how, path in self.looked if how == "open" and str(PACKAGE.parent) not in path)

    def listed(self) -> set[str]:
        return {path for how, path in self.looked if how in ("os.listdir", "os.scandir")}


@pytest.fixture
def world(tmp_path: Path) -> PluginWorld:
    return PluginWorld(tmp_path)


def of_host(modules: set[str]) -> set[str]:
    return {name for name in modules if name.startswith("entire.plugin_host")}


def test_each_hook_starts_its_plugin_only_for_what_it_needs(world: PluginWorld) -> None:
    assert {verb: world.calls() for verb, *_ in world.play()} == CALLS
    world.hook("session-start", "quick")
    assert world.calls() == ["parse-hook"], "the session folder was asked for again"


def test_the_hooks_of_a_plugin_stay_within_their_git_budget(world: PluginWorld) -> None:
    started = {verb: commands for verb, _, commands in world.play()}
    assert {verb: len(commands) for verb, commands in started.items()} == GIT, started


def test_the_hooks_of_a_plugin_load_only_what_they_need(world: PluginWorld) -> None:
    loaded = {}
    for verb, modules, _ in world.play():
        assert modules & HEAVY == set(), verb
        assert {name for name in modules if name.startswith(tuple(ELSEWHERE))} == set(), verb
        rooms = {name.split(".")[2] for name in modules if name.startswith("entire.agents.")}
        assert rooms & {"claude_code", "demo", "gemini"} == set(), verb
        unused = {"asked_transcript", "asking", "enabled", "parts", "problems", "questions", "scratch"}
        assert {name.rpartition(".")[2] for name in of_host(modules)} & unused == set(), verb
        patterns = set() if verb == "stop" else {"re"}  # a transcript has names that only patterns judge
        assert (patterns | {"entire.git.tracked"}) & modules == set(), verb
        loaded[verb] = {name for name in modules if name.startswith("entire")}
    assert {verb: len(names) for verb, names in loaded.items() if len(names) > MODULES[verb]} == {}, loaded


def test_a_hook_looks_for_its_plugin_once_and_no_further(world: PluginWorld) -> None:
    search = {str(folder / FILE) for folder in (world.folder / "bin", world.first)}
    for verb, *_ in world.play():
        found = world.names()
        assert found.keys() == {*search, str(world.bin / FILE)}, verb
        assert {path for path in search if found[path] > 1} == set(), verb
        assert world.listed() & {str(world.first), str(world.bin), str(world.last), *os.get_exec_path()} == set(), verb


def test_a_hook_reads_what_is_remembered_of_its_plugin_once(world: PluginWorld) -> None:
    remembered = (str(world.config / "entire/plugins.json"), str(world.folder / "cache/entire/plugins/quick.json"))
    for verb, *_ in world.play():
        opened = world.opened()
        assert opened[remembered[0]] == 1, verb
        assert opened[remembered[1]] == 1 or verb == "session-start", verb  # which writes it


def test_a_transcript_does_not_pass_through_a_hook(world: PluginWorld) -> None:
    """The plugin reads the agent's file itself, so that the hook's cost does not grow with it."""
    list(world.play())
    assert (world.folder / "given").read_text().split() == ["calculate-tokens"]
    note = json.loads((world.repo / f".git/entire/sessions/{SESSION}.turns").read_text())
    assert note["tokens"]["api_call_count"] == 1


def test_a_new_session_asks_nothing_about_others(world: PluginWorld) -> None:
    """Version 1 cannot tell a fork: the transcripts of other sessions are not even opened."""
    list(world.play())
    world.calls()
    other = world.transcript.with_name("other.jsonl")
    other.write_bytes(world.transcript.read_bytes())
    world.hook("session-start", "quick", session_id="other", transcript_path=str(other))
    world.hook("prompt", "quick", session_id="other", transcript_path=str(other), prompt="Go on")
    assert world.calls() == ["parse-hook", *CALLS["prompt"]]


def test_where_settings_allow_all_plugins_git_is_asked_once_about_them(world: PluginWorld) -> None:
    (world.config / "entire/plugins.json").unlink()
    (world.repo / ".entire/entire.json").write_text('{"external_agents": true}')
    for verb, _, commands in world.play():
        asked = [command for command in commands if " ls-files " in command]
        assert (len(asked), len(commands)) == (1, GIT[verb] + 1), (verb, commands)


# ---------------------------------------------------------------- hooks that must not meet a plugin

DORMANT = {"entire.agents.opaque", "entire.recording.stored_agent", "entire.store.step_transcripts"}


def test_gits_hooks_meet_no_plugin(world: PluginWorld) -> None:
    """They cost what they cost with any other agent, but for the modules that stand in for the plugin."""
    list(world.play())
    world.calls()
    found = {}
    for name, modules, commands in world.commit():
        assert of_host(modules) == set(), name
        assert_no_plugin_is_near(world, name)
        found[name] = modules, commands
    assert "Entire-Checkpoint: " in world.git("log", "-1", "--format=%B"), "the commit is not linked"
    others = {}
    (world.folder / "claudes").mkdir()
    claudes = World(world.folder / "claudes")
    list(claudes.turn())
    for name, modules, commands in claudes.commit():
        others[name] = modules, commands
    for name, (modules, commands) in found.items():
        assert [command.split()[:1] for command in commands] == [command.split()[:1] for command in others[name][1]]
        rooms = {module for module in others[name][0] if module.startswith("entire.agents.claude_code")}
        assert modules - others[name][0] <= DORMANT, name
        assert len(modules) <= len(others[name][0] - rooms) + len(DORMANT), name


def test_the_hooks_of_built_in_agents_meet_no_plugin(world: PluginWorld) -> None:
    """Also while a session of a plugin works in the same worktree."""
    world.hook("session-start", "quick")
    world.hook("prompt", "quick", prompt="Write b.txt")
    world.calls()
    session = "1c6b0e2f-7a8d-4e3b-b1c2-3d4e5f6a7b8c"
    for verb in ("session-start", "user-prompt-submit", "stop", "session-end"):
        modules, _ = world.hook(verb, session_id=session, transcript_path=str(world.folder / "x.jsonl"), prompt="Hi")
        assert of_host(modules) == set(), verb
        assert_no_plugin_is_near(world, verb)


def assert_no_plugin_is_near(world: PluginWorld, hook: str) -> None:
    assert world.calls() == [], hook
    assert [path for _, path in world.looked if "entire-agent-" in path] == [], hook
    assert [path for _, path in world.looked if path.startswith(str(world.config))] == [], hook
    assert world.listed() & {str(world.first), str(world.bin), str(world.last)} == set(), hook
