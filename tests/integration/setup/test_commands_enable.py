"""``entire enable`` and ``entire disable``: settings, hooks, markers; and everything out again."""

from __future__ import annotations

import io
import json
import os
import subprocess
from pathlib import Path

import pytest

from entire import layout, settings
from tests.integration.commandline import Repo

HOOKS = ("prepare-commit-msg", "commit-msg", "post-commit", "pre-push")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    top = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    monkeypatch.chdir(top)
    found = Repo(top, capsys)
    found.git("commit", "-q", "--allow-empty", "-m", "First")
    return found


def effective(repo: Repo) -> settings.Settings:
    place = layout.find(str(repo.top))
    assert place is not None
    found = settings.load(place, {})
    assert found is not None
    assert found.warnings == ()
    return found


def test_enable_with_an_agent(repo: Repo) -> None:
    out = repo.ok("enable", "--agent", "claude-code", "--telemetry=false")
    assert "Claude Code" in out
    assert out.rstrip().split("\n")[-1].startswith("Ready")
    assert repo.read_json(".entire/settings.json") == {
        "strategy": "manual-commit",
        "enabled": True,
        "strategy_options": {"push_sessions": False},
    }
    assert (repo.top / ".entire/.gitignore").read_text().split() == list(settings.IGNORED)
    assert not (repo.top / ".entire/settings.local.json").exists()
    for name in HOOKS:
        assert os.access(repo.top / ".git/hooks" / name, os.X_OK)
    assert "entire hooks claude-code stop" in (repo.top / ".claude/settings.json").read_text()
    assert not (repo.top / ".git/entire/push").exists()


def test_several_agents(repo: Repo) -> None:
    out = repo.ok("enable", "--agent", "demo", "--agent", "claude-code", "--agent", "demo")
    assert out.count("Demo Agent:") == out.count("Claude Code:") == 1


def test_the_git_status_tells_only_of_new_files(repo: Repo) -> None:
    repo.ok("enable", "--agent", "claude-code")
    assert repo.git("status", "--short").split("\n") == ["?? .claude/", "?? .entire/"]


def test_enabling_twice_changes_nothing(repo: Repo) -> None:
    repo.ok("enable", "--agent", "claude-code", "--push-sessions")
    before = repo.files()
    out = repo.ok("enable", "--agent", "claude-code")
    assert repo.files() == before
    assert "settings: unchanged" in out


def test_force_repairs_hooks_that_somebody_changed(repo: Repo) -> None:
    repo.ok("enable", "--agent", "demo")
    before = repo.files()
    path = repo.top / ".demo-agent/settings.json"
    path.write_text(path.read_text().replace("turn-end", "turn-over"))
    (repo.top / ".git/hooks/post-commit").unlink()
    repo.ok("enable", "--agent", "demo", "-f")
    for note in ("setup.json", "hooks.json"):  # the line that enable removed, and the times of git's hooks
        before[f".git/entire/{note}"] = repo.files()[f".git/entire/{note}"]
    assert repo.files() == before


def test_another_push_choice_changes_it(repo: Repo) -> None:
    marker = repo.top / ".git/entire/push"
    repo.ok("enable", "--agent", "demo")
    assert "also pushes them" in repo.ok("enable", "--agent", "demo", "--push-sessions")
    assert effective(repo).push_sessions is True
    assert marker.exists()
    repo.ok("enable", "--agent", "demo")  # no choice: the one made before stays
    assert effective(repo).push_sessions is True
    assert "stay on this machine" in repo.ok("enable", "--agent", "demo", "--skip-push-sessions")
    assert effective(repo).push_sessions is False
    assert not marker.exists()


def test_what_the_team_shares_is_left_alone(repo: Repo) -> None:
    shared = repo.top / ".entire/settings.json"
    shared.parent.mkdir()
    shared.write_text('{"enabled": false, "strategy_options": {"summarize": {"enabled": true}}}')
    before = shared.read_bytes()
    repo.ok("enable", "--agent", "demo")
    assert shared.read_bytes() == before
    assert repo.read_json(".entire/settings.local.json") == {
        "enabled": True,
        "strategy_options": {"push_sessions": False},
    }
    repo.ok("enable", "--agent", "demo", "--project")
    assert repo.read_json(".entire/settings.json") == {
        "enabled": True,
        "strategy_options": {"summarize": {"enabled": True}, "push_sessions": False},
        "strategy": "manual-commit",
    }


def test_local_writes_local_settings_only(repo: Repo) -> None:
    repo.ok("enable", "--agent", "demo", "--local")
    assert not (repo.top / ".entire/settings.json").exists()
    assert effective(repo).enabled


@pytest.mark.parametrize("args", [[], ["--local"], ["--project"]])
def test_a_disabled_repository_is_enabled_whatever_local_settings_say(repo: Repo, args: list[str]) -> None:
    repo.ok("enable", "--agent", "demo")
    (repo.top / ".entire/settings.local.json").write_text('{"enabled": false, "log_level": "debug"}')
    repo.ok("enable", "--agent", "demo", *args)
    assert effective(repo).enabled
    assert repo.read_json(".entire/settings.local.json")["log_level"] == "debug"
    assert repo.ok("status").startswith("Enabled (manual-commit)\n")


def link_worktree(repo: Repo, folder: Path) -> None:
    """Enable Entire, commit what that wrote, and add a linked worktree."""
    repo.ok("enable", "--agent", "demo")
    repo.git("add", ".")
    repo.git("commit", "-qm", "Enable entire")
    repo.git("worktree", "add", "-q", str(folder))


def test_a_linked_worktree_is_enabled_though_the_main_one_says_no(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link_worktree(repo, tmp_path / "linked")
    repo.ok("disable")
    monkeypatch.chdir(tmp_path / "linked")
    assert repo.ok("status").split("\n", 1)[0] == "Disabled (manual-commit)"
    repo.ok("enable", "--agent", "demo")
    assert repo.ok("status").startswith("Enabled")
    monkeypatch.chdir(repo.top)
    assert repo.ok("status").split("\n", 1)[0] == "Disabled (manual-commit)"


def test_the_strategy_is_chosen_kept_and_changed(repo: Repo) -> None:
    out = repo.ok("enable", "--agent", "demo", "--strategy", "auto-commit")
    assert out.endswith("Ready. Work with Demo Agent: what a turn changes is committed at its end.\n")
    assert repo.read_json(".entire/settings.json")["strategy"] == "auto-commit"
    assert repo.ok("status").split("\n", 1)[0] == "Enabled (auto-commit)"
    assert repo.json("status")["strategy"] == "auto-commit"
    assert "settings: unchanged" in repo.ok("enable", "--agent", "demo")  # no choice: the one made before stays
    shared = repo.read_json(".entire/settings.json")
    out = repo.ok("enable", "--agent", "demo", "--strategy", "manual-commit")
    assert out.endswith("Ready. Work with Demo Agent and commit as before.\n")
    assert repo.read_json(".entire/settings.json") == shared  # the team's
    assert repo.ok("status").split("\n", 1)[0] == "Enabled (manual-commit)"
    repo.ok("enable", "--agent", "demo", "--strategy", "auto-commit", "--project")
    assert repo.ok("status").split("\n", 1)[0] == "Enabled (auto-commit)"


def test_two_worktrees_with_a_strategy_each(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link_worktree(repo, tmp_path / "linked")

    def strategies() -> list[str]:
        found = []
        for top in (repo.top, tmp_path / "linked"):
            monkeypatch.chdir(top)
            found.append(repo.ok("status").split("\n", 1)[0])
        return found

    monkeypatch.chdir(tmp_path / "linked")
    repo.ok("enable", "--agent", "demo", "--strategy", "auto-commit")
    assert strategies() == ["Enabled (manual-commit)", "Enabled (auto-commit)"]
    monkeypatch.chdir(repo.top)
    repo.ok("enable", "--agent", "demo", "--strategy", "auto-commit")
    monkeypatch.chdir(tmp_path / "linked")
    repo.ok("enable", "--agent", "demo", "--strategy", "manual-commit")
    assert strategies() == ["Enabled (auto-commit)", "Enabled (manual-commit)"]


def test_the_strategy_of_the_main_worktree_holds_in_linked_ones_that_chose_none(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link_worktree(repo, tmp_path / "linked")
    repo.ok("enable", "--agent", "demo", "--strategy", "auto-commit")
    monkeypatch.chdir(tmp_path / "linked")
    assert repo.ok("status").split("\n", 1)[0] == "Enabled (auto-commit)"


def test_a_strategy_of_another_version(repo: Repo) -> None:
    repo.ok("enable", "--agent", "demo")
    path = repo.top / ".entire/settings.json"
    path.write_text(path.read_text().replace("manual-commit", "of-tomorrow"))
    assert "the strategy 'of-tomorrow': it works as manual-commit" in repo.ok("status")
    repo.ok("enable", "--agent", "demo", "--strategy", "manual-commit")
    assert repo.ok("status").split("\n", 1)[0] == "Enabled (manual-commit)"
    assert "of-tomorrow" not in repo.ok("status")


def test_from_a_folder_below(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    (repo.top / "a/b").mkdir(parents=True)
    monkeypatch.chdir(repo.top / "a/b")
    repo.ok("enable", "--agent", "demo")
    assert (repo.top / ".entire/settings.json").exists()
    assert os.listdir(repo.top / "a/b") == []


def test_the_users_own_settings(repo: Repo) -> None:
    home = Path(os.environ["HOME"])
    repo.ok("enable", "--agent", "demo", "--user")
    assert not (repo.top / ".demo-agent").exists()
    assert "entire hooks demo" in (home / ".demo-agent/settings.json").read_text()
    repo.ok("disable", "--uninstall", "-f")
    assert (home / ".demo-agent/settings.json").exists()  # other repositories use them
    repo.ok("disable", "--uninstall", "-f", "--user")
    assert not (home / ".demo-agent/settings.json").exists()


def test_choices_on_standard_input(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACCESSIBLE", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO("demo\nyes\n"))
    assert repo.entire("enable") == 0
    assert "Which agents" in repo.err
    assert "Demo Agent" in repo.out
    assert effective(repo).push_sessions is True
    monkeypatch.setattr("sys.stdin", io.StringIO("claude-code\n"))
    assert repo.entire("enable") == 0
    assert "Demo Agent: hooks removed" in repo.out
    assert not (repo.top / ".demo-agent").exists()


def test_without_a_terminal_nothing_is_asked(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("demo\nyes\n"))
    assert "Claude Code" in repo.ok("enable")
    assert effective(repo).push_sessions is False


@pytest.mark.parametrize("args", [["--agent", "nobody"], ["--strategy", "wishful"]])
def test_a_wrong_wish_changes_nothing(repo: Repo, args: list[str]) -> None:
    before = repo.files()
    assert repo.entire("enable", *args) == 2
    assert repo.files() == before


def test_settings_of_an_agent_that_cannot_be_read_stop_it_before_anything_is_written(repo: Repo) -> None:
    (repo.top / ".demo-agent").mkdir()
    (repo.top / ".demo-agent/settings.json").write_text("{ broken")
    before = repo.files()
    assert repo.entire("enable", "--agent", "demo") == 1
    assert repo.files() == before


def test_outside_of_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    nowhere = Repo(tmp_path, capsys)
    for args in (["enable", "--agent", "demo"], ["disable"], ["status"], ["explain"]):
        assert nowhere.entire(*args) == 3
        assert nowhere.err.startswith("entire: ")
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- hooks of others


def test_a_hook_that_was_there_is_named(repo: Repo) -> None:
    path = repo.top / ".git/hooks/commit-msg"
    path.write_text("#!/bin/sh\nexit 0\n")
    path.chmod(0o755)
    before = {name: entry for name, entry in repo.files().items() if "hooks" in name}
    assert "run after ours (commit-msg)" in repo.ok("enable", "--agent", "demo")
    repo.ok("disable", "--uninstall", "-f")
    assert {name: entry for name, entry in repo.files().items() if "hooks" in name} == before


def test_a_hooks_folder_of_more_than_this_repository(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared-hooks"
    shared.mkdir()
    for name, text in (
        ("commit-msg", "#!/bin/sh\nexit 0\n"),
        ("pre-push", "#!/bin/sh\ncat >pushed"),
        ("post-commit", "#!/usr/bin/perl\n1;\n"),
    ):
        (shared / name).write_text(text)
        (shared / name).chmod(0o755)
    repo.git("config", "--global", "core.hooksPath", str(shared))
    before = {path.name: path.read_text() for path in shared.iterdir()}
    assert repo.entire("enable", "--agent", "demo") == 1
    out = repo.out
    assert "core.hooksPath is not set for this repository alone" in out
    assert "Ready" not in out
    assert {path.name: path.read_text() for path in shared.iterdir()} == before
    assert all(f"{shared}/{name}:" in out for name in HOOKS)
    status = repo.ok("status")
    assert "BROKEN" in status
    assert f"add to {shared}/commit-msg:  [ ! -x" in status
    assert "run `entire enable`" not in status

    monkeypatch.setenv("ACCESSIBLE", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO("demo\nno\nyes\n"))
    (repo.top / ".entire/settings.json").unlink()
    assert repo.entire("enable") == 1
    assert "post-commit is not a shell script" in repo.out
    assert f"add to {shared}/post-commit:" in repo.out
    assert "Ready" not in repo.out
    after = {path.name: path.read_text().split("\n") for path in shared.iterdir()}
    assert after["post-commit"] == before["post-commit"].split("\n")
    assert after["commit-msg"][0] == "#!/bin/sh"
    assert "entire/hooks/commit-msg" in after["commit-msg"][1]
    assert after["commit-msg"][2:] == ["exit 0", ""]
    assert after["pre-push"][:2] == ["#!/bin/sh", "cat >pushed"]
    assert "entire/hooks/pre-push" in after["pre-push"][2]
    assert "entire/hooks/prepare-commit-msg" in after["prepare-commit-msg"][1]
    assert os.access(shared / "prepare-commit-msg", os.X_OK)

    assert "Other repositories link their commits through these lines" in repo.ok("disable", "--uninstall", "-f")
    assert {path.name: path.read_text() for path in shared.iterdir()} == before


# ---------------------------------------------------------------- disable


def test_disable_writes_local_settings(repo: Repo) -> None:
    repo.ok("enable", "--agent", "demo")
    shared = repo.read_json(".entire/settings.json")
    assert "disabled" in repo.ok("disable")
    assert repo.read_json(".entire/settings.local.json") == {"enabled": False}
    assert repo.read_json(".entire/settings.json") == shared
    assert repo.ok("status").split("\n", 1)[0] == "Disabled (manual-commit)"


def test_disable_for_the_team(repo: Repo) -> None:
    repo.ok("enable", "--agent", "demo")
    repo.ok("disable", "--project")
    assert repo.read_json(".entire/settings.json")["enabled"] is False
    assert not (repo.top / ".entire/settings.local.json").exists()
    repo.ok("enable", "--agent", "demo")  # into the local settings: the team said no
    repo.ok("disable", "--project")
    assert not effective(repo).enabled


def test_disable_where_it_was_never_enabled(repo: Repo) -> None:
    before = repo.files()
    assert "disabled" in repo.ok("disable")
    assert repo.files() == before


def test_uninstall_leaves_no_trace(repo: Repo) -> None:
    (repo.top / ".claude").mkdir()
    (repo.top / ".claude/settings.json").write_text('{\n  "model": "mine"\n}\n')
    before = repo.files()
    repo.ok("enable", "--agent", "claude-code", "--agent", "demo", "--push-sessions")
    for name in ("logs/entire.log", "metadata/s/full.jsonl", "tmp/x", "entire.json"):
        path = repo.top / ".entire" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    (repo.top / ".git/entire-sessions").mkdir()
    (repo.top / ".git/entire-sessions/s.json").write_text("{}")
    assert "Removed" in repo.ok("disable", "--uninstall", "--force")
    assert repo.files() == before
    assert not (repo.top / ".entire").exists()


def test_uninstall_keeps_what_is_not_ours(repo: Repo) -> None:
    repo.ok("enable", "--agent", "demo")
    (repo.top / ".entire/notes.txt").write_text("mine")
    repo.ok("disable", "--uninstall", "-f")
    assert os.listdir(repo.top / ".entire") == ["notes.txt"]


def test_uninstall_removes_steps_but_no_checkpoints_and_no_branch_of_a_person(repo: Repo) -> None:
    repo.ok("enable", "--agent", "demo")
    tree = repo.git("rev-parse", "HEAD^{tree}")
    step = repo.git("commit-tree", tree, "-m", "Step\n\nEntire-Metadata: .entire/metadata/s\nEntire-Session: s")
    for name in ("entire/1234567-e3b0c4", "entire/1234567"):
        repo.git("update-ref", f"refs/heads/{name}", step)
    kept = {"entire/abcdef0", "entire/checkpoints/v1", "entire/my-own", "main"}
    for name in kept - {"main"}:
        repo.git("update-ref", f"refs/heads/{name}", "HEAD")
    repo.git("update-ref", "refs/heads/entire/my-own", step)
    repo.git("update-ref", "refs/entire/journal/e3b0c4", "HEAD")
    assert "2 branches" in repo.ok("disable", "--uninstall", "-f")
    assert set(repo.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").split()) == kept
    assert repo.git("for-each-ref", "refs/entire") == ""


def test_uninstall_asks(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.ok("enable", "--agent", "demo")
    before = repo.files()
    assert repo.entire("disable", "--uninstall") == 2
    monkeypatch.setenv("ACCESSIBLE", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO("no\n"))
    assert repo.entire("disable", "--uninstall") == 0
    assert "Nothing was removed" in repo.out
    assert repo.files() == before
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    assert repo.entire("disable", "--uninstall") == 0
    assert not (repo.top / ".entire").exists()


def test_what_the_go_cli_would_refuse_is_never_written(repo: Repo) -> None:
    known = {"strategy", "enabled", "local_dev", "log_level", "strategy_options", "telemetry"}
    for args in (
        ["enable", "--agent", "demo", "--push-sessions"],
        ["disable"],
        ["enable", "--local"],
        ["disable", "--project"],
    ):
        repo.ok(*args)
        for path in (repo.top / ".entire").glob("settings*.json"):
            assert set(json.loads(path.read_text())) <= known


def test_without_a_terminal_it_is_ready_only_when_commits_link(repo: Repo) -> None:
    for name in ("prepare-commit-msg", "commit-msg"):
        path = repo.top / ".husky" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("npm test\n")
    (repo.top / ".husky/_").mkdir()
    repo.git("config", "core.hooksPath", ".husky/_")
    assert repo.entire("enable", "--agent", "demo") == 1
    assert repo.err == ""
    last = repo.out.rstrip().split("\n")[-5:]
    assert last[0] == "Sessions are recorded, but commits are not linked until you do this:"
    lines = dict(line.removeprefix("  add to ").split(":  ", 1) for line in last[1:])
    assert list(lines) == [f"{repo.top}/.husky/{name}" for name in HOOKS]
    assert "Ready" not in repo.out
    status = repo.ok("status")
    assert (
        "core.hooksPath is a folder that husky manages; "
        "nothing calls our prepare-commit-msg, commit-msg, post-commit, pre-push there\n"
    ) in status
    assert all(f"add to {named}:  {line}" in status for named, line in lines.items())
    assert "run `entire enable`" not in status
    for named, line in lines.items():
        with Path(named).open("a") as file:
            file.write(f"{line}\n")
    assert repo.ok("enable", "--agent", "demo").rstrip().split("\n")[-1].startswith("Ready")
    assert "BROKEN" not in repo.ok("status")


@pytest.mark.parametrize(
    "text", ["npm test\n", "npm test", "#!/bin/sh\nnpm test\n", "#!/usr/bin/env bash\nnpm test", ""]
)
def test_uninstall_takes_out_the_lines_that_it_was_allowed_to_add(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    husky = repo.top / ".husky"
    (husky / "_").mkdir(parents=True)
    for name in ("commit-msg", "pre-push"):
        (husky / name).write_text(text)
        (husky / name).chmod(0o644)
    repo.git("config", "core.hooksPath", ".husky/_")
    before = repo.files()
    monkeypatch.setenv("ACCESSIBLE", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO("demo\nno\nyes\n"))
    assert repo.entire("enable") == 0
    assert len(list(husky.glob("*-*"))) == 4
    out = repo.ok("disable", "--uninstall", "-f")
    assert repo.files() == before
    assert f"the line in {husky}/commit-msg" in out


def test_uninstall_leaves_and_names_a_line_that_a_person_changed(repo: Repo) -> None:
    (repo.top / ".husky/_").mkdir(parents=True)
    repo.git("config", "core.hooksPath", ".husky/_")
    own = 'test -n "$CI" || .git/entire/hooks/commit-msg "$1"\n'
    (repo.top / ".husky/commit-msg").write_text(own)
    assert repo.entire("enable", "--agent", "demo") == 1
    assert f"{repo.top}/.husky/commit-msg:" not in repo.out
    assert f"{repo.top}/.husky/commit-msg still calls our hook" in repo.ok("disable", "--uninstall", "-f")
    assert (repo.top / ".husky/commit-msg").read_text() == own


def test_uninstall_names_the_users_own_hooks(repo: Repo) -> None:
    repo.ok("enable", "--agent", "demo", "--user")
    path = Path(os.environ["HOME"]) / ".demo-agent/settings.json"
    assert f"hooks stay in {path} for other repositories" in repo.ok("disable", "--uninstall", "-f")
    assert path.exists()


def test_uninstall_in_a_linked_worktree_names_the_main_one(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link_worktree(repo, tmp_path / "linked")
    monkeypatch.chdir(tmp_path / "linked")
    monkeypatch.setenv("ACCESSIBLE", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO("no\n"))
    assert repo.entire("disable", "--uninstall") == 0
    assert f"are shared with {repo.top}" in repo.out
    out = repo.ok("disable", "--uninstall", "--force")
    assert f"are shared with {repo.top}" in out
    assert not (repo.top / ".git/hooks/post-commit").exists()
    assert (repo.top / ".demo-agent/settings.json").exists()
