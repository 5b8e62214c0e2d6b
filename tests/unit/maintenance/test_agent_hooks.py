"""The hooks of all agents in one worktree: seen, installed, removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.agents.registry import BUILTIN
from entire.directory import AgentDirectory
from entire.layout import Place
from entire.maintenance.agent_hooks import AgentHooks
from entire.plugin_host.plugins import PluginInventory


@pytest.fixture
def hooks(tmp_path: Path) -> AgentHooks:
    """Return the hooks in an empty worktree where no plugin is on PATH."""
    top = str(tmp_path / "repo")
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    place = Place(top=top, git_dir=f"{top}/.git", common_dir=f"{top}/.git")
    return AgentHooks(place, AgentDirectory(PluginInventory(place, {}, is_switched_on=lambda: False)))


def with_hooks(hooks: AgentHooks) -> list[str]:
    return [view.name for view in hooks.views("project") if view.has_hooks]


def test_hooks_are_installed_and_removed_in_a_scope(hooks: AgentHooks) -> None:
    assert with_hooks(hooks) == []
    gemini = hooks.agents.make("gemini")
    view = hooks.install(gemini, "project", force=False)
    assert (view.agent, view.scope, view.problem, with_hooks(hooks)) == ("Gemini CLI", "project", "", ["gemini"])
    assert [view.name for view in hooks.views("project") if view.is_suggested] == ["gemini"]
    assert hooks.remove(["gemini"], ["user"]) == ()
    (removed,) = hooks.remove(["gemini", "claude-code"], ["project", "user"])
    assert (removed.path, removed.count, with_hooks(hooks)) == (view.path, view.count, [])


def test_what_acts_in_every_repository(hooks: AgentHooks) -> None:
    assert hooks.of_user() == ()
    hooks.install(hooks.agents.make("gemini"), "user", force=False)
    assert [(view.agent, view.scope) for view in hooks.of_user()] == [("Gemini CLI", "user")]


def test_the_others_are_all_built_in_agents_that_are_not_chosen(hooks: AgentHooks) -> None:
    chosen = hooks.agents.make("claude-code")
    assert (hooks.others([chosen]), hooks.plugins()) == (sorted({*BUILTIN} - {"claude-code"}), [])
