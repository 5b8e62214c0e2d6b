"""A note tells which refs a git of ours is moving, for as long as a process that it speaks of is alive."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from entire.errors import GitError
from entire.git import ref_locks, refs
from entire.git.refs import RefMove
from tests.unit.git.repo import Repo

_STARTS_A_CHILD = """
import subprocess, sys
from entire.git import ref_locks
ref_locks.LockNote(sys.argv[1], ["refs/entire/x"]).__enter__()
child = subprocess.Popen(["sleep", "60"], close_fds=False)
print(child.pid, flush=True)
sys.stdin.read()
"""


def notes(repo: Repo) -> list[str]:
    return list(ref_locks.notes(f"{repo.top}/.git"))


def test_a_note_lasts_as_long_as_the_move(repo: Repo) -> None:
    with ref_locks.LockNote(repo.top, ["refs/entire/x", "refs/entire/y"]):
        (path,) = notes(repo)
        assert Path(path).read_text() == "refs/entire/x\nrefs/entire/y\n"
    assert notes(repo) == []


def test_nothing_to_move_needs_no_note(repo: Repo) -> None:
    with ref_locks.LockNote(repo.top, []):
        assert notes(repo) == []


@pytest.mark.parametrize(("error", "is_left"), [(GitError("refused", status=128), False),
                                                (GitError("killed", status=-9), True),
                                                (OSError("timed out"), True)])  # fmt: skip
def test_a_note_stays_if_git_was_killed(repo: Repo, error: Exception, is_left: bool) -> None:
    with pytest.raises(type(error)), ref_locks.LockNote(repo.top, ["refs/entire/x"]):
        raise error
    assert bool(notes(repo)) is is_left


def test_a_folder_that_cannot_be_written_does_not_matter(repo: Repo) -> None:
    Path(repo.top, ".git/entire").mkdir()
    Path(ref_locks.folder(f"{repo.top}/.git")).write_text("in the way")
    with ref_locks.LockNote(repo.top, ["refs/entire/x"]):
        assert notes(repo) == []


def test_what_a_dead_process_started_still_holds_its_note(repo: Repo) -> None:
    from entire.git import stale_locks

    with subprocess.Popen([sys.executable, "-c", _STARTS_A_CHILD, repo.top], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as parent:  # fmt: skip
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    try:
        assert [note.is_held for note in stale_locks.read_notes(f"{repo.top}/.git")] == [True]
    finally:
        os.kill(child, 9)
    deadline = time.monotonic() + 10
    while [note.is_held for note in stale_locks.read_notes(f"{repo.top}/.git")] != [False]:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_lock_that_goes_at_once_blocks_nothing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    path, waited = Path(repo.top, ".git/packed-refs.lock"), []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        path.unlink()

    monkeypatch.setattr(time, "sleep", wait)
    assert not ref_locks.blocks(f"{repo.top}/.git")
    path.touch()
    assert not ref_locks.blocks(f"{repo.top}/.git")
    assert len(waited) == 1
    path.touch()
    os.utime(path, (0, 0))
    assert ref_locks.blocks(f"{repo.top}/.git")
    assert len(waited) == 1, "an old one is not waited for"


def test_a_move_leaves_no_note(repo: Repo) -> None:
    repo.git("commit", "-q", "--allow-empty", "-m", "x")
    head = repo.git("rev-parse", "HEAD").decode().strip()
    refs.move(repo.top, [RefMove(ref="refs/entire/x", new=head, old="")])
    assert notes(repo) == [] and Path(ref_locks.folder(f"{repo.top}/.git")).is_dir()
