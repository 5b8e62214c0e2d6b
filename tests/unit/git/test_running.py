"""The git processes of a repository are found wherever they were started, and those of others are not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from entire import layout
from entire.git import running
from tests.unit.git.repo import Repo

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are seen in /proc only")


@contextmanager
def git(*args: str, where: str) -> Iterator[int]:
    """Run a git that waits for its input."""
    with subprocess.Popen(["git", *args], cwd=where, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"start\n")
        process.stdin.flush()
        if "update-ref" in args:
            assert process.stdout.readline() == b"start: ok\n"
        yield process.pid
        process.kill()


def pids(repo: Repo) -> list[int]:
    place = layout.find(repo.top)
    assert place is not None
    found = running.find(place)
    assert found is not None
    return [process.pid for process in found]


def test_a_git_in_the_repository_and_one_that_names_it(repo: Repo, tmp_path: Path) -> None:
    assert pids(repo) == []
    with git("update-ref", "--stdin", where=repo.top) as pid:
        assert pids(repo) == [pid]
    with git("--git-dir", f"{repo.top}/.git", "update-ref", "--stdin", where=str(tmp_path)) as pid:
        assert pids(repo) == [pid]
    assert pids(repo) == []


def test_a_git_elsewhere_and_one_that_moves_no_ref_do_not_count(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    with git("update-ref", "--stdin", where=other.top), git("cat-file", "--batch", where=repo.top):
        assert pids(repo) == []
