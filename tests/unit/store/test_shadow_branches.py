"""Which branches are ours: by name, and by the commit at their tip."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from entire.git.read import Objects
from entire.store import steps


@pytest.mark.parametrize(
    ("ref", "parts"),
    [
        ("refs/heads/entire/1234567-abcdef", ("1234567", "abcdef")),
        ("refs/heads/entire/1234567", ("1234567", "")),
        (f"refs/heads/entire/{'a' * 40}-e3b0c4", ("a" * 40, "e3b0c4")),
        ("refs/heads/entire/123456-abcdef", None),
        ("refs/heads/entire/1234567-abcde", None),
        ("refs/heads/entire/1234567-", None),
        ("refs/heads/entire/1234567-abcdefg", None),
        ("refs/heads/entire/123456g-abcdef", None),
        ("refs/heads/entire/1234567-abcdef-1", None),
        ("refs/heads/entire/checkpoints/v1", None),
        ("refs/heads/entire/", None),
        ("refs/heads/main", None),
        ("refs/remotes/origin/entire/1234567-abcdef", None),
    ],
)
def test_names(ref: str, parts: tuple[str, str] | None) -> None:
    assert steps.parse_branch(ref) == parts


@pytest.mark.parametrize("worktree", ["e3b0c4", "745b01"])
def test_what_is_named_can_be_parsed(worktree: str) -> None:
    name = steps.branch_name("0123456789" * 4, worktree)
    assert steps.parse_branch(f"refs/heads/{name}") == ("0123456", worktree)
    assert steps.parse_branch(f"refs/heads/{steps.branch_name('', worktree)}") == ("0000000", worktree)


@pytest.mark.parametrize(
    ("message", "is_ours"),
    [
        (steps.message("Title", "s", strategy="manual-commit").decode(), True),
        (steps.message("Title", "s", strategy="manual-commit", tool_use_id="toolu_1").decode(), True),
        ("carry forward: uncommitted session files\n\nEntire-Metadata: \nEntire-Session: s\n", True),
        ("By a person", False),
        ("About it\n\nEntire-Session: s", False),
        ("Linked\n\nEntire-Checkpoint: a1b2c3d4e5f6", False),
    ],
)
def test_tips(tmp_path: Path, message: str, is_ours: bool) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "commit", "-q", "--allow-empty", "-m", message], check=True)
    with Objects(str(tmp_path)) as objects:
        assert steps.is_shadow(objects, "refs/heads/entire/1234567-abcdef", "HEAD") is is_ours
        assert not steps.is_shadow(objects, "refs/heads/entire/mine", "HEAD")
        assert not steps.is_shadow(objects, "refs/heads/entire/1234567-abcdef", "1" * 40)
