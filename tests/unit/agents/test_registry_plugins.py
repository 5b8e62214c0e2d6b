"""Plugins in the table of agents: after all others, only where asked for, and in a hook its own only."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from entire.agents import registry
from entire.agents.external.inventory import discovery
from entire.agents.external.inventory.trust import Decisions
from entire.agents.external.plugins import NotAllowedError, Plugins
from entire.errors import EntireError, UsageError
from entire.layout import Place


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

    def plugins(self, hook_of: str = "") -> Plugins:
        return Plugins(self.place, self.env, is_switched_on=lambda: False, hook_of=hook_of)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def names(plugins: Plugins | None) -> list[str]:
    return [entry.name for entry in registry.entries(plugins) if entry.name not in registry.BUILTIN]


def test_plugins_that_may_run_come_last(shelf: Shelf) -> None:
    for name in ("b", "a", "c"):
        shelf.add(name, is_allowed=name != "c")
    assert names(shelf.plugins()) == ["a", "b"]
    assert names(None) == []


def test_an_entry_is_what_the_plugin_says(shelf: Shelf) -> None:
    more = {"spoken_name": "ex", "project_variable": "X_DIR", "session_variable": "X_ID"}
    shelf.add("x", type="Agent X", description="it does", protected_dirs=[".x", "a/b"], entire=more,
              caller_env_vars=["X_PID"])  # fmt: skip
    plugins = shelf.plugins()
    entry = registry.find("x", plugins)
    assert entry == registry.AgentEntry(
        name="x", type="Agent X", target=str(shelf.bin / "entire-agent-x"), description="it does",
        protected_dirs=(".x", "a/b"), spoken_name="ex", project_variable="X_DIR", session_variable="X_ID",
        caller_variables=("X_PID", "X_ID"),
    )  # fmt: skip
    assert (entry.is_plugin, registry.BUILTIN["demo"].is_plugin) == (True, False)
    assert registry.find_by_type("Agent X", plugins) == entry
    assert registry.type_of("x", plugins) == "Agent X"
    assert registry.protected_dirs(plugins) - registry.protected_dirs() == {".x", "a/b"}
    assert registry.spoken_names("x", plugins) == ["claude", "gemini", "ex"]
    assert registry.project_dir("x", {"X_DIR": "/p"}, plugins) == "/p"
    agent = registry.make("x", {"colour": "red"}, plugins)
    assert (agent.name, agent.type, agent.metadata) == ("x", "Agent X", {"colour": "red"})


@pytest.mark.parametrize(
    "ask",
    [
        lambda: registry.find("x"),
        lambda: registry.make("x"),
        lambda: registry.find_by_type("X") or registry.find("none"),
        lambda: registry.make_by_type("X") or registry.find("none"),
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
    assert registry.type_of("x") == "x"


def test_a_hook_looks_for_its_own_plugin_only(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.add("x")
    shelf.add("y")
    monkeypatch.setattr(discovery, "_names", lambda *_: pytest.fail("searched a folder"))
    plugins = shelf.plugins(hook_of="x")
    assert registry.make("x", plugins=plugins).name == "x"
    for ask in (lambda: registry.make("y", plugins=plugins), lambda: registry.find("y", plugins)):
        with pytest.raises(UsageError, match="no agent called 'y'"):
            ask()
    assert registry.find_by_type("Y", plugins) is None


def test_the_adapters_of_a_hook_share_one_budget(shelf: Shelf) -> None:
    shelf.add("x")
    plugins = shelf.plugins(hook_of="x")
    first: Any = registry.make("x", {"a": "1"}, plugins)
    second: Any = registry.make("x", {"b": "2"}, plugins)
    assert first is not second
    assert (first.metadata, second.metadata) == ({"a": "1"}, {"b": "2"})
    assert first._plugin.calls.program is second._plugin.calls.program


def test_one_that_is_not_allowed(shelf: Shelf) -> None:
    shelf.add("x", is_allowed=False)
    with pytest.raises(NotAllowedError) as error:
        registry.make("x", plugins=shelf.plugins())
    path = shelf.bin / "entire-agent-x"
    assert error.value.message == f"the plugin x is not allowed to run ({path})"
    assert error.value.hint == "`entire plugin allow x` lets it run"


@pytest.mark.parametrize("agent_type", ["Claude Code", "Gemini CLI"])
def test_a_type_that_is_taken(shelf: Shelf, agent_type: str) -> None:
    shelf.add("x", type=agent_type)
    assert names(shelf.plugins()) == []
    with pytest.raises(EntireError, match=f"the plugin x is ignored: the type '{agent_type}' is taken"):
        registry.make("x", plugins=shelf.plugins())
    found = registry.find_by_type(agent_type, shelf.plugins())
    assert found is not None and found.name in registry.BUILTIN


@pytest.mark.parametrize("name", ["git", "demo", "gemini-cli"])
def test_a_name_that_is_taken(shelf: Shelf, name: str) -> None:
    shelf.add(name)
    assert names(shelf.plugins()) == []
    assert registry.is_taken(name)
    assert registry.type_of(name, shelf.plugins()) != name.upper()


def test_two_plugins_of_one_type(shelf: Shelf) -> None:
    shelf.add("x", type="Same")
    shelf.add("y", type="Same")
    assert names(shelf.plugins()) == ["x"]


def test_a_plugin_that_fails_is_asked_once(shelf: Shelf, tmp_path: Path) -> None:
    shelf.add("x")
    (shelf.bin / "entire-agent-x").write_text(f"#!/bin/sh\necho $1 >>{tmp_path}/calls\nexit 1\n")
    found = discovery.find("x", shelf.env)
    assert found is not None
    Decisions(shelf.env).allow(found)
    plugins = shelf.plugins()
    assert names(plugins) == names(plugins) == []
    with pytest.raises(EntireError, match="failed with status 1"):
        registry.make("x", plugins=plugins)
    assert (tmp_path / "calls").read_text() == "info\n"
