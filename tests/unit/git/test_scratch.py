"""A repository that sees another's objects, and into which git writes instead."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from entire import layout
from entire.git import diff, history, scratch, status
from entire.git.read import Objects
from tests.trees import tree


@pytest.mark.parametrize("name", ["plain", 'odd : "na\\me\nö'])
@pytest.mark.parametrize("objects", ["sha1", "sha256"])
def test_what_is_stored_there_is_not_stored_here(tmp_path: Path, name: str, objects: str) -> None:
    top = tmp_path / name
    top.mkdir()

    def git(*args: str) -> str:
        done = subprocess.run(["git", *args], cwd=top, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "-q", f"--object-format={objects}")
    (top / "a.txt").write_text("a\n")
    git("add", "a.txt")
    stored = git("write-tree")
    (top / "b.txt").write_text("b\n")
    before = tree(top)
    place = layout.find(str(top))
    assert place is not None
    folder = tmp_path / "scratch"
    folder.mkdir()
    variables = scratch.make(str(folder), place, history.oid_size(str(top)))
    oids = status.store_files(str(top), ["b.txt"], variables)
    with Objects(str(folder)) as there, Objects(str(top)) as here:
        assert there.blob(oids["b.txt"]) == b"b\n"
        assert here.blob(oids["b.txt"]) is None
    assert [change.path for change in diff.changes(str(folder), diff.EMPTY_TREE[len(stored)], stored)] == ["a.txt"]
    assert tree(top) == before
