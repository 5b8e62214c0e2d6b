"""Finding the worktree without git agrees with git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from entire import layout


def git(where: Path, *args: str) -> str:
    return subprocess.run(["git", "-C", str(where), *args], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    top = tmp_path / "repo"
    git(tmp_path, "init", "-q", str(top))
    git(top, "commit", "-q", "--allow-empty", "-m", "First")
    return top


def agrees(place: layout.Place | None, where: Path) -> None:
    assert place is not None
    said = git(where, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
    assert [place.top, place.git_dir, place.common_dir] == said.split("\n")


def test_the_main_worktree(repo: Path) -> None:
    place = layout.find(str(repo))
    agrees(place, repo)
    assert place is not None
    assert (place.worktree_name, place.worktree_id) == ("", "e3b0c4")
    assert place.sessions_dir == f"{repo}/.git/entire-sessions"
    assert place.own_dir == place.common_own_dir == f"{repo}/.git/entire"


def test_from_a_folder_below_and_through_a_link(repo: Path, tmp_path: Path) -> None:
    (repo / "a/b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(repo / "a")
    assert layout.find(str(repo / "a/b")) == layout.find(str(repo)) == layout.find(str(tmp_path / "link" / "b"))


def test_a_folder_that_was_deleted_is_looked_for_above(repo: Path) -> None:
    assert layout.find(str(repo / "gone/for/good")) == layout.find(str(repo))


@pytest.mark.parametrize(("name", "worktree_id"), [("feature-x", "c791eb"), ("wt2", "745b01")])
def test_a_linked_worktree(repo: Path, tmp_path: Path, name: str, worktree_id: str) -> None:
    linked = tmp_path / name
    git(repo, "worktree", "add", "-q", str(linked))
    place = layout.find(str(linked))
    agrees(place, linked)
    assert place is not None
    assert (place.worktree_name, place.worktree_id, place.main_top) == (name, worktree_id, str(repo))
    assert place.own_dir == f"{repo}/.git/worktrees/{name}/entire"
    assert place.common_own_dir == f"{repo}/.git/entire"


def test_a_submodule(repo: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    git(tmp_path, "init", "-q", str(outer))
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo), "sub")
    place = layout.find(str(outer / "sub"))
    agrees(place, outer / "sub")
    assert place is not None
    assert (place.worktree_name, place.main_top) == ("", str(outer / "sub"))


def test_a_git_directory_elsewhere(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--separate-git-dir", str(tmp_path / "store"), str(tmp_path / "work"))
    agrees(layout.find(str(tmp_path / "work")), tmp_path / "work")


def test_a_linked_worktree_of_a_bare_repository(repo: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(bare))
    git(bare, "worktree", "add", "-q", str(tmp_path / "linked"), "main")
    place = layout.find(str(tmp_path / "linked"))
    agrees(place, tmp_path / "linked")
    assert place is not None
    assert place.main_top == ""
    assert place.enabled_root == ""


@pytest.mark.parametrize("inside", [".git", ".git/hooks", ".git/refs/heads"])
def test_inside_a_git_directory_is_no_work_tree(repo: Path, inside: str) -> None:
    assert layout.find(str(repo / inside)) is None


def test_a_bare_repository_is_no_work_tree(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", str(tmp_path / "bare"))
    assert layout.find(str(tmp_path / "bare")) is None


@pytest.mark.parametrize("content", [b"", b"gitdir:", b"gitdir: /nowhere\n", b"\xff\xfe\n", b"gitdir: ../.."])
def test_a_broken_git_file_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x/.git").write_bytes(content)
    assert layout.find(str(tmp_path / "x")) is None


def test_an_empty_git_folder_does_not_hide_the_repository_above(repo: Path) -> None:
    (repo / "sub/.git").mkdir(parents=True)
    agrees(layout.find(str(repo / "sub")), repo / "sub")


def test_enabled_root(repo: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(repo, "worktree", "add", "-q", str(linked))

    def roots() -> list[str]:
        found = [layout.find(str(repo)), layout.find(str(linked))]
        return [place.enabled_root for place in found if place is not None]

    assert roots() == ["", ""]
    (repo / ".entire").mkdir()
    (repo / ".entire/settings.json").write_text("{}")
    assert roots() == [str(repo), ""]
    (repo / ".entire/settings.local.json").write_text("{}")
    assert roots() == [str(repo), str(repo)]
    (linked / ".entire").mkdir()
    (linked / ".entire/settings.json").write_text("{}")
    assert roots() == [str(repo), str(linked)]


def test_the_environment_is_not_asked(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = layout.find(str(repo))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, os.devnull)
    assert layout.find(str(repo)) == before


def test_folders_of_linked_worktrees(tmp_path: Path) -> None:
    pointers = {
        "absolute": b"/elsewhere/a/.git\n",
        "relative": b"../../../../b/.git\n",
        "empty": b"",
        "bytes": b"/c\xff/.git\n",
    }
    for name, pointer in pointers.items():
        (tmp_path / "r" / ".git" / "worktrees" / name).mkdir(parents=True)
        (tmp_path / "r" / ".git" / "worktrees" / name / "gitdir").write_bytes(pointer)
    (tmp_path / "r" / ".git" / "worktrees" / "none").mkdir()
    found = layout.linked_worktrees(str(tmp_path / "r" / ".git"))
    assert {name: os.path.normpath(top) for name, top in found.items()} == {
        "absolute": "/elsewhere/a",
        "bytes": "/c\udcff",
        "relative": str(tmp_path / "b"),
    }
    assert layout.linked_worktrees(str(tmp_path)) == {}
