"""Our hooks in a file of their own, and whether Copilot runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire.agents.copilot.agent import Copilot
from entire.model.health import HookStatus


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    return tmp_path / "repo"


def agent(home: Path, **env: str) -> Copilot:
    return Copilot(env={"HOME": str(home), **env})


def status(home: Path, root: Path, scope: str = "project", **env: str) -> HookStatus:
    return agent(home, **env).hooks_health(str(root), scope).status


def test_the_form_that_copilot_reads(home: Path, root: Path) -> None:
    agent(home).install_hooks(str(root), "project", force=False)
    written = json.loads((root / ".github/hooks/entire.json").read_text())
    assert written["version"] == 1
    command = "entire hooks copilot-cli agent-stop 2>/dev/null || true"
    assert written["hooks"]["agentStop"] == [{"type": "command", "bash": command, "timeoutSec": 60}]
    assert agent(home).uninstall_hooks(str(root), "project") == 7
    assert list(root.iterdir()) == []


def test_other_files_of_the_project_stay(home: Path, root: Path) -> None:
    (root / ".github/workflows").mkdir(parents=True)
    agent(home).install_hooks(str(root), "project", force=False)
    agent(home).uninstall_hooks(str(root), "project")
    assert [path.name for path in (root / ".github").iterdir()] == ["workflows"]


def test_hooks_of_a_project_run_in_a_trusted_folder(home: Path, root: Path) -> None:
    agent(home).install_hooks(str(root), "project", force=False)
    assert status(home, root) is HookStatus.UNTRUSTED
    assert status(home, root, COPILOT_ALLOW_ALL="true") is HookStatus.INSTALLED
    (home / ".copilot").mkdir()
    config = home / ".copilot" / "config.json"
    config.write_text('// written by the agent\n{"trustedFolders": ["/elsewhere", 7]}')
    assert status(home, root) is HookStatus.UNTRUSTED
    config.write_text(json.dumps({"trustedFolders": [str(root.parent)]}))
    assert status(home, root) is HookStatus.INSTALLED
    config.write_text("{")
    assert status(home, root) is HookStatus.UNTRUSTED


def test_the_users_own_hooks_always_run(home: Path, root: Path) -> None:
    agent(home).install_hooks(str(root), "user", force=False)
    assert (home / ".copilot/hooks/entire.json").exists()
    assert status(home, root, "user") is HookStatus.INSTALLED
    agent(home).uninstall_hooks(str(root), "user")
    assert list(home.iterdir()) == []


def test_hooks_may_be_switched_off(home: Path, root: Path) -> None:
    agent(home).install_hooks(str(root), "user", force=False)
    settings = home / ".copilot" / "settings.json"
    settings.write_text('{"disableAllHooks": true}')
    health = agent(home).hooks_health(str(root), "user")
    assert (health.status, str(settings) in health.detail) == (HookStatus.DISABLED, True)
