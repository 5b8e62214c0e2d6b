"""Our patch id is git's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from entire.git import diff
from entire.git.patchid import patch_id
from tests.unit.git.repo import Repo, Tree, trees


def gits(repo: Repo, old: str, new: str) -> str:
    patch = repo.git("diff-tree", "-p", "--full-index", "--no-renames", old, new)
    return repo.git("patch-id", "--stable", data=patch).decode().partition(" ")[0]


@given(trees, trees)
@settings(max_examples=15)
def test_the_stable_patch_id(repo: Repo, before: Tree, after: Tree) -> None:
    old, new = repo.tree(before), repo.tree(after)
    patches = diff.patches(repo.top, [(old, new)], renames=False)[0]
    assert patch_id(patches, 40) == gits(repo, old, new)


@pytest.mark.parametrize("format_", ["sha1", "sha256"])
def test_it_stays_where_a_change_moves(tmp_path: Path, format_: str) -> None:
    repo = Repo(tmp_path / "repo", f"--object-format={format_}")
    text = b"".join(b"line %d\n" % n for n in range(20))
    trees = (repo.tree({"a": ("100644", text)}), repo.tree({"a": ("100644", text + b"more\n")}))
    two = (repo.tree({"a": ("100644", b"top\n" + text)}), repo.tree({"a": ("100644", b"top\n" + text + b"more\n")}))
    ids = [patch_id(patches, len(trees[0])) for patches in diff.patches(repo.top, [trees, two], renames=False)]
    assert ids[0] == ids[1] == gits(repo, *trees)
    assert patch_id([], 40) == ""


def test_a_submodule_that_moved_on(repo: Repo) -> None:
    trees_ = []
    for commit in ("12" * 20, "34" * 20):
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},sub")
        trees_.append(repo.line("write-tree"))
    patches = diff.patches(repo.top, [(trees_[0], trees_[1])], renames=False)[0]
    assert patch_id(patches, 40) == gits(repo, trees_[0], trees_[1])


@pytest.mark.parametrize("mode", ["100755", "120000"])
def test_modes_and_kinds(repo: Repo, mode: str) -> None:
    after: Tree = {"a": (mode, b"x"), "b": ("100644", b"y\n"), "c": ("100644", b"\0"), "d": ("100755", b"")}
    old, new = repo.tree({"a": ("100644", b"x"), "c": ("100644", b"\0\0")}), repo.tree(after)
    for pair in ((old, new), (new, old)):
        assert patch_id(diff.patches(repo.top, [pair], renames=False)[0], 40) == gits(repo, *pair)
