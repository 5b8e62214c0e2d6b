"""Commits of the Go CLI's auto-commit strategy: one point each, and the ways back from them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from entire.errors import EntireError
from entire.model.requests import RewindRequest
from entire.workspace import Workspace
from tests import golden


def git(root: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=root, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (found,) = golden.repositories(golden.unpack("auto/03-third-turn", tmp_path))
    return found


def test_each_commit_is_one_point(root: Path) -> None:
    assert [(point.kind, point.message, point.checkpoint_id) for point in Workspace.find(root).points.listing(0)] == [
        ("checkpoint", "Change greeting", "2156db21c7b0"),
        ("checkpoint", "Completed 'general-purpose' agent: Write a note (toolu_1a1fe0)", "b0cbf7a11f84"),
        ("checkpoint", "Create greeting file", "002e24c6fa54"),
    ]


def test_a_shared_branch_stays_and_a_commit_takes_back(root: Path) -> None:
    workspace, head = Workspace.find(root), git(root, "rev-parse", "HEAD")
    first = workspace.points.listing(0)[-1]
    git(root, "update-ref", "refs/remotes/origin/main", "HEAD")
    with pytest.raises(EntireError, match="are also on origin/main"):
        workspace.points.rewind(RewindRequest(to=first.id, reset=True))
    with workspace.points.rewind(RewindRequest(to=first.id, take_back=True)) as planned:
        view = planned.carry_out()
    assert git(root, "rev-parse", "HEAD^") == head
    assert len(view.taken_back) == 2
    assert git(root, "diff", "--name-only", first.id) == ""
    with workspace.undo.rewind() as planned:
        planned.carry_out()
    assert git(root, "rev-parse", "HEAD") == head


def test_a_branch_of_ones_own_moves_back(root: Path) -> None:
    workspace = Workspace.find(root)
    first = workspace.points.listing(0)[-1]
    with workspace.points.rewind(RewindRequest(to=first.id, reset=True)) as planned:
        planned.carry_out()
    assert git(root, "rev-parse", "HEAD") == first.id
