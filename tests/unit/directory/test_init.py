"""The directory of agents: built-in ones, then plugins, only where they may be started, and in a hook its own only."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from entire.agents import registry
from entire.agents.claude_code.agent import ClaudeCode
from entire.directory import AgentDirectory, packages
from entire.errors import EntireError, UsageError
from entire.layout import Place
from entire.plugin_host.inventory import discovery
from entire.plugin_host.inventory.trust import Decisions
from entire.plugin_host.plugins import NotAllowedError, PluginInventory

BUILT_IN = AgentDirectory.without_plugins()
SPOKEN = [entry.spoken_name for entry in registry.BUILTIN.values() if entry.spoken_name]


class Shelf:
    """A folder on PATH with plugins, and a repository."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.env = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(folder / "home")}
        top = folder / "repo"
        (top / ".git").mkdir(parents=True)
        self.place = Place(top=str(top), git_dir=f"{top}/.git", common_dir=f"{top}/.git")

    def add(self, name: str, *, is_allowed: bool = True, **fields: Any) -> None:
        info = {"protocol_version": 1, "name": name, "type": name.upper(), **fields}
        path = self.bin / f"entire-agent-{name}"
        path.write_text(f"#!/bin/sh\necho '{json.dumps(info)}'\n")
        path.chmod(0o755)
        found = discovery.find(name, self.env)
        assert found is not None
        if is_allowed:
            Decisions(self.env).allow(found)

    def agents(self, hook_of: str = "") -> AgentDirectory:
        return AgentDirectory(PluginInventory(self.place, self.env, is_switched_on=lambda: False, hook_of=hook_of))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def names(agents: AgentDirectory) -> list[str]:
    return [entry.name for entry in agents.entries() if entry.name not in registry.BUILTIN]


def test_lines_of_built_in_agents_need_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "_search", lambda: pytest.fail("packages were searched"))
    monkeypatch.setattr(packages, "_searched", {})
    assert BUILT_IN.find("claude-code").type == "Claude Code"
    found = BUILT_IN.find_by_type("Demo Agent")
    assert found is not None
    assert found.name == "demo"
    assert isinstance(BUILT_IN.make("claude-code"), ClaudeCode)
    assert BUILT_IN.find("claude-code").project_dir({"CLAUDE_PROJECT_DIR": "/p"}) == "/p"
    assert BUILT_IN.find("demo").session_dir({"": "/p"}) == ""
    assert BUILT_IN.spoken_names("") == SPOKEN


def test_an_alias_means_the_same_agent() -> None:
    assert BUILT_IN.find("gemini-cli") is BUILT_IN.find("gemini")
    assert BUILT_IN.make("gemini-cli").name == "gemini"
    assert BUILT_IN.find("gemini-cli").project_dir({"GEMINI_PROJECT_DIR": "/p"}) == "/p"


def test_lines_are_read_without_loading_a_room() -> None:
    loaded = {name for name in sys.modules if name.startswith("entire.agents.")}
    assert BUILT_IN.protected_dirs() == {name for entry in registry.BUILTIN.values() for name in entry.protected_dirs}
    assert {".claude", ".github/hooks"} <= BUILT_IN.protected_dirs()
    assert [entry.name for entry in BUILT_IN.entries()] == sorted(registry.BUILTIN)
    assert {name for name in sys.modules if name.startswith("entire.agents.")} == loaded


def test_an_adapter_gets_the_metadata_of_its_session() -> None:
    given = {"colour": "red"}
    assert BUILT_IN.make("claude-code", given).metadata == given
    assert BUILT_IN.make("demo").metadata == {}


def test_the_type_of_an_agent_that_need_not_be_installed() -> None:
    assert BUILT_IN.describe("claude-code").type == "Claude Code"
    assert (BUILT_IN.describe("cursor").type, BUILT_IN.find_by_type("Cursor")) == ("Cursor", None)
    assert BUILT_IN.describe("parrot").type == "parrot"


def test_plugins_that_may_run_come_last(shelf: Shelf) -> None:
    for name in ("b", "a", "c"):
        shelf.add(name, is_allowed=name != "c")
    assert names(shelf.agents()) == ["a", "b"]
    assert names(BUILT_IN) == []


def test_an_entry_is_what_the_plugin_says(shelf: Shelf) -> None:
    more = {"spoken_name": "ex", "project_variable": "X_DIR", "session_variable": "X_ID"}
    shelf.add("x", type="Agent X", description="it does", protected_dirs=[".x", "a/b"], entire=more,
              caller_env_vars=["X_PID"])  # fmt: skip
    agents = shelf.agents()
    entry = agents.find("x")
    assert entry == registry.AgentEntry(
        name="x", type="Agent X", target=str(shelf.bin / "entire-agent-x"), description="it does",
        protected_dirs=(".x", "a/b"), spoken_name="ex", project_variable="X_DIR", session_variable="X_ID",
        caller_variables=("X_PID", "X_ID"),
    )  # fmt: skip
    assert (entry.is_plugin, registry.BUILTIN["demo"].is_plugin) == (True, False)
    assert agents.find_by_type("Agent X") == entry
    assert agents.describe("x").type == "Agent X"
    assert agents.protected_dirs() - BUILT_IN.protected_dirs() == {".x", "a/b"}
    assert agents.spoken_names("x") == [*SPOKEN, "ex"]
    assert entry.project_dir({"X_DIR": "/p"}) == "/p"
    agent = agents.make("x", {"colour": "red"})
    assert (agent.name, agent.type, agent.metadata) == ("x", "Agent X", {"colour": "red"})


@pytest.mark.parametrize(
    "ask",
    [
        lambda: BUILT_IN.find("x"),
        lambda: BUILT_IN.make("x"),
        lambda: BUILT_IN.find_by_type("X") or BUILT_IN.find("none"),
        lambda: BUILT_IN.make_by_type("X") or BUILT_IN.find("none"),
    ],
)
def test_without_plugins_nobody_looks_at_path(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, ask: Callable[[], object]
) -> None:
    shelf.add("x")
    monkeypatch.setenv("PATH", shelf.env["PATH"])
    monkeypatch.setattr(discovery, "_look", lambda *_: pytest.fail("looked at PATH"))
    with pytest.raises(UsageError, match="there is no agent called"):
        ask()
    assert BUILT_IN.describe("x").type == "x"


def test_a_hook_looks_for_its_own_plugin_only(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.add("x")
    shelf.add("y")
    monkeypatch.setattr(discovery, "_names", lambda *_: pytest.fail("searched a folder"))
    agents = shelf.agents(hook_of="x")
    assert agents.make("x").name == "x"
    for ask in (lambda: agents.make("y"), lambda: agents.find("y")):
        with pytest.raises(UsageError, match="no agent called 'y'"):
            ask()
    assert agents.find_by_type("Y") is None


def test_the_adapters_of_a_hook_share_one_budget(shelf: Shelf) -> None:
    shelf.add("x")
    agents = shelf.agents(hook_of="x")
    first: Any = agents.make("x", {"a": "1"})
    second: Any = agents.make("x", {"b": "2"})
    assert first is not second
    assert (first.metadata, second.metadata) == ({"a": "1"}, {"b": "2"})
    assert first._plugin.calls.program is second._plugin.calls.program


def test_one_that_is_not_allowed(shelf: Shelf) -> None:
    shelf.add("x", is_allowed=False)
    with pytest.raises(NotAllowedError) as error:
        shelf.agents().make("x")
    path = shelf.bin / "entire-agent-x"
    assert error.value.message == f"the plugin x is not allowed to run ({path})"
    assert error.value.hint == "`entire plugin allow x` lets it run"


@pytest.mark.parametrize("agent_type", ["Claude Code", "Gemini CLI"])
def test_a_type_that_is_taken(shelf: Shelf, agent_type: str) -> None:
    shelf.add("x", type=agent_type)
    assert names(shelf.agents()) == []
    with pytest.raises(EntireError, match=f"the plugin x is ignored: the type '{agent_type}' is taken"):
        shelf.agents().make("x")
    found = shelf.agents().find_by_type(agent_type)
    assert found is not None and found.name in registry.BUILTIN


@pytest.mark.parametrize("name", ["git", "demo", "gemini-cli"])
def test_a_name_that_is_taken(shelf: Shelf, name: str) -> None:
    shelf.add(name)
    assert names(shelf.agents()) == []
    assert BUILT_IN.is_taken(name)
    assert shelf.agents().describe(name).type != name.upper()


def test_two_plugins_of_one_type(shelf: Shelf) -> None:
    shelf.add("x", type="Same")
    shelf.add("y", type="Same")
    assert names(shelf.agents()) == ["x"]


def test_a_plugin_that_fails_is_asked_once(shelf: Shelf, tmp_path: Path) -> None:
    shelf.add("x")
    (shelf.bin / "entire-agent-x").write_text(f"#!/bin/sh\necho $1 >>{tmp_path}/calls\nexit 1\n")
    found = discovery.find("x", shelf.env)
    assert found is not None
    Decisions(shelf.env).allow(found)
    agents = shelf.agents()
    assert names(agents) == names(agents) == []
    with pytest.raises(EntireError, match="failed with status 1"):
        agents.make("x")
    assert (tmp_path / "calls").read_text() == "info\n"
