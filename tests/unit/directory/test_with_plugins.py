"""The directory of agents that a hook or command gets: which plugins it may look for and start."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

import pytest

from entire import layout
from entire.directory import AgentDirectory
from entire.errors import UsageError
from entire.workspace import Workspace
from tests import plugins


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder on PATH with two plugins."""
    for name in ("x", "y"):
        info = f'{{"protocol_version": 1, "name": "{name}", "type": "{name.upper()}"}}'
        plugins.shell(tmp_path / "bin", name, f"echo '{info}'")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    return tmp_path


def test_a_command_looks_for_every_plugin_and_starts_none_that_nobody_allowed(folder: Path) -> None:
    with AgentDirectory.with_plugins(None) as agents:
        assert [found.name for found in agents.plugins.find_all()] == ["x", "y"]
        with pytest.raises(UsageError, match="the plugin x is not allowed to run"):
            agents.make("x")


def test_a_hook_looks_for_its_own_plugin_where_settings_let_it_run(folder: Path) -> None:
    (folder / "repo" / ".git").mkdir(parents=True)
    (folder / "repo" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "repo" / ".entire").mkdir()
    (folder / "repo" / ".entire" / "entire.json").write_text('{"external_agents": true}')
    place = layout.find(str(folder / "repo"))
    with AgentDirectory.with_plugins(place, hook_of="x") as agents:
        assert (agents.may_start("x"), agents.may_start("y"), agents.plugins.find_all()) == (True, False, [])


def test_a_workspace_makes_one_until_what_may_run_changes(folder: Path) -> None:
    subprocess.run(["git", "init", "-q", folder / "repo"], check=True)
    workspace = Workspace.find(folder / "repo")
    opened = workspace.setup._opened
    agents = opened.agents
    with contextlib.closing(opened.context()) as context:
        assert context.agents is opened.catalog.agents is agents
    workspace.plugins.deny("x")
    assert opened.agents is not agents
