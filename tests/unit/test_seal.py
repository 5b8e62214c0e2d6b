"""The seal of tests/conftest.py holds."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest


def test_home_and_git_configuration_are_the_tests_own(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert Path.home().is_relative_to(tmp_path_factory.getbasetemp())
    assert list(tmp_path.iterdir()) == []
    assert len(tmp_path.name) <= 31  # as pytest's own: a socket's address has 107 bytes
    origins = subprocess.run(["git", "config", "--list", "--show-origin"], capture_output=True, text=True, check=True)
    assert {line.split("\t")[0] for line in origins.stdout.splitlines()} == {f"file:{Path.home()}/.gitconfig"}


def test_nothing_of_an_agent_or_git_comes_in() -> None:
    allowed = {
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_GLOBAL",
        "GIT_EDITOR",
        "GIT_TERMINAL_PROMPT",
        "GIT_CEILING_DIRECTORIES",
    }
    prefixes = ("GIT_", "ENTIRE_", "CLAUDE", "ANTHROPIC", "GEMINI", "CODEX", "CURSOR")
    assert {name for name in os.environ if name.startswith(prefixes) and not name.startswith("ENTIRE_E2E_")} == allowed


@pytest.mark.parametrize("turn", [1, 2])
def test_a_test_cannot_change_the_next_one(turn: int) -> None:
    assert "ENTIRE_LEFT_BEHIND" not in os.environ
    os.environ["ENTIRE_LEFT_BEHIND"] = str(turn)


def test_the_current_folder_is_in_no_repository() -> None:
    assert subprocess.run(["git", "rev-parse", "--git-dir"], capture_output=True).returncode == 128


def test_an_editor_fails() -> None:
    assert subprocess.run(["git", "var", "GIT_EDITOR"], capture_output=True, text=True).stdout == "false\n"
