"""Setting a repository up, as a library user does it: a request in, a view out."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import entire
from entire import settings
from entire.errors import UsageError
from entire.model import requests
from entire.model.requests import DisableRequest, EnableRequest
from entire.model.views.setup import AgentView, DisableView, EnableView, GitHooksView
from entire.workspace import Workspace
from tests.integration.setup.test_clean import everything
from tests.integration.story import Story

HOOKS = ("prepare-commit-msg", "commit-msg", "post-commit", "pre-push")


def git(top: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", str(top), *args], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    top = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    git(top, "commit", "-q", "--allow-empty", "-m", "First")
    return entire.Workspace.find(top)


def top_of(workspace: Workspace) -> Path:
    return Path(workspace.place.top)


def suggested(workspace: Workspace, *, user: bool = False) -> list[str]:
    return [one.name for one in workspace.setup.agents(user=user) if one.is_suggested]


def test_the_strategies_of_requests_are_those_of_settings() -> None:
    assert requests.STRATEGIES == settings.STRATEGIES


# ---------------------------------------------------------------- agents


def test_the_agents_of_a_new_repository(workspace: Workspace) -> None:
    known = {one.name: one for one in workspace.setup.agents()}
    assert known["demo"] == AgentView(
        name="demo", type="Demo Agent", description=known["demo"].description, takes_hooks=True, is_offered=False
    )
    assert known["demo"].description
    assert suggested(workspace) == ["claude-code"]


def test_an_agent_with_traces_is_suggested_and_one_with_hooks_before_it(workspace: Workspace) -> None:
    (top_of(workspace) / ".demo-agent").mkdir()
    assert [one.name for one in workspace.setup.agents() if one.is_detected] == ["demo"]
    assert suggested(workspace) == ["demo"]
    workspace.setup.enable(EnableRequest(agents=("claude-code",)))
    assert [one.name for one in workspace.setup.agents() if one.has_hooks] == ["claude-code"]
    assert suggested(workspace) == ["claude-code"]
    workspace.setup.enable(EnableRequest(agents=("demo",), user=True))
    assert [one.name for one in workspace.setup.agents() if one.has_hooks] == ["claude-code"]
    assert suggested(workspace, user=True) == ["demo"]


# ---------------------------------------------------------------- enable


def test_enable_returns_what_it_wrote(workspace: Workspace) -> None:
    top = workspace.place.top
    assert not workspace.maintenance.status().is_set_up
    done = workspace.setup.enable(EnableRequest(agents=("demo",)))
    path = f"{top}/.demo-agent/settings.json"
    (demo,) = done.agents
    assert (demo.agent, demo.scope, demo.path) == ("Demo Agent", "project", path)
    assert demo.count == Path(path).read_text().count("entire hooks demo ") > 0
    assert done == EnableView(
        agents=(demo,),
        git=GitHooksView(folder=f"{top}/.git/hooks"),
        push_sessions=False,
        settings_files=(f"{top}/.entire/settings.json",),
        to_commit=(path, f"{top}/.entire/.gitignore", f"{top}/.entire/settings.json"),
    )
    assert workspace.settings is not None  # read again
    assert workspace.settings.enabled
    again = workspace.setup.enable(EnableRequest(agents=("demo",)))
    assert (again.agents[0].count, again.settings_files) == (0, ())


def test_enable_without_a_request_takes_what_is_suggested(workspace: Workspace) -> None:
    (top_of(workspace) / ".demo-agent").mkdir()
    done = workspace.setup.enable()
    assert [one.agent for one in done.agents] == ["Demo Agent"]
    assert done.push_sessions is False


def test_only_these_agents(workspace: Workspace) -> None:
    workspace.setup.enable(EnableRequest(agents=("claude-code", "demo")))
    kept = workspace.setup.enable(EnableRequest(agents=("demo",)))
    assert kept.removed == ()
    done = workspace.setup.enable(EnableRequest(agents=("demo",), only_these=True))
    assert [(one.agent, one.path) for one in done.removed] == [
        ("Claude Code", f"{workspace.place.top}/.claude/settings.json")
    ]
    assert done.removed[0].count > 0
    assert [one.name for one in workspace.setup.agents() if one.has_hooks] == ["demo"]


@pytest.mark.parametrize(("target", "name"), [("project", "settings.json"), ("local", "settings.local.json")])
def test_the_target_of_settings(workspace: Workspace, target: str, name: str) -> None:
    done = workspace.setup.enable(EnableRequest(agents=("demo",), target=target))
    assert done.settings_files == (f"{workspace.place.top}/.entire/{name}",)


def test_the_choice_to_push_stays_until_there_is_another(workspace: Workspace) -> None:
    marker = top_of(workspace) / ".git/entire/push"
    wanted = ((None, False), (True, True), (None, True), (False, False), (None, False))
    for choice, expected in wanted:
        assert workspace.setup.enable(EnableRequest(agents=("demo",), push_sessions=choice)).push_sessions is expected
        assert marker.exists() is expected


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (EnableRequest(agents=("demo", "nobody")), "nobody"),
        (EnableRequest(agents=("demo",), strategy="wishful"), "wishful"),
        (EnableRequest(agents=("demo",), target="everywhere"), "everywhere"),
    ],
)
def test_what_cannot_be_met_changes_nothing(workspace: Workspace, request_: EnableRequest, words: str) -> None:
    before = everything(top_of(workspace))
    with pytest.raises(UsageError, match=words):
        workspace.setup.check(request_)
    with pytest.raises(UsageError, match=words):
        workspace.setup.enable(request_)
    assert everything(top_of(workspace)) == before


def test_a_hook_that_was_there_and_a_manager_are_told(workspace: Workspace) -> None:
    top = top_of(workspace)
    (top / "lefthook.yml").write_text("")
    hook = top / ".git/hooks/commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n")
    hook.chmod(0o755)
    done = workspace.setup.enable(EnableRequest(agents=("demo",))).git
    assert (done.chained, done.managers, done.refused, done.lines) == (("commit-msg",), ("lefthook",), "", ())


def test_lines_for_hook_files_of_others(workspace: Workspace) -> None:
    assert workspace.setup.add_hook_lines() == ()
    top = top_of(workspace)
    hooks = top / "hooks"
    hooks.mkdir()
    (hooks / "commit-msg").write_text("#!/usr/bin/perl\n1;\n")
    (hooks / "post-commit").write_text("#!/bin/sh\nexit 0\n")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "Hooks")
    git(top, "config", "core.hooksPath", "hooks")
    done = workspace.setup.enable(EnableRequest(agents=("demo",))).git
    assert "tracks" in done.refused
    assert [os.path.basename(one.path) for one in done.lines] == list(HOOKS)
    assert not any(one.is_added for one in done.lines)
    assert sorted(path.name for path in hooks.iterdir()) == ["commit-msg", "post-commit"]

    added = workspace.setup.add_hook_lines()
    assert [(one.path, one.line) for one in added] == [(one.path, one.line) for one in done.lines]
    assert [os.path.basename(one.path) for one in added if not one.is_added] == ["commit-msg"]
    for one in added:
        assert (f"\n{one.line}\n" in Path(one.path).read_text()) is one.is_added
    assert (hooks / "post-commit").read_text() == f"#!/bin/sh\n{added[2].line}\nexit 0\n"
    (left,) = workspace.setup.add_hook_lines()
    assert left.path == f"{hooks}/commit-msg"


def test_lines_in_tracked_hook_files_are_no_turns_work(story: Story) -> None:
    """Hook files may lie in the worktree: a turn in progress is not credited with what we add."""
    hooks = story.root / "hooks"
    hooks.mkdir()
    (hooks / "post-commit").write_text("#!/bin/sh\nexit 0\n")
    story.commit("Hooks")
    story.git("config", "core.hooksPath", "hooks")
    session = story.session()
    session.start()
    session.prompt("Write a file")
    session.write("a.py", "a = 1\n")
    workspace = Workspace.find(story.root)
    workspace.setup.enable(EnableRequest(agents=("claude-code",)))
    assert all(one.is_added for one in workspace.setup.add_hook_lines())
    session.stop()
    assert session.state()["files_touched"] == ["a.py"]
    assert story.log_errors() == []


# ---------------------------------------------------------------- disable


def test_disable(workspace: Workspace) -> None:
    assert workspace.setup.disable() == DisableView(is_set_up=False)
    workspace.setup.enable(EnableRequest(agents=("demo",)))
    local = f"{workspace.place.top}/.entire/settings.local.json"
    assert workspace.setup.disable() == DisableView(is_set_up=True, settings_files=(local,))
    assert not workspace.maintenance.status().enabled
    workspace.setup.enable(EnableRequest(agents=("demo",)))
    assert workspace.maintenance.status().enabled
    shared = f"{workspace.place.top}/.entire/settings.json"
    assert workspace.setup.disable(DisableRequest(project=True)).settings_files == (shared, local)
