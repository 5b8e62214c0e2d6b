"""What agents with a settings file and a file for each session have in common."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from entire.agents import hookfiles
from entire.agents.file_agent import FileAgent
from entire.model.health import HooksHealth, HookStatus


class Settings:
    TABLE = hookfiles.Table(entries=(hookfiles.Entry(event="Stop", command="entire hooks x stop"),))

    def config_path(self, root: str, scope: str, env: Mapping[str, str]) -> str:
        return os.path.join(root if scope == "project" else env["HOME"], "x.json")

    def health(self, root: str, scope: str, env: Mapping[str, str]) -> HooksHealth:
        return hookfiles.health(self.config_path(root, scope, env), self.TABLE)


class Agent(FileAgent):
    resume_command = "x --resume"
    folder_variable = "X_TEST_FOLDER"

    def _settings(self) -> Settings:
        return Settings()

    def _folder(self, root: str) -> str:
        return f"{root}/sessions"


def test_hooks_come_and_go_in_the_file_of_a_scope(tmp_path: Path) -> None:
    agent, root = Agent(env={"HOME": str(tmp_path)}), str(tmp_path / "repo")
    os.mkdir(root)
    for scope, path in {"project": f"{root}/x.json", "user": f"{tmp_path}/x.json"}.items():
        assert agent.hook_config_paths(root, scope) == (path,)
        assert agent.install_hooks(root, scope, force=False) == 1
        assert agent.hooks_health(root, scope).status is HookStatus.INSTALLED
        assert agent.uninstall_hooks(root, scope) == 1
        assert agent.hooks_health(root, scope).status is HookStatus.MISSING


def test_a_harness_names_the_folder_of_the_sessions() -> None:
    assert Agent(env={}).session_dir("/r") == "/r/sessions"
    assert Agent(env={"X_TEST_FOLDER": "/other"}).session_dir("/r") == "/other"


def test_an_id_leads_to_no_other_folder() -> None:
    assert Agent(env={}).resolve_session_file("/s", "one") == "/s/one.jsonl"
    assert Agent(env={}).resolve_session_file("/s", "../one") == ""


@pytest.mark.parametrize("session", ["one", "it's", "a b; rm -rf x", "$(x)"])
def test_a_session_is_one_word_of_the_command(session: str) -> None:
    assert shlex.split(Agent(env={}).format_resume_command(session)) == ["x", "--resume", session]
