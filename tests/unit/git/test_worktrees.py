"""Worktrees by name, and git's version."""

from __future__ import annotations

import os
import shutil

import pytest

from entire import process
from entire.git import bulk, program, worktrees
from entire.git.worktrees import Worktree
from tests.unit.git.repo import Repo


def found(repo: Repo) -> list[Worktree]:
    return worktrees.find_all(repo.top, os.path.join(repo.top, ".git"))


def test_before_the_first_commit(repo: Repo) -> None:
    (main,) = found(repo)
    assert (main.path, main.name, main.head, main.branch) == (repo.top, "", "", "refs/heads/main")


def test_linked_worktrees_have_the_names_of_their_folders_in_git(repo: Repo) -> None:
    repo.git("commit", "-q", "--allow-empty", "-m", "one")
    head = repo.line("rev-parse", "HEAD")
    folder = os.path.dirname(repo.top)
    repo.git("worktree", "add", "-q", "-b", "side", os.path.join(folder, "with blank"))
    repo.git("worktree", "add", "-q", "--detach", os.path.join(folder, "other", "away"))
    assert {(worktree.name, worktree.head, worktree.branch) for worktree in found(repo)} == {
        ("", head, "refs/heads/main"),
        ("away", head, ""),
        ("with-blank", head, "refs/heads/side"),
    }
    assert found(repo)[0].name == ""
    assert all(worktree.is_there for worktree in found(repo))


def test_from_a_linked_worktree_it_is_the_same(repo: Repo) -> None:
    repo.git("commit", "-q", "--allow-empty", "-m", "one")
    linked = os.path.join(os.path.dirname(repo.top), "linked")
    repo.git("worktree", "add", "-q", "-b", "side", linked)
    assert worktrees.find_all(linked, os.path.join(repo.top, ".git")) == found(repo)


@pytest.mark.parametrize("locked", [True, False])
def test_a_folder_that_is_away_is_known_until_git_forgets_it(repo: Repo, locked: bool) -> None:
    repo.git("commit", "-q", "--allow-empty", "-m", "one")
    linked = os.path.join(os.path.dirname(repo.top), "linked")
    repo.git("worktree", "add", "-q", "-b", "side", linked)
    if locked:
        repo.git("worktree", "lock", linked)
    shutil.rmtree(linked)
    assert [(worktree.name, worktree.is_there) for worktree in found(repo)] == [("", True), ("linked", False)]
    repo.git("worktree", "prune")
    assert [worktree.name for worktree in found(repo)] == (["", "linked"] if locked else [""])


def test_a_pointer_relative_to_its_own_folder(repo: Repo) -> None:
    """As git writes it with worktree.useRelativePaths."""
    repo.git("commit", "-q", "--allow-empty", "-m", "one")
    linked = os.path.join(os.path.dirname(repo.top), "linked")
    repo.git("worktree", "add", "-q", "-b", "side", linked)
    admin = os.path.join(repo.top, ".git", "worktrees", "linked")
    with open(os.path.join(admin, "gitdir"), "w") as file:
        file.write(os.path.relpath(os.path.join(linked, ".git"), admin) + "\n")
    assert "linked" in [worktree.name for worktree in found(repo)]


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        (b"git version 2.39.5\n", (2, 39, 5)),
        (b"git version 2.39.3 (Apple Git-146)\n", (2, 39, 3)),
        (b"git version 2.45.1.windows.1\n", (2, 45, 1)),
        (b"git version 2.46.0-rc1\n", (2, 46)),
        (b"something else\n", ()),
        (b"", ()),
    ],
)
def test_versions(monkeypatch: pytest.MonkeyPatch, said: bytes, numbers: tuple[int, ...]) -> None:
    monkeypatch.setattr(process, "run", lambda *_, **__: process.Completed(status=0, stdout=said, stderr=b""))
    assert program.version(".") == numbers


def test_the_git_here_is_new_enough(repo: Repo) -> None:
    assert program.version(repo.top) >= program.OLDEST


def test_missing_objects(repo: Repo) -> None:
    there, gone = repo.blob(b"x"), "1" * 40
    assert bulk.missing(repo.top, [there, gone, "HEAD^{tree}"]) == [gone, "HEAD^{tree}"]
    assert bulk.missing(repo.top, []) == []
