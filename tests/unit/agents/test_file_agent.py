"""What agents with a settings file and a file for each session have in common."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from entire.agents import hookfiles
from entire.agents.file_agent import FileAgent
from entire.conversation.records import LOCAL, Answer, Prompt, Record
from entire.errors import UsageError
from entire.model.health import HooksHealth, HookStatus

if TYPE_CHECKING:
    from entire.model.transcripts import Content


class Settings:
    TABLE = hookfiles.Table(entries=(hookfiles.Entry(event="Stop", command="entire hooks x stop"),))

    def obstacle(self, root: str, project: str, user: str, env: Mapping[str, str]) -> HooksHealth | None:
        if "X_OFF" not in env:
            return None
        return HooksHealth(status=HookStatus.DISABLED, detail=f"{root} {project} {user}")


class Agent(FileAgent):
    settings_file = ".x/x.json"
    home_variable = "X_HOME"
    resume_command = "x --resume "
    folder_variable = "X_TEST_FOLDER"

    def _settings(self) -> Settings:
        return Settings()

    def _folder(self, root: str) -> str:
        return f"{root}/sessions"


def test_hooks_come_and_go_in_the_file_of_a_scope(tmp_path: Path) -> None:
    agent, root = Agent(env={"HOME": str(tmp_path)}), str(tmp_path / "repo")
    os.mkdir(root)
    for scope, path in {"project": f"{root}/.x/x.json", "user": f"{tmp_path}/.x/x.json"}.items():
        assert agent.hook_config_paths(root, scope) == (path,)
        assert agent.install_hooks(root, scope, force=False) == 1
        assert agent.hooks_health(root, scope).status is HookStatus.INSTALLED
        assert agent.uninstall_hooks(root, scope) == 1
        assert agent.hooks_health(root, scope).status is HookStatus.MISSING


def test_an_obstacle_counts_for_hooks_that_are_there(tmp_path: Path) -> None:
    agent, root = Agent(env={"HOME": "/home/ada", "X_OFF": ""}), str(tmp_path)
    assert agent.hooks_health(root, "project").status is HookStatus.MISSING
    agent.install_hooks(root, "project", force=False)
    disabled = HooksHealth(status=HookStatus.DISABLED, detail=f"{root} {root}/.x/x.json /home/ada/.x/x.json")
    assert agent.hooks_health(root, "project") == disabled


@pytest.mark.parametrize("where", ["repo", "home"])
def test_its_folder_tells_that_it_is_used(tmp_path: Path, where: str) -> None:
    agent, root = Agent(env={"HOME": str(tmp_path / "home")}), str(tmp_path / "repo")
    assert not agent.detect(root)
    os.makedirs(tmp_path / where / ".x")
    assert agent.detect(root)
    assert Agent(env={"X_HOME": str(tmp_path)}).detect("/nowhere")


def test_there_are_two_scopes() -> None:
    with pytest.raises(UsageError, match="there is no scope 'team' for agent hooks"):
        Agent(env={}).hook_config_paths("/r", "team")


def test_a_harness_names_the_folder_of_the_sessions() -> None:
    assert Agent(env={}).session_dir("/r") == "/r/sessions"
    assert Agent(env={"X_TEST_FOLDER": "/other"}).session_dir("/r") == "/other"


def test_an_id_leads_to_no_other_folder() -> None:
    assert Agent(env={}).resolve_session_file("/s", "one") == "/s/one.jsonl"
    assert Agent(env={}).resolve_session_file("/s", "../one") == ""


@pytest.mark.parametrize(
    ("session", "transcript", "own"),
    [
        ("one", b"", "one"),
        ("2026-01-05-one", b"", "one"),
        ("2026-01-05-one", b'{"sessionId":"one"}', "one"),
        ("2026-01-05-one", b'{"sessionId": "2026-01-05-one"}', "2026-01-05-one"),
        ("2026-01-05-one", b'{"sessionId":"two"}', "two"),
    ],
)
def test_a_session_id_without_the_date_before_it(session: str, transcript: bytes, own: str) -> None:
    assert Agent(env={}).own_session_id(session, transcript) == own


@pytest.mark.parametrize(
    ("said", "is_conversation"),
    [
        ([Prompt(position=0, text="go")], True),
        ([Answer(position=0, id="a", text="yes")], True),
        ([Prompt(position=0, text="/help", by=LOCAL)], False),
        ([Answer(position=0, id="a", text="not logged in", is_local=True)], False),
        ([], False),
    ],
)
def test_whether_something_was_said(tmp_path: Path, said: list[Record], is_conversation: bool) -> None:
    class Saying(Agent):
        def transcript(self, session_ref: str, stored: Content | None = None) -> Any:
            return SimpleNamespace(records=lambda: iter(said))

    path = tmp_path / "one.jsonl"
    assert not Saying(env={}).has_conversation(str(path))
    path.write_text("{}\n")
    assert Saying(env={}).has_conversation(str(path)) is is_conversation
    path.write_bytes(bytes(1 << 17))
    assert Saying(env={}).has_conversation(str(path)), "a long one is not read"


@pytest.mark.parametrize("session", ["one", "it's", "a b; rm -rf x", "$(x)"])
def test_a_session_is_one_word_of_the_command(session: str) -> None:
    assert shlex.split(Agent(env={}).format_resume_command(session)) == ["x", "--resume", session]
