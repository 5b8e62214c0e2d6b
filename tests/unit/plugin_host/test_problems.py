"""A plugin's failures are reported once for each session."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.layout import Place
from entire.plugin_host.inventory import problems


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(top=str(tmp_path), git_dir=str(tmp_path / ".git"), common_dir=str(tmp_path / ".git"))


def shown(place: Place, now: float = 100.0) -> list[tuple[str, str, str, int]]:
    return [(each.name, each.session_id, each.message, each.count) for each in problems.listed(place, now=now)]


def test_the_first_failure_of_a_session_stays(place: Place) -> None:
    assert shown(place) == []
    problems.note(place, "x", "s1", "first\nline", now=1)
    problems.note(place, "x", "s1", "second", now=2)
    problems.note(place, "x", "", "third", now=3)
    problems.note(place, "y", "", "other", now=4)
    assert shown(place) == [("y", "", "other", 1), ("x", "s1", "first line", 3)]
    problems.note(place, "x", "s2", "new session", now=5)
    assert shown(place) == [("x", "s2", "new session", 1), ("y", "", "other", 1)]
    problems.forget(place, "x")
    problems.forget(place, "none")
    assert shown(place) == [("y", "", "other", 1)]


def test_it_is_forgotten_after_a_week(place: Place) -> None:
    problems.note(place, "x", "s1", "first", now=1)
    assert shown(place, now=8 * 24 * 3600) == []
    problems.note(place, "x", "s1", "again", now=8 * 24 * 3600)
    assert shown(place, now=8 * 24 * 3600) == [("x", "s1", "again", 1)]


def test_the_file_stays_small(place: Place) -> None:
    for number in range(40):
        problems.note(place, f"x{number}", "s", "m" * 5000, now=number)
    assert [name for name, *_ in shown(place)] == [f"x{number}" for number in range(39, 19, -1)]
    assert max(len(message) for _, _, message, _ in shown(place)) == 1001


@pytest.mark.parametrize("content", ["", "[]", '{"x": 1}', '{"x": {"time": "now"}}', '{"x": {"message": 5}}'])
def test_a_broken_file_is_written_anew(place: Place, content: str) -> None:
    path = Path(place.common_own_dir) / "plugin-problems.json"
    path.parent.mkdir(parents=True)
    path.write_text(content)
    assert shown(place) == []
    problems.note(place, "y", "s", "message", now=1)
    assert shown(place) == [("y", "s", "message", 1)]


def test_what_cannot_be_written_does_no_harm(place: Place, tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("a file")
    problems.note(place, "x", "s", "message", now=1)
    assert shown(place) == []
