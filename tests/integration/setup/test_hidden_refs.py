"""Our refs in ``git log``: hidden by settings of one clone, shown again, and with subjects that say whose they are."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.integration.commandline import Repo
from tests.integration.story import Story, story  # noqa: F401


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    top = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", "-b", "main", str(top)], check=True)
    monkeypatch.chdir(top)
    return Repo(top, capsys)


def labels(repo: Repo) -> list[str]:
    done = subprocess.run(["git", "config", "--local", "--get-all", "log.excludeDecoration"], cwd=repo.top,
                          capture_output=True, text=True, check=False)  # fmt: skip
    return done.stdout.split()


def test_without_the_option_git_settings_stay(repo: Repo) -> None:
    before = (repo.top / ".git/config").read_text()
    repo.ok("enable", "--agent", "claude-code")
    assert (repo.top / ".git/config").read_text() == before


def test_hiding_refs_and_taking_it_back(repo: Repo) -> None:
    before = (repo.top / ".git/config").read_text()
    out = repo.ok("enable", "--agent", "claude-code", "--hide-refs")
    assert "git log: log.excludeDecoration and alias.log-all hide Entire's refs in this clone" in out
    assert repo.ok("enable", "--agent", "claude-code", "--hide-refs").count("log.excludeDecoration") == 1
    assert len(labels(repo)) == 3
    repo.git("config", "--add", "log.excludeDecoration", "refs/heads/mine")
    out = repo.ok("enable", "--agent", "claude-code", "--no-hide-refs")
    assert "git log: log.excludeDecoration and alias.log-all no longer hide Entire's refs in this clone" in out
    assert labels(repo) == ["refs/heads/mine"]
    repo.git("config", "--unset", "log.excludeDecoration")
    assert (repo.top / ".git/config").read_text().replace("[log]\n", "").replace("[alias]\n", "") == before


def test_uninstall_takes_it_back_and_leaves_an_alias_of_the_user(repo: Repo) -> None:
    repo.git("config", "alias.log-all", "log --all")
    out = repo.ok("enable", "--agent", "claude-code", "--hide-refs")
    assert "git log: log.excludeDecoration hide" in out
    assert "  git settings: log.excludeDecoration\n" in repo.ok("disable", "--uninstall", "--force")
    assert labels(repo) == []
    assert repo.git("config", "alias.log-all") == "log --all"


def test_hidden_refs_have_no_label_and_log_all_has_none_of_our_commits(story: Story) -> None:  # noqa: F811
    with story.started().turn("Add a file") as session:
        session.write("a.py", "a\n")
    story.commit("Add a file")
    with session.turn("Write another"):
        session.write("b.py", "b\n")
    shown = "log", "--all", "--decorate", "--format=%D|%s"
    assert "entire/checkpoints/v1|" in story.git(*shown)
    assert story.entire("enable", "--agent", "claude-code", "--hide-refs") == 0
    assert "entire/" not in story.git(*shown)
    assert story.git("log-all", "--format=%s").split("\n") == ["Add a file", "Enable entire", "init", ""]
    feature = story.git("branch", "feature") + story.git("log-all", "--decorate", "--format=%D")
    assert "HEAD -> main, feature" in feature


def test_subjects_of_our_commits_say_whose_they_are(story: Story) -> None:  # noqa: F811
    with story.started().turn("Add a file") as session:
        session.write("a.py", "a\n")
    story.commit("Add a file")
    with session.turn("What is it?"):
        pass
    subjects = set(story.git("log", "--all", "--format=%s").splitlines()) - {"init", "Enable entire", "Add a file"}
    assert {re.sub("[0-9a-f]{12}", "ID", subject) for subject in subjects} == {
        "Checkpoint: ID", "Initialize metadata branch", "Entire journal: snapshot of the worktree",
        "Entire journal: conversation of a turn without changes",
    }  # fmt: skip


def test_settings_that_cannot_be_written(repo: Repo) -> None:
    (repo.top / ".git/config.lock").write_text("")
    assert repo.entire("enable", "--agent", "claude-code", "--hide-refs") == 1
    os.unlink(repo.top / ".git/config.lock")
    assert repo.ok("enable", "--agent", "claude-code", "--hide-refs")
