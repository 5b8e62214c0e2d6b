"""The one place that builds a git command line."""

from __future__ import annotations

import pytest

from entire.errors import GitError
from entire.git import run
from tests.unit.git.repo import Repo


def test_what_a_hook_inherited_from_git_is_left_out(monkeypatch: pytest.MonkeyPatch, repo: Repo) -> None:
    for name in (
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_WORK_TREE",
        "GIT_PREFIX",
        "GIT_AUTHOR_DATE",
        "GIT_CONFIG_PARAMETERS",
    ):
        monkeypatch.setenv(name, "/nowhere")
        assert name not in run.environment()
    monkeypatch.setenv("GIT_SSH_COMMAND", "ssh -v")
    env = run.environment(GIT_INDEX_FILE="mine")
    assert (env["GIT_SSH_COMMAND"], env["GIT_INDEX_FILE"], env["GIT_OPTIONAL_LOCKS"], env["LC_ALL"]) == (
        "ssh -v",
        "mine",
        "0",
        "C",
    )
    assert run.lines(repo.top, "rev-parse", "--show-toplevel") == [repo.top]


def test_a_failure_says_what_git_said(repo: Repo) -> None:
    with pytest.raises(GitError, match="git rev-parse --verify nothing failed: fatal: ") as caught:
        run.git(repo.top, "rev-parse", "--verify", "nothing")
    assert caught.value.status == 128
    assert run.git(repo.top, "rev-parse", "--verify", "nothing", ok=(128,)).status == 128


def test_output_that_is_no_utf_8_is_kept(repo: Repo) -> None:
    repo.git("config", "x.y", b"\xff")
    assert run.lines(repo.top, "config", "x.y") == ["\udcff"]


def test_no_maintenance_and_no_file_watcher_are_started(repo: Repo) -> None:
    repo.git("config", "core.fsmonitor", "true")
    assert run.lines(repo.top, "config", "core.fsmonitor") == ["false"]
    assert run.lines(repo.top, "config", "gc.auto") == ["0"]
