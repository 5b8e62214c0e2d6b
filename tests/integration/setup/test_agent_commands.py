"""``entire agent``: which agents are recorded here; one more, and one less."""

from __future__ import annotations

import io
import json
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.integration.commandline import Repo


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    top = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    monkeypatch.chdir(top)
    return Repo(top, capsys)


def states(repo: Repo) -> dict[str, str]:
    return {agent["name"]: agent["hooks_status"] for agent in json.loads(repo.ok("agent", "list", "--json"))["agents"]}


def files(repo: Repo) -> dict[str, object]:
    return {name: content for name, content in repo.files().items() if not name.startswith(".git/")}


def refused(repo: Repo, *args: str) -> str:
    assert repo.entire(*args) != 0
    return repo.err


def test_agents_come_and_go_one_by_one(repo: Repo) -> None:
    repo.ok("enable", "--agent", "claude-code")
    assert (states(repo)["claude-code"], states(repo)["gemini"]) == ("installed", "missing")
    before = files(repo)
    assert "Gemini CLI: 7 hooks written to .gemini/settings.json" in repo.ok("agent", "add", "gemini")
    assert states(repo)["claude-code"] == states(repo)["gemini"] == "installed"
    row = next(line for line in repo.ok("agent", "list").splitlines() if line.startswith("gemini"))
    assert row.split()[1] == "recorded"
    assert "Gemini CLI: hooks removed from .gemini/settings.json" in repo.ok("agent", "remove", "gemini", "--yes")
    assert files(repo) == before
    assert "no hooks of gemini" in repo.ok("agent", "remove", "gemini", "--yes")


def test_an_agent_that_runs_only_trusted_hooks(repo: Repo, tmp_path: Path) -> None:
    repo.ok("enable", "--agent", "claude-code")
    out = repo.ok("agent", "add", "codex")
    assert "Sessions of Codex are not recorded until you do this" in out
    assert states(repo)["codex"] == "untrusted"
    config = tmp_path / "codex" / "config.toml"
    assert "does not trust this project: start Codex here" in repo.ok("agent", "add", "codex", "--trust-hooks")
    assert states(repo)["codex"] == "untrusted"
    assert tomllib.loads(config.read_text()).keys() == {"hooks"}
    config.write_text(f'{config.read_text()}\n[projects."{repo.top}"]\ntrust_level = "trusted"\n')
    (added,) = json.loads(repo.ok("agent", "add", "codex", "--trust-hooks", "--json"))["agents"]
    assert (added["agent"], added["problem"]) == ("Codex", "")
    assert states(repo)["codex"] == "installed"
    assert len(tomllib.loads(config.read_text())["hooks"]["state"]) == 8
    (removed,) = json.loads(repo.ok("agent", "remove", "codex", "--yes", "--json"))["removed"]
    assert (removed["agent"], removed["count"]) == ("Codex", 8)
    assert "hooks" not in tomllib.loads(config.read_text())


def test_sessions_that_start_below_are_offered_where_hooks_act_at_the_top_only(repo: Repo, tmp_path: Path) -> None:
    """Claude Code and Gemini CLI read a project's hooks in the folder in which they start; Codex looks for the top."""
    offer = "for sessions that start in a folder below: `entire enable --agent gemini --user`"
    repo.ok("enable", "--agent", "claude-code")
    assert offer in repo.ok("agent", "add", "gemini")
    assert "folder below" not in repo.ok("agent", "add", "codex")
    assert "folder below" not in repo.ok("agent", "add", "gemini", "--user")
    assert "folder below" not in repo.ok("agent", "add", "gemini"), "they act everywhere already"


def test_what_cannot_be_done_is_refused_before_anything_changes(repo: Repo) -> None:
    assert "not enabled" in refused(repo, "agent", "add", "gemini")
    repo.ok("enable", "--agent", "claude-code")
    before = files(repo)
    assert "confirmation" in refused(repo, "agent", "remove", "claude-code")
    assert "nobody" in refused(repo, "agent", "remove", "claude-code", "nobody", "--yes")
    assert "nobody" in refused(repo, "agent", "add", "nobody")
    assert files(repo) == before


def test_the_person_is_asked(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.ok("enable", "--agent", "claude-code")
    monkeypatch.setenv("ACCESSIBLE", "1")
    for answer, state in (("n", "installed"), ("y", "missing")):
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{answer}\n"))
        assert repo.entire("agent", "remove", "claude-code") == 0
        assert states(repo)["claude-code"] == state
