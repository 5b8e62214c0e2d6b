"""A list to choose from: what is highlighted, what a search leaves, what is marked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.errors import EntireError
from entire.ui.console import lists

WORDS = ["Add greeting", "fix the GREETING", "write tests", "Größe ändern"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [0, 1, 2, 3]),
        ("greet", [0, 1]),
        ("the fix", [1]),
        ("GRÖSSE", [3]),
        ("  test ", [2]),
        ("xy", []),
    ],
)
def test_matching(query: str, expected: list[int]) -> None:
    assert lists.matching(WORDS, query) == expected


def test_a_search_keeps_the_highlighted_line_if_it_can() -> None:
    choices = lists.Choices(WORDS)
    choices.move(1)
    choices.search("greet")
    assert (choices.shown, choices.current) == ([0, 1], 1)
    choices.search("add")
    assert (choices.shown, choices.current) == ([0], 0)
    choices.search("xy")
    assert (choices.shown, choices.current, choices.chosen) == ([], None, [])
    choices.search("")
    assert choices.current == 0


STEPS = st.one_of(st.integers(-9, 9), st.sampled_from(["e", "the", "xy", ""]), st.none())


@given(st.lists(STEPS, max_size=30), st.integers(0, 4), st.booleans())
def test_the_highlighted_line_is_always_among_those_shown(
    steps: list[int | str | None], count: int, has_marks: bool
) -> None:
    choices = lists.Choices(WORDS[:count], () if has_marks else None)
    marked: set[int] = set()
    for step in steps:
        if isinstance(step, int):
            choices.move(step)
        elif step is None:
            choices.toggle()
            marked ^= {choices.current} if choices.current is not None else set()
        else:
            choices.search(step)
        assert choices.current in choices.shown if choices.shown else choices.current is None
        assert choices.chosen == (
            sorted(marked) if has_marks else [choices.current] if choices.current is not None else []
        )


def test_a_preview_is_cut_and_says_why_there_is_none() -> None:
    def preview(number: int) -> Iterator[lists.Line]:
        if number:
            raise EntireError("no \033[2J preview")
        yield from ((f"line {n}", "") for n in range(1000))

    assert len(lists.preview_lines(preview, 0)) == 200
    assert lists.preview_lines(preview, 1) == [("no ^[[2J preview", "red")]


@pytest.mark.parametrize(
    ("width", "expected"), [(99, "a bb ccc"), (9, "a bb ccc"), (8, "a bb\nccc"), (2, "a\nbb\nccc")]
)
def test_words_wrap_where_the_line_ends(width: int, expected: str) -> None:
    assert lists.wrapped(["a", "bb", "ccc"], " ", width) == expected


def test_a_line_is_marked_by_its_number() -> None:
    choices = lists.Choices(["ada", "bob", "cleo"], marked=[0])
    choices.mark_number(3)
    choices.mark_number(1)
    choices.mark_number(9)
    assert (choices.chosen, choices.at) == ([2], 0)
