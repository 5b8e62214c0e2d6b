"""A partial clone at work: no hook fetches what it lacks. A file whose former content is not here counts as a whole,
and what cannot be written anew without a teammate's records is written beside them.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from entire.git.offline import Offline
from entire.model import reasons
from entire.store import sync
from tests.integration.story import BRANCH, Story


class Clone(Story):
    """A partial clone of a repository with checkpoints; its remote notes each process that serves it."""

    def __init__(self, team: Story, top: Path, lacking: str = "blob:none") -> None:
        self.root, self.projects, self.env = top, team.projects, team.env
        self.served = top.parent / "served"
        upload = top.parent / "upload-pack"
        upload.write_text(f'#!/bin/sh\necho >>"{self.served}"\nexec git-upload-pack "$@"\n')
        upload.chmod(0o755)
        team.git("config", "uploadpack.allowFilter", "true")
        team.git("clone", "-q", f"--filter={lacking}", f"file://{team.root}", str(top))
        self.git("config", "remote.origin.uploadpack", str(upload))
        assert self.entire("enable", "--agent", "claude-code") == 0

    def times_served(self) -> int:
        return len(self.served.read_text()) if self.served.exists() else 0


@pytest.fixture
def team(tmp_path: Path) -> Story:
    """A repository where an agent wrote two files in one commit, and a person changed one of them in the next two."""
    team = Story(tmp_path / "team")
    session = team.started()
    with session.turn("Write both"):
        session.write("a.py", "a = 1\nb = 2\nc = 3\n")
        session.write("b.py", "x = 1\ny = 2\n")
    team.commit("Add both")
    for number in (2, 3):
        team.write("a.py", f"a = {number}\nb = 2\nc = 3\n")
        team.commit(f"Change a to {number}")
    return team


@pytest.fixture
def clone(team: Story, tmp_path: Path) -> Clone:
    return Clone(team, tmp_path / "clone")


def test_an_amend_of_a_cloned_commit_fetches_nothing_and_is_linked(clone: Clone) -> None:
    session = clone.started()
    with session.turn("Change both"):
        session.edit("a.py", "b = 2", "b = 22")
        session.edit("b.py", "y = 2", "y = 22")
    clone.commit("Change a to 3, and more", "--amend")
    assert clone.times_served() == 0
    found = clone.linked()
    assert found["files_touched"] == ["a.py", "b.py"]
    lines = found["slots"][session.id]["initial_attribution"]
    assert (lines["agent_lines"], lines["total_committed"]) == (1, 1), "what a.py was before is not here"
    assert clone.log_errors() == ["1 file of the commit counts as a whole: this partial clone lacks what it was before"]


def test_commits_that_replace_others_fetch_nothing_and_keep_their_links(clone: Clone) -> None:
    session = clone.started()
    with session.turn("Change b"):
        session.edit("b.py", "y = 2", "y = 22")
    clone.commit("Change b")
    (fresh,) = clone.ids()
    clone.git("reset", "-q", "--soft", "HEAD~3")
    clone.commit("All of it")
    assert clone.ids() == [fresh]
    assert clone.times_served() == 0
    clone.git("switch", "-q", "-c", "other", "HEAD~1")
    with session.turn("Write c"):
        session.write("c.py", "c = 1\n")
    clone.commit("Add c")
    (picked,) = clone.ids()
    clone.git("-c", "core.hooksPath=/dev/null", "rebase", "-q", "main")
    by_git = clone.times_served()
    with session.turn("Write d"):
        session.write("d.py", "d = 1\n")
    assert (clone.ids(), clone.times_served()) == ([picked], by_git)
    assert [line for line in clone.log_errors() if "counts as a whole" not in line] == []


def test_a_teammates_checkpoint_that_is_not_here_keeps_its_commit_and_another_joins(clone: Clone) -> None:
    clone.git("reset", "-q", "--hard", "HEAD~2")
    (theirs,) = clone.ids()
    by_git = clone.times_served()
    session = clone.started()
    with session.turn("Change b"):
        session.edit("b.py", "y = 2", "y = 22")
    clone.git("commit", "-q", "--amend", "--no-edit", "-a")
    ids = clone.ids()
    assert (ids[0], len(ids)) == (theirs, 2)
    assert list(clone.checkpoint(ids[1])["slots"]) == [session.id]
    clone.write("b.py", "x = 1\ny = 22\nz = 3\n")
    clone.git("commit", "-q", "--amend", "--no-edit", "-a")
    assert clone.ids() == ids
    with session.turn("Look around"):
        pass
    assert clone.times_served() == by_git
    assert clone.log_errors() == []


def test_where_folders_are_not_here_the_commit_has_a_reason_and_later_ones_are_linked(
    team: Story, tmp_path: Path
) -> None:
    clone = Clone(team, tmp_path / "clone", "tree:0")
    session = clone.started()
    with session.turn("Change a"):
        session.edit("a.py", "b = 2", "b = 22")
    clone.commit("Change a to 3, and more", "--amend")
    amended = clone.head()
    assert (clone.ids(), clone.reasons()) == ([], {amended: reasons.LACKING.text()})
    by_git = clone.times_served()
    with session.turn("Change b"):
        session.edit("b.py", "y = 2", "y = 22")
    clone.commit("Change b")
    assert clone.linked()["files_touched"] == ["b.py"]
    assert clone.times_served() == by_git
    assert set(clone.reasons()) == {amended}
    assert [line for line in clone.log_errors() if "this partial clone lacks" not in line] == []


def test_the_hooks_of_a_clone_without_its_remote_go_on(team: Story, clone: Clone) -> None:
    team.root.rename(team.root.with_name("away"))
    session = clone.started()
    with session.turn("Change both"):
        session.edit("a.py", "b = 2", "b = 22")
        session.edit("b.py", "y = 2", "y = 22")
    clone.commit("Change a to 3, and more", "--amend")
    assert clone.linked()["files_touched"] == ["a.py", "b.py"]


def test_a_push_of_checkpoints_fetches_at_once_what_the_join_reads(team: Story, clone: Clone, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(team.root), str(bare)], check=True)
    subprocess.run(["git", "-C", str(bare), "config", "uploadpack.allowFilter", "true"], check=True)
    clone.git("config", "remote.origin.url", f"file://{bare}")
    clone.git("fetch", "-q")
    clone.git("branch", BRANCH, f"origin/{BRANCH}")
    served = clone.times_served()
    (checkpoint_id,) = clone.ids("HEAD~2")
    for where, said in ((team, "theirs"), (clone, "ours")):
        path = checkpoint_id[:2] + "/" + checkpoint_id[2:] + "/note.txt"
        _put(where, path, f"{said}\n")
        _put(where, checkpoint_id[:2] + "/" + checkpoint_id[2:] + "/0/prompt.txt", f"{said}\n")
    subprocess.run(["git", "-C", str(team.root), "push", "-q", "--no-verify", str(bare), BRANCH], check=True)
    with Offline():  # as in a hook
        outcome = sync.push(str(clone.root), "origin")
    assert (outcome.pushed, outcome.joined, outcome.failed) == (True, True, "")
    assert clone.times_served() - served <= 5, "git's own pushes fetch as well"


def _put(story: Story, path: str, text: str) -> None:
    """Write a file on the checkpoints branch without reading any other."""
    stream = f"commit refs/heads/{BRANCH}\ncommitter A <a@b.c> 1700000000 +0000\ndata 1\nx\n"
    stream += f"from refs/heads/{BRANCH}^0\nM 100644 inline {path}\ndata {len(text)}\n{text}\n"
    story.git("fast-import", "--quiet", stdin=stream)
