"""Questions about commits."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from entire.git import history


@pytest.fixture
def repo(tmp_path: Path) -> str:
    git(tmp_path, "init", "-q", ".")
    return str(tmp_path)


def git(where: Path | str, *args: str) -> str:
    return subprocess.run(["git", "-C", str(where), *args], check=True, capture_output=True, text=True).stdout.strip()


def commit(repo: str, message: str) -> str:
    git(repo, "commit", "-q", "--allow-empty", "-m", message)
    return git(repo, "rev-parse", "HEAD")


def test_a_repository_without_a_commit(repo: str) -> None:
    assert history.resolve(repo, "HEAD") == ""
    assert history.branch(repo) == "main"
    assert history.containing(repo, "x", start="HEAD") == history.containing(repo, "x") == []
    assert history.count(repo, "HEAD") == 0
    assert history.remotes(repo) == []


@pytest.mark.parametrize("name", ["", "nothing", "--all", "-1", "HEAD\n", "HEAD\0", "HEAD^{tree}", "..", "HEAD~5"])
def test_what_is_no_commit(repo: str, name: str) -> None:
    commit(repo, "One")
    assert history.resolve(repo, name) == ""


def test_names_of_a_commit(repo: str) -> None:
    oid = commit(repo, "One")
    git(repo, "tag", "-a", "-m", "x", "v1")
    assert {history.resolve(repo, name) for name in ("HEAD", "main", "v1", oid, oid[:8])} == {oid}


def test_commits_come_back_whole_and_in_the_order_asked(repo: str) -> None:
    first = commit(repo, "One\n\nbody\n\nKey: value")
    second = commit(repo, "  Zwei é\n\n\n\nEnd")
    found = history.show(repo, [second, "f" * 40, first])
    assert [one.oid for one in found] == [second, first]
    assert [one.subject for one in found] == ["Zwei é", "One"]
    assert found[0].parents == (first,)
    assert found[1].message.rstrip() == "One\n\nbody\n\nKey: value"
    assert found[1].author == "Ada Tester"
    assert history.show(repo, []) == []


def test_a_message_that_is_no_utf8(repo: str, tmp_path: Path) -> None:
    raw = subprocess.run(["git", "-C", repo, "commit-tree", git(repo, "mktree"), "-F", "-"], input=b"caf\xe9 Key\n",
                         capture_output=True, check=True)  # fmt: skip
    (one,) = history.show(repo, [raw.stdout.decode().strip()])
    assert one.subject.encode("utf-8", "surrogateescape") in (b"caf\xe9 Key", "café Key".encode())


def test_commits_that_say_something(repo: str) -> None:
    one = commit(repo, "One\n\nKey: a.b")
    commit(repo, "Two\n\nKey: aXb")
    three = commit(repo, "Three Key: a.b")
    git(repo, "branch", "side", one)
    for ours in ("refs/heads/entire/checkpoints/v1", "refs/heads/entire/1234567-e3b0c4", "refs/entire/journal/x",
                 "refs/remotes/origin/entire/checkpoints/v1", "refs/stash"):  # fmt: skip
        hidden = git(repo, "commit-tree", "HEAD^{tree}", "-m", "Key: a.b")
        git(repo, "update-ref", ours, hidden)
    assert [found.oid for found in history.containing(repo, "Key: a.b", start="HEAD")] == [three, one]
    assert {found.oid for found in history.containing(repo, "Key: a.b")} == {three, one}
    assert [found.oid for found in history.containing(repo, "Key: a.b", start="side")] == [one]
    assert len(history.containing(repo, "Key", start="HEAD", limit=1)) == 1
    assert history.count(repo, "HEAD", "^side") == 2


def test_a_detached_head_has_no_branch(repo: str) -> None:
    commit(repo, "One")
    git(repo, "checkout", "-q", "--detach")
    assert history.branch(repo) == ""


def test_the_pager_of_git(repo: str, monkeypatch: pytest.MonkeyPatch) -> None:
    git(repo, "config", "core.pager", "less -S")
    assert history.pager(repo) == f"{shutil.which('less') or 'less'} -S"
    monkeypatch.setenv("GIT_PAGER", "more")
    assert history.pager(repo) == (shutil.which("more") or "more")
