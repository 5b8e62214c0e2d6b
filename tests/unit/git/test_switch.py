"""Branches: which there are, what a switch would take along, and the switch itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from entire.errors import EntireError
from entire.git import switch


def git(where: Path, *args: str) -> str:
    return subprocess.run(["git", "-C", str(where), *args], check=True, capture_output=True, text=True).stdout.strip()


def commit(top: Path, message: str) -> str:
    git(top, "commit", "-q", "--allow-empty", "-m", message)
    return git(top, "rev-parse", "HEAD")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    (root / "a.txt").write_text("a\n")
    git(root, "add", "a.txt")
    commit(root, "first")
    return root


def test_only_tracked_changes_count(top: Path) -> None:
    assert switch.changed(str(top)) == []
    (top / "new.txt").write_text("n\n")
    assert switch.changed(str(top)) == []
    git(top, "add", "new.txt")
    (top / "a.txt").write_text("b\n")
    assert sorted(switch.changed(str(top))) == ["a.txt", "new.txt"]
    odd = os.fsencode(str(top)) + b"/odd \xff\n.txt"
    with open(odd, "wb"):
        pass
    git(top, "add", "-A")
    assert os.fsdecode(b"odd \xff\n.txt") in switch.changed(str(top))


@pytest.mark.parametrize("name", ["", "HEAD", "-x", "a..b", "a b", "a:b", "a*", "a\n", "x.lock", "/", "a^"])
def test_what_is_no_name_of_a_branch(name: str, top: Path) -> None:
    assert not switch.is_branch_name(name)
    assert switch.find(str(top), name) == {}


def test_a_branch_here_and_on_remotes(top: Path) -> None:
    head = git(top, "rev-parse", "HEAD")
    for name in ("second", "origin"):
        git(top, "remote", "add", name, str(top.parent / name))
        git(top, "update-ref", f"refs/remotes/{name}/main", head)
    git(top, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    git(top, "update-ref", "refs/remotes/gone/main", head)
    assert list(switch.find(str(top), "main")) == [
        "refs/heads/main", "refs/remotes/origin/main", "refs/remotes/second/main"]  # fmt: skip
    assert switch.find(str(top), "other") == {}
    assert switch.find(str(top), "HEAD") == {}


def test_the_branch_that_others_begin_from(top: Path) -> None:
    assert switch.default_branch(str(top)) == "refs/heads/main"
    git(top, "branch", "-m", "trunk")
    assert switch.default_branch(str(top)) == ""
    git(top, "update-ref", "refs/remotes/origin/trunk", "HEAD")
    git(top, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    assert switch.default_branch(str(top)) == "refs/heads/trunk"
    git(top, "branch", "-m", "mine")
    assert switch.default_branch(str(top)) == "refs/remotes/origin/trunk"


def test_the_first_parent_chain(top: Path) -> None:
    linked_commit = commit(top, "one\n\nKey: a")
    git(top, "switch", "-q", "-c", "side")
    side = commit(top, "side\n\nKey: b")
    git(top, "switch", "-q", "main")
    two = commit(top, "two")
    git(top, "merge", "-q", "--no-ff", "-m", "merge", "side")
    where = str(top)
    assert switch.later(where, linked_commit, "main") == 1
    assert switch.is_on_chain(where, linked_commit, "main")
    assert switch.is_on_chain(where, two, "main")
    assert switch.is_on_chain(where, git(top, "rev-parse", "main"), "main")
    assert switch.is_on_chain(where, git(top, "rev-list", "--max-parents=0", "main"), "main")
    assert not switch.is_on_chain(where, side, "main")
    assert switch.is_on_chain(where, side, "side")
    assert not switch.is_on_chain(where, two, "side")


def test_a_switch_runs_the_hooks_of_the_person(top: Path) -> None:
    hook = top / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho switched > hook-ran\n")
    hook.chmod(0o755)
    git(top, "branch", "other")
    switch.switch(str(top), "other")
    assert git(top, "branch", "--show-current") == "other"
    assert (top / "hook-ran").exists()


def test_a_switch_to_a_branch_of_a_remote_follows_it(top: Path) -> None:
    bare = top.parent / "bare.git"
    git(top.parent, "clone", "-q", "--bare", str(top), str(bare))
    git(bare, "branch", "far", "main")
    git(top, "remote", "add", "origin", str(bare))
    assert switch.fetch(str(top), "origin", "far", 30.0) == "refs/remotes/origin/far"
    switch.switch(str(top), "far", "refs/remotes/origin/far")
    assert git(top, "rev-parse", "--abbrev-ref", "far@{upstream}") == "origin/far"
    with pytest.raises(EntireError):
        switch.fetch(str(top), "origin", "nowhere", 30.0)


def test_git_says_why_it_refuses(top: Path) -> None:
    git(top, "switch", "-q", "-c", "other")
    (top / "a.txt").write_text("other\n")
    git(top, "commit", "-q", "-a", "-m", "other")
    git(top, "switch", "-q", "main")
    (top / "a.txt").write_text("mine\n")
    with pytest.raises(EntireError, match=r"a\.txt"):
        switch.switch(str(top), "other")
    assert (top / "a.txt").read_text() == "mine\n"
    with pytest.raises(EntireError):
        switch.switch(str(top), "nowhere")
