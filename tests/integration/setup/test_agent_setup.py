"""The states of an agent's hooks in every command, and files of which all or none are written."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from entire.agents import registry
from entire.maintenance import agent_setup
from entire.model.health import HooksHealth, HookStatus
from tests import bare_agent
from tests.bare_agent import Chosen, with_capabilities
from tests.integration.commandline import Repo


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    """Return a repository, and an agent that keeps its hooks in two files."""
    monkeypatch.setitem(registry.BUILTIN, "bare", bare_agent.entry("Chosen"))
    monkeypatch.setattr(Chosen, "agent", with_capabilities("hook_installer"))
    top = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    monkeypatch.chdir(top)
    found = Repo(top, capsys)
    found.git("commit", "-q", "--allow-empty", "-m", "First")
    return found


def bare_row(repo: Repo) -> dict[str, object]:
    (row,) = [hooks for hooks in repo.json("status")["hooks"] if hooks["name"] == "Bare Agent"]
    return dict(row)


def agent_findings(repo: Repo, *args: str) -> list[dict[str, object]]:
    repo.entire("doctor", *args, "--json")
    return [found for found in json.loads(repo.out)["findings"] if found["check"] == "agent hooks"]


def test_every_status_has_its_words() -> None:
    for status in HookStatus:
        health = HooksHealth(status=status)
        is_well = status is HookStatus.INSTALLED
        assert (agent_setup.problem(health) == "", agent_setup.remedy(health) == "") == (is_well, is_well)


def test_an_agent_with_several_files(repo: Repo) -> None:
    assert "Bare Agent: 2 hooks written to .bare/hooks and .bare/rules/hooks\n" in repo.ok("enable", "--agent", "bare")
    assert bare_row(repo) == {
        "name": "Bare Agent",
        "where": str(repo.top / ".bare/hooks"),
        "other_paths": [str(repo.top / ".bare/rules/hooks")],
        "is_installed": True,
        "status": "installed",
        "problem": "",
        "problems": [],
        "remedies": [],
        "tested_versions": [],
        "version": "",
    }
    assert "Bare Agent: hooks already in .bare/hooks and" in repo.ok("enable", "--agent", "bare")
    repo.ok("disable", "--uninstall", "--force")
    assert not [name for name in repo.files() if name.startswith(".bare")]


def test_a_missing_file_is_stale_and_written_again(repo: Repo) -> None:
    repo.ok("enable", "--agent", "bare")
    (repo.top / ".bare/rules/hooks").unlink()
    row = bare_row(repo)
    assert (row["is_installed"], row["status"], row["problem"]) == (False, "stale", "hooks are missing or outdated")
    assert row["remedies"] == ["some hooks are broken: run `entire enable` to reinstall them"]
    assert "Bare Agent  BROKEN" in repo.ok("status")
    (found,) = agent_findings(repo)
    assert found["message"] == (
        f"Bare Agent: hooks in {repo.top}/.bare/hooks and {repo.top}/.bare/rules/hooks are missing or outdated"
    )
    assert (found["severity"], found["fixable"]) == ("warning", True)
    (fixed,) = agent_findings(repo, "--fix", "--yes")
    assert fixed["fixed"]
    assert bare_row(repo)["status"] == "installed"


def test_enable_without_a_name_repairs_what_is_stale(repo: Repo) -> None:
    repo.ok("enable", "--agent", "bare")
    (repo.top / ".bare/rules/hooks").unlink()
    (repo.top / ".demo-agent").mkdir()
    out = repo.ok("enable")
    assert "Bare Agent: 1 hook written to" in out
    assert "Demo Agent" not in out
    assert bare_row(repo)["status"] == "installed"


@pytest.mark.parametrize(
    ("status", "severity", "words"),
    [
        ("disabled", "note", "are switched off in the agent's settings"),
        ("untrusted", "warning", "are installed, but the agent does not trust them"),
        ("unknown", "warning", "cannot be checked"),
    ],
)
@pytest.mark.parametrize("detail", ["", "open the settings and say yes"])
def test_what_the_user_decides_is_told_and_left_alone(
    repo: Repo, status: str, severity: str, words: str, detail: str
) -> None:
    repo.ok("enable", "--agent", "bare")
    (repo.top / ".bare/state").write_text(f"{status} {detail}\n")
    before = {name: data for name, data in repo.files().items() if name.startswith(".bare")}
    row = bare_row(repo)
    assert (row["is_installed"], row["status"], row["problem"]) == (False, status, f"hooks {words}")
    hint = detail or agent_setup.remedy(HooksHealth(status=HookStatus(status)))
    assert row["remedies"] == [f"Bare Agent hooks: {hint}"]
    shown = repo.ok("status")
    assert f"Bare Agent  {status}" in shown.replace("   ", "  ")
    assert f"Bare Agent hooks: {hint}\n" in shown
    (found,) = agent_findings(repo, "--fix", "--yes")
    assert (found["severity"], found["hint"], found["fixable"]) == (severity, hint, False)
    assert str(found["message"]).endswith(words)
    out = repo.ok("enable", "--agent", "bare")
    assert f"Bare Agent: hooks {words}\n" in out
    assert out.endswith(f"Sessions of Bare Agent are not recorded until you do this:\n  {hint}\n")
    assert {name: data for name, data in repo.files().items() if name.startswith(".bare")} == before


def test_enable_names_the_agents_that_are_ready(repo: Repo) -> None:
    (repo.top / ".bare").mkdir()
    (repo.top / ".bare/state").write_text("untrusted\n")
    out = repo.ok("enable", "--agent", "bare", "--agent", "demo")
    assert out.endswith("Ready. Work with Demo Agent and commit as before.\n")
    assert "Sessions of Bare Agent are not recorded until you do this:" in out


@pytest.mark.parametrize("before", [None, b"mine\n"])
def test_if_one_file_cannot_be_written_none_is(repo: Repo, before: bytes | None) -> None:
    first, folder = repo.top / ".bare/hooks", repo.top / ".bare/rules"
    first.parent.mkdir()
    if before is not None:
        first.write_bytes(before)
        first.chmod(0o640)
    folder.write_text("a file where the folder should be\n")
    files = repo.files()
    assert repo.entire("enable", "--agent", "bare") != 0
    assert f"cannot write {folder}/hooks" in repo.err
    assert {name: state for name, state in repo.files().items() if name.startswith(".bare")} == {
        name: state for name, state in files.items() if name.startswith(".bare")
    }


def test_a_repair_writes_all_files_or_none(repo: Repo) -> None:
    repo.ok("enable", "--agent", "bare")
    (repo.top / ".bare/hooks").unlink()
    (repo.top / ".bare/rules/hooks").unlink()
    (repo.top / ".bare/rules").rmdir()
    (repo.top / ".bare/rules").write_text("a file where the folder should be\n")
    (repo.top / ".bare/hooks").write_text("of an old version\n")
    files = repo.files()
    installer = with_capabilities("hook_installer")()
    with pytest.raises(Exception, match="cannot write"):
        agent_setup.install(installer, str(repo.top), "project")  # type: ignore[arg-type]
    assert repo.files() == files


def test_hooks_that_the_user_switched_off_in_a_real_agents_settings(repo: Repo) -> None:
    repo.ok("enable", "--agent", "claude-code")
    local = repo.top / ".claude/settings.local.json"
    local.write_text('{"disableAllHooks": true}\n')
    (row,) = [hooks for hooks in repo.json("status")["hooks"] if hooks["name"] == "Claude Code"]
    assert (row["status"], row["is_installed"]) == ("disabled", False)
    (found,) = agent_findings(repo, "--fix", "--yes")
    assert found["hint"] == f"remove `disableAllHooks` from {local} to record sessions"
    assert local.read_text() == '{"disableAllHooks": true}\n'
    assert found["hint"] in repo.ok("enable", "--agent", "claude-code")
    local.unlink()
    assert agent_findings(repo) == []


def test_a_broken_file_is_reported_only_where_it_names_our_commands(repo: Repo) -> None:
    repo.ok("enable", "--agent", "demo")
    claude = repo.top / ".claude/settings.json"
    claude.parent.mkdir()
    claude.write_text("{")
    assert agent_findings(repo) == []
    claude.write_text('{"hooks": "entire hooks claude-code stop"')
    (found,) = agent_findings(repo)
    assert (found["severity"], found["fixable"]) == ("warning", False)
    assert str(found["hint"]).startswith(f"{claude} is not valid JSON and was not changed")
    claude.unlink()
    claude.mkdir()
    (found,) = agent_findings(repo)
    assert str(found["hint"]).startswith(f"cannot read {claude}")
