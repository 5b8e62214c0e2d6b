"""Who changed what since when: rewinds take changes back, undos bring them again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from entire.model.session import Entry
from entire.model.turns import NO_TURN, PERSON, RunningTurn, TurnKey, TurnMark
from entire.rewind import edits
from entire.rewind.edits import SnapshotHistory
from entire.store import journal

A, B = TurnKey("a/1"), TurnKey("b/1")


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Any:
    def make(
        *entries: Entry, past: tuple[Entry, ...] = (), reports: dict[str, list[str]] | None = None
    ) -> SnapshotHistory:
        monkeypatch.setattr(journal, "past", lambda _place: [(entry, {A: ["x"]}) for entry in past])
        kept = SimpleNamespace(agent_paths={"made": None}, entries=list(entries), reports=reports or {})
        context = SimpleNamespace(place=SimpleNamespace(top="/"), journal=SimpleNamespace(attribution=kept))
        return SnapshotHistory(context)  # type: ignore[arg-type]

    return make


def look(time: float, paths: str = "", by: TurnKey = NO_TURN, mark: str = "", commit: str = "") -> Entry:
    running = (RunningTurn(by),) if by else ()
    return Entry(
        tree=f"tree{time}",
        time=time,
        by=by,
        running=running,
        paths=tuple(paths.split()),
        mark=TurnMark(mark),
        commit=commit,
    )


def told(found: list[edits.PathEdit]) -> list[tuple[str, float, str]]:
    return [(change.path, change.time, change.session_id) for change in found]


def test_changes_have_makers(looks: Any) -> None:
    row = looks(look(1), look(2, "x y", A, mark="s" * 40), look(3, "x"), look(3.5, "x", commit="c"), look(4, "z", B))
    assert told(row.since(0)) == [("x", 2, "a"), ("y", 2, "a"), ("x", 3, ""), ("z", 4, "b")]
    assert told(row.since(2, ["x"])) == [("x", 3, "")]
    assert [change.owner for change in row.since(2, ["x"])] == [PERSON]
    assert [(change.old_tree, change.new_tree) for change in row.since(2, ["z"])] == [("tree3", "tree4")]
    assert row.made() == {"made", "x", "y", "z"}
    assert row.committed("c") == 3.5
    assert row.committed("other") == 0.0


def test_looks_are_found_by_step_turn_and_time(looks: Any) -> None:
    row = looks(look(1), look(2, "x", A, mark="s" * 40), look(4, "y", B))
    assert row.at_step("s" * 40).time == 2
    assert row.at_step("t" * 40) is None
    assert row.at_step("") is None
    assert (row.at(0.5), row.at(2).time, row.at(3.9).time) == (None, 2, 2)
    assert row.before(row.at(2)).time == 1
    assert row.before(row.at(1)) is None
    assert row.of_turn(B).time == 4
    assert row.turns_with_steps() == {A}


def test_a_rewind_takes_back_what_it_undid_and_its_undo_brings_it_again(looks: Any) -> None:
    before = (look(1), look(2, "x y", A), look(3, "x"), look(4, "x", B))
    rewind = look(5, "x", mark=TurnMark.rewind(2, "t1"))
    undo = look(6, "x", mark=TurnMark.undo("t1", "t2"))
    again = look(7, "x", mark=TurnMark.rewind(2, "t3"))
    late = look(8, "x")
    whole_way = look(9, "x", mark=TurnMark.undo("t1", "t4"))  # all of it, in one go
    whole = [("x", 2, "a"), ("y", 2, "a"), ("x", 3, ""), ("x", 4, "b")]
    assert told(looks(*before).since(0)) == whole
    assert told(looks(*before, rewind).since(0)) == whole[:2]
    assert told(looks(*before, rewind, undo).since(0)) == whole
    assert told(looks(*before, rewind, undo, again, late).since(0)) == [*whole[:2], ("x", 8, "")]
    assert told(looks(*before, rewind, undo, again, late, whole_way).since(0)) == whole
    assert looks(*before, rewind).made() == {"made", "x", "y"}


def test_a_rewind_to_a_later_point_brings_its_changes_again(looks: Any) -> None:
    before = (look(1), look(2, "x", A), look(3, "x"), look(4, "x", B))
    rows = looks(*before, look(5, "x", mark=TurnMark.rewind(2, "t1")), look(6, "x", mark=TurnMark.rewind(3, "t2")))
    assert told(rows.since(0)) == [("x", 2, "a"), ("x", 3, "")]
    assert told(rows.since(3)) == []


def test_what_a_rewind_merged_it_did_not_take_back(looks: Any) -> None:
    before = (look(1), look(2, "x y", A), look(3, "x"), look(4, "x y", B), look(5, "x", A))
    rows = looks(*before, look(6, "x y", mark=TurnMark.rewind(1, "t1", keep_mine=True)))
    assert told(rows.since(0)) == [("x", 3, "")]
    rows = looks(*before, look(6, "x y", mark=TurnMark.rewind(2, "t1", session_id="a")))
    assert told(rows.since(0)) == [("x", 2, "a"), ("y", 2, "a"), ("x", 3, ""), ("x", 4, "b"), ("y", 4, "b")]
    again = look(7, "x y", mark=TurnMark.rewind(1, "t2", session_id="a"))
    undo = look(8, "x y", mark=TurnMark.undo("t1", "t3"))
    rows = looks(*before, look(6, "x y", mark=TurnMark.rewind(2, "t1", session_id="a")), again)
    assert told(rows.since(0)) == [("x", 3, ""), ("x", 4, "b"), ("y", 4, "b")]
    rows = looks(*before, look(6, "x y", mark=TurnMark.rewind(2, "t1", session_id="a")), again, undo)
    assert told(rows.since(0)) == told(looks(*before).since(0))


def test_the_past_comes_first_and_counts_once(looks: Any) -> None:
    row = looks(look(3), look(4, "y", B), past=(look(1), look(2, "x q", A), look(3)))
    assert told(row.since(0)) == [("x", 2, "a"), ("q", 2, "a"), ("y", 4, "b")]


@pytest.mark.parametrize("mark", ["rewind", "rewind x y", "undo 1", "abc def ghi", ""])
def test_other_marks_are_no_rewinds(looks: Any, mark: str) -> None:
    assert told(looks(look(1), look(2, "x", A), look(3, "x", mark=mark)).since(0)) == [("x", 2, "a"), ("x", 3, "")]


def committed(time: float, paths: str, turn: TurnKey) -> Entry:
    return Entry(tree="c", time=time, commit="c", paths=tuple(paths.split()), running=(RunningTurn(turn),))


@pytest.mark.parametrize(
    ("between", "paths", "turn", "found"),
    [
        ((), "x y", A, True),
        ((look(2.5, "z", B),), "x y", A, True),  # another session's turn has ended meanwhile
        ((look(2.5, "x", A),), "x y", A, False),  # the commit contains more than the step
        ((), "x", B, False),  # the step of an earlier turn has a conversation of its own
        ((look(2.5, "y", B, mark="t" * 40),), "y", B, False),
    ],
)
def test_the_step_that_a_commit_of_its_turn_replaces(
    looks: Any, between: tuple[Entry, ...], paths: str, turn: TurnKey, found: bool
) -> None:
    step = look(2, "x y", A, mark="s" * 40)
    row = looks(look(1), step, *between, committed(3, paths, turn), look(4, "x", A))
    assert row.step_committed("c", ["a"]) == (step if found else None)
    assert row.step_committed("c", ["other"]) is None
    assert row.step_committed("unknown", ["a"]) is None
