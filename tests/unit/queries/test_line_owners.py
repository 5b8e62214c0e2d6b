"""Ranges of lines are merged where they touch."""

from __future__ import annotations

import pytest

from entire.queries import line_owners


@pytest.mark.parametrize(
    ("ranges", "merged"),
    [
        ([], ()),
        ([(1, 4), (5, 5)], ((1, 5),)),
        ([(7, 9), (1, 4)], ((1, 4), (7, 9))),
        ([(1, 9), (2, 3)], ((1, 9),)),
        ([(1, 1), (2, 2), (4, 4)], ((1, 2), (4, 4))),
    ],
)
def test_merged(ranges: list[tuple[int, int]], merged: tuple[tuple[int, int], ...]) -> None:
    assert line_owners.merged(ranges) == merged
