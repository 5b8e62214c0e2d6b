"""The parser of ``git status``, and files stored as git would add them."""

from __future__ import annotations

import os

from entire.git import index, status
from tests.unit.git.repo import WEIRD, Repo


def test_before_the_first_commit_and_after_it(repo: Repo) -> None:
    assert (status.read(repo.top).head, status.read(repo.top).branch) == ("", "main")
    repo.git("commit", "-q", "--allow-empty", "-m", "x")
    assert status.read(repo.top).head == repo.line("rev-parse", "HEAD")
    repo.git("checkout", "-q", "--detach")
    assert status.read(repo.top).branch == ""


def test_every_kind_of_change(repo: Repo) -> None:
    for name in ("kept", "edited", "staged", "gone", "mode"):
        repo.write(name, "100644", b"1\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "x")
    repo.write("edited", "100644", b"2\n")
    repo.write("staged", "100644", b"3\n")
    repo.git("add", "staged")
    repo.remove("gone")
    os.chmod(repo.path("mode"), 0o755)
    repo.write("new", "100644", b"4\n")
    dirty = {entry.path: (entry.mode, entry.oid, entry.tracked) for entry in status.read(repo.top).dirty}
    assert dirty == {
        "edited": ("100644", "", True),
        "staged": ("100644", repo.blob(b"3\n"), True),
        "gone": ("000000", "", True),
        "mode": ("100755", "", True),
        "new": ("", "", False),
    }


def test_what_is_staged_is_told_however_the_worktree_is(repo: Repo) -> None:
    for name in ("gone", "kept", "edited", "both"):
        repo.write(name, "100644", b"1\n")
    repo.git("add", "-A")
    assert status.read(repo.top).staged == dict.fromkeys(("gone", "kept", "edited", "both"), repo.blob(b"1\n"))
    repo.git("commit", "-q", "-m", "x")
    repo.git("rm", "-q", "gone")
    repo.write("both", "100644", b"2\n")
    repo.write("new", "100644", b"2\n")
    repo.git("add", "both", "new")
    repo.write("both", "100644", b"3\n")
    repo.write("edited", "100644", b"2\n")
    repo.write("meant", "100644", b"2\n")
    repo.git("add", "-N", "meant")
    two = repo.blob(b"2\n")
    assert status.read(repo.top).staged == {"both": two, "gone": "0" * len(two), "new": two}


def test_strange_names_are_told_and_stored(repo: Repo) -> None:
    for name in WEIRD:
        repo.write(name, "100644", name.encode("utf-8", "surrogateescape"))
    assert sorted(entry.path for entry in status.read(repo.top).dirty) == sorted(WEIRD)
    stored = status.store_files(repo.top, WEIRD)
    assert stored == {name: repo.blob(name.encode("utf-8", "surrogateescape")) for name in WEIRD}


def test_files_that_vanish_meanwhile_are_left_out(repo: Repo) -> None:
    for name in ("a", "c", "e"):
        repo.write(name, "100644", name.encode())
    os.mkdir(repo.path("d"))
    stored = status.store_files(repo.top, ["a", "b", "c", "d", "e", "f"])
    assert stored == {name: repo.blob(name.encode()) for name in ("a", "c", "e")}
    assert status.store_files(repo.top, []) == {}


def test_the_tree_of_an_index_without_touching_it(repo: Repo) -> None:
    scratch = os.path.join(repo.top, ".git", "entire")
    where = os.path.join(repo.top, ".git", "index")
    assert index.tree(repo.top, os.path.join(repo.top, ".git"), where, scratch) == repo.line("mktree")
    repo.write("a", "100644", b"1\n")
    repo.git("add", "a")
    before = os.stat(where).st_mtime_ns, repo.git("ls-files", "--debug")
    assert index.tree(repo.top, os.path.join(repo.top, ".git"), where, scratch) == repo.tree({"a": ("100644", b"1\n")})
    assert (os.stat(where).st_mtime_ns, repo.git("ls-files", "--debug")) == before
    assert os.listdir(scratch) == []
    assert index.message_settings(repo.top) == ([], "")
    for name, value in (("core.commentChar", ";"), ("core.commentString", "//"), ("commit.cleanup", "strip")):
        repo.git("config", name, value)
    assert index.message_settings(repo.top) == ([";", "//"], "strip")
