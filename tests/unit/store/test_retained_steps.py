"""Condensed steps under refs of ours: named, found, bounded."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from entire.git import refs
from entire.store import retained_steps
from entire.store.journal import RetainedSteps, retained_from_json
from tests.unit.git.repo import Repo

DAY = 86400.0


def test_kept_and_found_again(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    Path(repo.top, "a").write_text("a")
    repo.git("add", "a")
    repo.git("commit", "-q", "-m", "a")
    tip = repo.line("rev-parse", "HEAD")
    kept: list[RetainedSteps] = []
    for base in ("b" * 40, "c" * 40):  # within one moment
        kept.append(retained_steps.plan(kept, "e3b0c4", base, tip=tip, size=10, now=1000.0))
        refs.move(repo.top, [refs.RefMove(ref=kept[-1].ref, new=tip, old="")])
    found = retained_steps.find(repo.top, "e3b0c4")
    assert [(retained.base, retained.tip, retained.worktree_id) for retained in found] == [
        ("c" * 40, tip, "e3b0c4"), ("b" * 40, tip, "e3b0c4"),
    ]  # fmt: skip
    assert [retained.ref for retained in found] == [retained.ref for retained in reversed(kept)]
    assert [retained_from_json(retained.to_json()) for retained in kept] == kept
    assert retained_steps.find(repo.top, "other1") == []
    assert retained_steps.find(repo.top) == found


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 100)), max_size=40), st.integers(0, 500))
def test_the_newest_stay_within_the_bounds(ages_and_sizes: list[tuple[int, int]], max_bytes: int) -> None:
    now = 100 * DAY
    lines = [
        RetainedSteps(ref=f"refs/{n}", tip="", time=now - age * DAY + n / 1000, size=size)
        for n, (age, size) in enumerate(ages_and_sizes)
    ]
    gone = retained_steps.surplus(lines, now, seconds=14 * DAY, max_bytes=max_bytes)
    left = [line for line in lines if line not in gone]
    assert sum(line.size for line in left) <= max_bytes
    assert all(now - line.time <= 14 * DAY for line in left)
    newest = sorted(lines, key=lambda line: line.time, reverse=True)
    assert [line for line in newest if line in left] == newest[: len(left)]
    if len(left) < len(lines):
        following = newest[len(left)]
        too_much = sum(line.size for line in [*left, following]) > max_bytes
        assert too_much or now - following.time > 14 * DAY
