"""A file with uncommitted lines is put together from git's blame and from the journal's answer, line by line."""

from __future__ import annotations

import pytest

from entire.model.origins import PERSON, TURN, UNKNOWN, FileOrigins, LineRange, Origin
from entire.origins import open_lines

COMMITTED = Origin(kind=PERSON, commit="c" * 40)
OPEN = Origin(kind=UNKNOWN, reason="not committed yet")
MINE, TURNS = Origin(kind=PERSON), Origin(kind=TURN, session_id="s", turn="t")


def lines(first: int, last: int, origin: Origin, source_line: int = 0) -> LineRange:
    return LineRange(first=first, last=last, origin=origin, source_line=source_line or first)


def test_only_lines_without_a_commit_take_the_journals_origins() -> None:
    blamed = FileOrigins(path="a", ranges=(lines(1, 2, COMMITTED), lines(3, 4, OPEN), lines(5, 6, COMMITTED, 3)))
    described = FileOrigins(path="a", ranges=(lines(1, 3, TURNS), lines(4, 4, MINE)))
    assert open_lines.complete(blamed, described).ranges == (
        lines(1, 2, COMMITTED),
        lines(3, 3, TURNS),
        lines(4, 4, MINE),
        lines(5, 6, COMMITTED, 3),
    )


def test_a_line_that_the_journal_does_not_know_stays_as_it_was() -> None:
    blamed = FileOrigins(path="a", ranges=(lines(1, 3, OPEN),))
    described = FileOrigins(path="a", ranges=(lines(2, 2, TURNS),))
    assert [part.origin for part in open_lines.complete(blamed, described).ranges] == [OPEN, TURNS, OPEN]


def test_what_happened_to_the_file_comes_from_the_journal() -> None:
    described = FileOrigins(path="new", status="R", old_path="old", change=TURNS)
    found = open_lines.complete(FileOrigins(path="new", lines=("x",), ranges=(lines(1, 1, COMMITTED),)), described)
    assert (found.status, found.old_path, found.change, found.lines) == ("R", "old", TURNS, ("x",))


@pytest.mark.parametrize(
    ("first", "last", "ranges", "texts"),
    [
        (1, 9, (lines(2, 3, TURNS, 8), lines(7, 7, MINE)), ("two", "three", "seven")),
        (3, 7, (lines(3, 3, TURNS, 9), lines(7, 7, MINE)), ("three", "seven")),
        (7, 7, (lines(7, 7, MINE),), ("seven",)),
        (4, 6, (), ()),
    ],
)
def test_a_part_of_a_file(first: int, last: int, ranges: tuple[LineRange, ...], texts: tuple[str, ...]) -> None:
    whole = FileOrigins(path="a", ranges=(lines(2, 3, TURNS, 8), lines(7, 7, MINE)), lines=("two", "three", "seven"))
    found = open_lines.within(whole, first, last)
    assert (found.ranges, found.lines) == (ranges, texts)
