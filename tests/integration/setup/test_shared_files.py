"""What ``enable`` leaves to the user: the files to commit; and what it says that it wrote besides hooks."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from entire.agents import registry
from entire.agents.claude_code import settings
from tests.integration.commandline import Repo


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    top = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", "-b", "main", str(top)], check=True)
    monkeypatch.chdir(top)
    return Repo(top, capsys)


def command(output: str) -> str:
    """Return the command that commits what was written, '' if there is none."""
    found = re.search(r"^to commit: (git add .*)$", output, re.MULTILINE)
    return found[1] if found else ""


# ---------------------------------------------------------------- the files to commit


def test_exactly_what_belongs_in_git_is_to_be_committed(repo: Repo) -> None:
    out = repo.ok("enable", "--agent", "claude-code")
    assert out.splitlines()[-2:] == [
        "to commit: git add .claude/settings.json .entire/.gitignore .entire/settings.json"
        ' && git commit -m "Enable Entire"',
        "Ready. Work with Claude Code and commit as before.",
    ]
    subprocess.run(command(out), shell=True, check=True, capture_output=True)
    assert repo.git("status", "--porcelain") == ""
    assert repo.git("show", "--name-only", "--format=%s").split("\n\n") == [
        "Enable Entire", ".claude/settings.json\n.entire/.gitignore\n.entire/settings.json",
    ]  # fmt: skip
    assert command(repo.ok("enable", "--agent", "claude-code")) == ""


def test_until_they_are_committed_they_are_named_again(repo: Repo) -> None:
    first = command(repo.ok("enable", "--agent", "claude-code"))
    assert command(repo.ok("enable", "--agent", "claude-code")) == first


def test_local_settings_are_not_to_be_committed(repo: Repo) -> None:
    out = repo.ok("enable", "--agent", "claude-code", "--local")
    assert command(out).startswith("git add .claude/settings.json .entire/.gitignore && ")


def test_what_git_ignores_is_left_out(repo: Repo) -> None:
    (repo.top / ".gitignore").write_text(".claude/\n.entire/\n")
    assert command(repo.ok("enable", "--agent", "claude-code")) == ""


def test_changes_of_the_users_own_are_left_out(repo: Repo) -> None:
    subprocess.run(command(repo.ok("enable", "--agent", "claude-code")), shell=True, check=True, capture_output=True)
    path = repo.top / ".claude/settings.json"
    path.write_text(path.read_text().replace("{", '{\n  "model": "x",', 1))
    assert command(repo.ok("enable", "--agent", "claude-code")) == ""


def test_in_a_subfolder_the_paths_start_there(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repo.top / "a folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    found = command(repo.ok("enable", "--agent", "claude-code"))
    assert found.startswith("git add ../.claude/settings.json ")
    subprocess.run(found, shell=True, check=True, capture_output=True)
    assert repo.git("status", "--porcelain") == ""


def test_user_wide_hooks_are_not_to_be_committed(repo: Repo) -> None:
    assert ".claude" not in command(repo.ok("enable", "--agent", "claude-code", "--user"))


# ---------------------------------------------------------------- what else is written


def test_the_deny_rule_is_named(repo: Repo) -> None:
    out = repo.ok("enable", "--agent", "claude-code")
    assert f"permissions.deny: {settings.DENY}" in out
    assert settings.DENY in repo.read_json(".claude/settings.json")["permissions"]["deny"]
    assert "permissions.deny" not in repo.ok("enable", "--agent", "gemini")


def test_the_registry_names_the_rule_that_is_written() -> None:
    assert settings.DENY in registry.BUILTIN["claude-code"].setup_note
