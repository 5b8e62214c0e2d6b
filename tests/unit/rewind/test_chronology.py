"""The order of points that git knows only to the second."""

from __future__ import annotations

import pytest

from entire.model.views.points import PointView
from entire.rewind.chronology import Chronology

FIRST, SECOND, BASE = "c1" * 20, "c2" * 20, "ba" * 20
PARENTS = {SECOND: FIRST, FIRST: BASE}  # as git lists them: newest first
BASES = {"s4": SECOND[:7], "s3": FIRST[:7], "s2": BASE[:7], "s1": BASE[:7]}
ORDER = ["s4", SECOND, "s3", FIRST, "s2", "s1"]


def point(name: str, time: float = 100.0) -> PointView:
    kind = "checkpoint" if name in PARENTS else "turn" if name.startswith("t") else "step"
    return PointView(id=name, kind=kind, time=time, session_id="s")


def order(names: list[str], moments: dict[str, float]) -> list[str]:
    found = Chronology(moments, BASES, PARENTS).in_order([point(name) for name in names])
    assert all(100.0 <= found.time < 101.0 for found in found)
    assert [found.time for found in found] == sorted((found.time for found in found), reverse=True)
    return [found.id for found in found]


@pytest.mark.parametrize(
    "moments",
    [
        {},
        {"s1": 100.1, "s2": 100.8},
        {"s3": 100.5},
        {"s1": 100.1, "s2": 100.2, FIRST: 100.3, "s3": 100.4, SECOND: 100.5, "s4": 100.6},
        {FIRST: 100.9},
    ],
)
def test_steps_and_commits_of_one_second(moments: dict[str, float]) -> None:
    assert order(["s4", "s3", "s2", "s1", SECOND, FIRST], moments) == ORDER
    assert order(["s2", "s1", "s4", "s3", SECOND, FIRST], moments) == ORDER  # another chain first


def test_a_turn_without_a_step_has_an_exact_time() -> None:
    moments = {"s1": 100.1, "t1": 100.2, "s2": 100.3}
    assert order(["s2", "s1", FIRST, "t1"], moments) == [FIRST, "s2", "t1", "s1"]


def test_other_seconds_are_as_git_says() -> None:
    points = [point("s2", 90.0), point("s1", 110.0), point(FIRST, 100.0)]
    assert [found.id for found in Chronology({}, BASES, PARENTS).in_order(points)] == ["s1", FIRST, "s2"]


def test_a_commit_with_several_checkpoints_keeps_their_order() -> None:
    points = [PointView(id=FIRST, kind="checkpoint", time=100.0, session_id="s", checkpoint_id=name) for name in "ab"]
    assert [found.checkpoint_id for found in Chronology({}, {}, PARENTS).in_order(points)] == ["a", "b"]


def test_a_turn_late_in_a_second_is_later_than_what_has_no_exact_time() -> None:
    assert order(["s1", "t1"], {"t1": 100.9}) == ["t1", "s1"]
