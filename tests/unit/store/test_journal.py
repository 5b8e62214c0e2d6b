"""The journal: it comes back as it was saved, forgets what is too old, and puts broken files aside."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from entire.layout import Place
from entire.model.session import Entry
from entire.model.turns import RunningTurn, TurnKey, TurnMark
from entire.model.value import replace
from entire.snapshots import worktree
from entire.store import journal
from entire.store.journal import Journal, Snapshot


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(top=str(tmp_path), git_dir=str(tmp_path / ".git"), common_dir=str(tmp_path / ".git"))


def entry(number: int, **more: Any) -> Entry:
    return replace(Entry(tree=f"{number:040}", time=float(number)), **more)


def test_a_journal_comes_back_as_it_was_saved(place: Place) -> None:
    saved = Journal(place)
    saved.attribution.note(entry(1))
    saved.attribution.note(
        entry(2, by=TurnKey("s/t"), running=(RunningTurn("s/t"), RunningTurn("?s2/t")), paths=("a", "b"))
    )
    saved.attribution.note(entry(3, commit="c" * 40, paths=("a",)))
    saved.attribution.reports = {TurnKey("s/t"): ["a"], TurnKey("s2/t"): ["b"], TurnKey("gone/t"): ["c"]}
    saved.attribution.note_agent_paths(["a", "b"])
    saved.note_reason("d" * 40, "why", 1.0)
    saved.sessions, saved.retention.tip, saved.retention.shadow_tips = ["s"], "e" * 40, {"entire/x": "f" * 40}
    saved.save(live=True)
    again = Journal(place)
    assert again.attribution.entries == saved.attribution.entries
    assert again.attribution.tree == entry(2).tree, "a commit is a look from the side"
    assert again.attribution.reports == {"s/t": ["a"], "s2/t": ["b"]}, "reports of turns that no look knows are dropped"
    assert (again.attribution.agent_paths, again.reasons, again.sessions) == (
        saved.attribution.agent_paths, saved.reasons, saved.sessions,
    )  # fmt: skip
    assert again.retention.__dict__ == saved.retention.__dict__
    assert os.path.exists(os.path.join(place.own_dir, "live"))
    again.save(live=False)
    assert not os.path.exists(os.path.join(place.own_dir, "live"))


def test_a_snapshot_comes_back_as_it_was_saved(place: Place) -> None:
    saved = Journal(place)
    assert saved.snapshot == Snapshot()
    saved.snapshot = Snapshot(
        head="h", tree="t", time=1.5, files={"a": ["100644", "o", 1, 2, 3, 4]}, left_out=("big",), untracked=("a",)
    )
    saved.attribution.note(Entry(tree="t", time=1.5))
    saved.save(live=True)
    assert Journal(place).snapshot == saved.snapshot


def test_a_snapshot_of_another_look_than_the_journals_last_is_no_base_for_the_next(place: Place) -> None:
    saved = Journal(place)
    saved.snapshot = Snapshot(head="h", tree="t", files={"a": ["100644", "o", 1, 2, 3, 4]})
    saved.attribution.note(Entry(tree="t", time=1.0))
    saved.save(live=True)
    saved.attribution.note(Entry(tree="u", time=2.0))
    saved.save(live=True)  # killed before the snapshot was written
    again = Journal(place).snapshot
    assert again.tree == ""
    assert worktree.changed_paths(again, saved.snapshot) is None


def test_what_is_remembered_is_bounded(place: Place) -> None:
    saved = Journal(place)
    for number in range(500):
        saved.attribution.note(entry(number))
        saved.note_reason(f"{number:040}", "why", float(number))
    saved.attribution.note_agent_paths([f"file {n}" for n in range(9000)])
    saved.caches.trees = {str(n): "t" for n in range(50)}
    saved.save(live=False)
    again = Journal(place)
    assert (
        len(again.attribution.entries),
        len(again.reasons),
        len(again.attribution.agent_paths),
        len(again.caches.trees),
    ) == (300, 50, 5000, 8)
    assert again.attribution.entries[-1] == entry(499)
    assert "file 8999" in again.attribution.agent_paths


def test_what_is_settled_twice_is_forgotten(place: Place) -> None:
    saved = Journal(place)
    for number in range(30):
        saved.attribution.note(entry(number))
        if number % 10 == 9:
            saved.attribution.note_quiet()
    assert len(saved.attribution.entries) < 25
    assert saved.attribution.entries[-1] == entry(29)
    assert all(0 < at <= len(saved.attribution.entries) for at in saved.attribution.quiet_at)


def test_the_entries_of_an_amended_commit_are_forgotten_but_never_the_first(place: Place) -> None:
    attribution = Journal(place).attribution
    for number, commit in enumerate(["a", "", "b", "", "c"]):
        attribution.note(Entry(tree=f"{number}", time=float(number), commit=commit))
    attribution.quiet_at = [3, 5]
    for commit in ("b", "a", ""):
        attribution.forget_commit(commit)
    assert [entry.tree for entry in attribution.entries] == ["0", "1", "3", "4"]
    assert attribution.quiet_at == [2, 4]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'"x"'])
def test_broken_files_are_put_aside(place: Place, content: bytes) -> None:
    os.makedirs(place.own_dir)
    for name in ("journal.json", "snapshot.json"):
        Path(place.own_dir, name).write_bytes(content)
    assert (Journal(place).attribution.entries, Journal(place).snapshot) == ([], Snapshot())
    assert sorted(os.listdir(place.own_dir)) == ["journal.json", "snapshot.json"], "who only looks changes nothing"
    saved = Journal(place, repair=True)
    assert (saved.attribution.entries, saved.snapshot) == ([], Snapshot())
    assert Path(place.own_dir, "journal.json.broken").read_bytes() == content


def test_what_a_journal_drops_is_found_in_the_past(place: Place) -> None:
    kept = Journal(place)
    own = kept.attribution
    own.reports = {TurnKey("a/1"): ["x", "y"], TurnKey("a/2"): ["z"]}
    for number in range(5):
        own.note(
            entry(
                number, by=TurnKey("a/1"), running=(RunningTurn("a/1"),), paths=("x",), mark=TurnMark(f"{number}" * 40)
            )
        )
    own.drop(2)
    kept.save(live=False)
    kept.save(live=False)  # once is enough
    again = Journal(place)
    past = journal.past(place)
    assert [past_entry.mark for past_entry, _ in past] == ["0" * 40, "1" * 40]
    assert [reports for _, reports in past] == [{"a/1": ["x"]}] * 2
    assert [past_entry.mark[:1] for past_entry in again.attribution.entries] == ["2", "3", "4"]


def test_a_cut_past_and_one_written_twice_count_once(place: Place) -> None:
    kept = Journal(place)
    own = kept.attribution
    for number in range(3):
        own.note(entry(number))
    own.drop(2)
    kept.save(live=False)
    path = Path(place.own_dir, "past.jsonl")
    path.write_bytes(path.read_bytes() * 2 + b'\n{"entry": ["cu')
    assert [past_entry.tree for past_entry, _ in journal.past(place)] == [entry(0).tree, entry(1).tree]


def test_the_past_is_bounded(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "_PAST_BYTES", 4000)
    kept = Journal(place)
    own = kept.attribution
    now = time.time()
    for number in range(200):
        own.note(replace(entry(number), time=now - 200 + number))
        own.drop(len(own.entries) - 1)
        kept.save(live=False)
    assert Path(place.own_dir, "past.jsonl").stat().st_size < 5000
    assert journal.past(place)[-1][0].tree == entry(198).tree
