"""Newer commits on another history: what each changed, and everything else from there."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.git import history
from entire.git.pack import Pack
from entire.git.read import Objects
from entire.store.rebase import Rebaser
from tests.unit.store.test_rewriting import git

BASE = {"same": "same", "a/changed": "new", "a/kept": "new", "slot/full.jsonl": "new", "slot/content_hash.txt": "new"}
OTHER = {**BASE, "a/changed": "old", "a/kept": "old", "gone/file": "back", "slot/content_hash.txt": "old"}
NEWER = {**BASE, "a/changed": "newer", "b": "added", "slot/full.jsonl": "newer"}


def commit(repo: Path, files: dict[str, str], *parents: str) -> str:
    """Write a commit with these files and no other."""
    git(repo, "read-tree", "--empty")
    for path, text in files.items():
        blob = git(repo, "hash-object", "-w", "--stdin", stdin=text)
        git(repo, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    given = [word for parent in parents for word in ("-p", parent)]
    return git(repo, "commit-tree", git(repo, "write-tree"), *given, "-m", "Said\n\nTrailer: x")


def files(repo: Path, oid: str) -> dict[str, str]:
    return {path: git(repo, "show", f"{oid}:{path}") for path in git(repo, "ls-tree", "-r", "--name-only", oid).split()}


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_newer_commits_keep_what_they_changed(tmp_path: Path, form: str) -> None:
    git(tmp_path, "init", "-q", f"--object-format={form}")
    base, other = commit(tmp_path, BASE), commit(tmp_path, OTHER)
    foreign = commit(tmp_path, {"foreign": "x"})
    newer = commit(tmp_path, NEWER, base)
    merge = commit(tmp_path, {**NEWER, "foreign": "x"}, newer, foreign)
    with Objects(str(tmp_path)) as objects:
        pack = Pack(str(tmp_path), history.oid_size(str(tmp_path)))
        rebaser = Rebaser(objects, pack, {base: other})
        rebaser.rebase(str(tmp_path), [merge])
    found = rebaser.commits
    assert foreign not in found
    assert git(tmp_path, "log", "-1", "--format=%P", found[merge]) == f"{found[newer]} {foreign}"
    assert git(tmp_path, "log", "-1", "--format=%an %ad %B", found[newer]) == git(
        tmp_path, "log", "-1", "--format=%an %ad %B", newer
    )
    slot = {"slot/full.jsonl": "newer", "slot/content_hash.txt": "new"}  # a transcript goes with its hash
    expected = {**OTHER, "a/changed": "newer", "b": "added", **slot}
    assert files(tmp_path, found[newer]) == expected
    assert files(tmp_path, found[merge]) == {**expected, "foreign": "x"}
    assert git(tmp_path, "fsck", "--no-dangling", "--connectivity-only") == ""


def test_a_file_and_a_folder_of_one_name(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    base, other = commit(tmp_path, {"x": "1"}), commit(tmp_path, {"x": "0", "y/z": "0"})
    newer = commit(tmp_path, {"x/in": "2"}, base)
    with Objects(str(tmp_path)) as objects:
        rebaser = Rebaser(objects, Pack(str(tmp_path), 40), {base: other})
        rebaser.rebase(str(tmp_path), [newer])
    assert files(tmp_path, rebaser.commits[newer]) == {"x/in": "2", "y/z": "0"}
