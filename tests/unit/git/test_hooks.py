"""Where git looks for hooks."""

from __future__ import annotations

import os
from pathlib import Path

from entire.git import hooks
from tests.unit.git.repo import Repo


def test_the_usual_folder_and_that_of_a_linked_worktree(repo: Repo) -> None:
    repo.git("commit", "-q", "--allow-empty", "-m", "x")
    repo.git("worktree", "add", "-q", "../linked")
    expected = os.path.join(repo.top, ".git", "hooks")
    for root in (repo.top, os.path.join(os.path.dirname(repo.top), "linked")):
        found = hooks.folder(root)
        assert (found.path, found.scope, found.tracked) == (expected, "", False)
        assert found.common_dir == os.path.join(repo.top, ".git")


def test_a_folder_that_the_team_or_the_user_has_set(repo: Repo, tmp_path: Path) -> None:
    repo.write(".husky/pre-push", "100755", b"#!/bin/sh\n")
    repo.git("config", "core.hooksPath", ".husky")
    assert not hooks.folder(repo.top).tracked
    repo.git("add", "-A")
    found = hooks.folder(repo.top)
    assert (found.path, found.scope, found.tracked) == (os.path.join(repo.top, ".husky"), "local", True)
    repo.git("config", "--unset", "core.hooksPath")
    repo.git("config", "--global", "core.hooksPath", str(tmp_path / "mine"))
    found = hooks.folder(repo.top)
    assert (found.path, found.scope, found.tracked) == (str(tmp_path / "mine"), "global", False)
