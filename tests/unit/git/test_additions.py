"""Every blob that a history ever held is listed with the commit that brought it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from entire.git import additions


def git(where: Path, *args: str) -> str:
    return subprocess.run(["git", "-C", str(where), *args], check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_blobs_that_are_gone_and_those_of_a_joined_history_are_listed(tmp_path: Path, form: str) -> None:
    git(tmp_path, "init", "-q", f"--object-format={form}")
    commits = []
    for name, text in (("a\nb.txt", "1"), ("a\nb.txt", "2"), ("keep/c", "3")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", f"+\n:{text} is here")
        commits.append(git(tmp_path, "rev-parse", "HEAD"))
    git(tmp_path, "switch", "-q", "--orphan", "other")
    (tmp_path / "d").write_text("4")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "other")
    git(tmp_path, "merge", "-q", "--allow-unrelated-histories", "-m", "join", commits[-1])
    found = list(additions.find(str(tmp_path), ["HEAD"]))
    brought = {(path, git(tmp_path, "cat-file", "-p", oid)) for added in found for path, oid in added.blobs}
    assert brought == {("a\nb.txt", "1"), ("a\nb.txt", "2"), ("keep/c", "3"), ("d", "4")}
    assert [added.commit for added in found if added.commit in commits] == commits
    assert {added.message.strip() for added in found} == {f"+\n:{n} is here" for n in "123"} | {"other", "join"}
    inside = list(additions.find(str(tmp_path), [commits[-1]], ["keep"]))
    assert [(len(added.blobs), added.commit) for added in inside] == list(zip((0, 0, 1), commits, strict=True))


def test_nothing_is_asked_without_a_tip(tmp_path: Path) -> None:
    assert list(additions.find(str(tmp_path), [])) == []
