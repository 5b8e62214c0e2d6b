"""When a snapshot reads a file again."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.git.status import Dirty
from entire.snapshots import worktree
from entire.store.journal import Snapshot

OID = "1" * 40


@pytest.mark.parametrize(("seconds", "is_read"), [(-1.0, True), (0.0, True), (0.019, True), (0.03, False)])
def test_a_file_that_changed_just_before_the_last_snapshot_is_read_again(
    tmp_path: Path, seconds: float, is_read: bool
) -> None:
    """It may have changed once more without a new time stamp. ``seconds``: from its change to the snapshot."""
    (tmp_path / "a.txt").write_text("one\n")
    dirty = Dirty(path="a.txt", mode="100644", tracked=True)
    facts = worktree._facts(str(tmp_path), dirty, Snapshot())
    assert facts is not None
    moment = (tmp_path / "a.txt").stat().st_mtime_ns / 1e9 + seconds
    before = Snapshot(time=moment, files={"a.txt": [facts[0], OID, *facts[2:]]})
    again = worktree._facts(str(tmp_path), dirty, before)
    assert again == [facts[0], "" if is_read else OID, *facts[2:]]


def test_a_file_of_another_size_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    dirty = Dirty(path="a.txt", mode="100644", tracked=True)
    facts = worktree._facts(str(tmp_path), dirty, Snapshot())
    assert facts is not None
    before = Snapshot(time=9e9, files={"a.txt": [facts[0], OID, facts[2] + 1, *facts[3:]]})
    assert worktree._facts(str(tmp_path), dirty, before) == facts
