"""Which lines of a block only changed in format."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.attribution import formatting

CALL = "result = call(first, 'two', [3])"
SPLIT = ["result = call(", "    first,", '    "two",', "    [3],", ")"]


def compared(removed: list[str], added: list[str]) -> tuple[list[int], list[int]]:
    found = formatting.compare(*([f"{line}\n".encode() for line in lines] for lines in (removed, added)))
    return found.sources, sorted(found.remaining)


@pytest.mark.parametrize(
    ("removed", "added", "sources"),
    [
        (["  a"], ["    a"], [0]),
        (["a = 'x'"], ['a = "x"'], [0]),
        (["a = {'b': 1}"], ["a = { b: 1 };"], [0]),
        (["'it\\'s'"], ['"it\'s"'], [0]),
        (["a   ", "b"], ["a", "b\r"], [0, 1]),
        (["  b"], ["  b,"], [0]),
        ([CALL], SPLIT, [0] * 5),
        (SPLIT, [CALL], [0]),
        (["a = one + two"], ["a = (", "    one", "    + two", ")"], [0, 0, 0, 0]),
        (["f({a: 1,", "b: 2})"], ["f({", "  a: 1,", "  b: 2,", "});"], [0, 0, 1, 1]),
        (["    "], [""], [0]),
        (["}"], ["    }"], [0]),
        (["one", "", "two"], ["  one", "", "", "  two"], [0, 0, 0, 2]),
    ],
)
def test_a_line_that_only_changed_in_format_is_the_removed_one(
    removed: list[str], added: list[str], sources: list[int]
) -> None:
    assert compared(removed, added) == (sources, list(range(len(removed))))


@pytest.mark.parametrize(
    ("removed", "added"),
    [
        (["return f(a, b)"], ["return f(a)"]),
        (["return f(a)"], ["return f(a, b)"]),
        (["f(a)"], ["f[a]"]),
        (["[1, 2]"], ["[12]"]),
        (["line 12"], ["line 1"]),
        (["line 1"], ["line 12"]),
        (["first", "}"], ["other", "  }"]),
        (["first", "    "], ["other", ""]),
        (["{"], ["("]),
        (["}", "first"], ["  }", "other"]),
        ([""], ["x"]),
        ([CALL], [*SPLIT[:2], "    else,", *SPLIT[3:]]),
    ],
)
def test_another_line_is_new(removed: list[str], added: list[str]) -> None:
    assert compared(removed, added) == ([-1] * len(added), [])


def test_a_change_among_formatted_lines_is_found() -> None:
    assert compared(["  a", "  b", "  c"], ["    a", "    B", "    c"]) == ([0, -1, 2], [0, 2])
    assert compared(["a", "b", "c"], ["new", "  a", "  b", "  c"]) == ([-1, 0, 1, 2], [0, 1, 2])
    assert compared(["a", "b", "c", "d"], ["  a", "  d"]) == ([0, 3], [0, 3])
    assert compared([CALL, "b"], [*SPLIT, "  new", "  b"]) == ([0] * 5 + [-1, 1], [0, 1])


def test_a_repeated_line_does_not_hide_those_between() -> None:
    removed = [f"line {number}" for number in range(20)] + ["return"]
    added = ["  return", *(f"  {line}" for line in removed)]
    assert compared(removed, added) == ([-1, *range(21)], list(range(21)))


words = st.lists(st.text("ab ,;()[]{}'\"x", max_size=8), max_size=6)


@given(words, words)
def test_any_lines_can_be_compared(removed: list[str], added: list[str]) -> None:
    if removed and added:
        sources, remaining = compared(removed, added)
        assert len(sources) == len(added)
        assert set(sources) <= {-1, *range(len(removed))}
        assert set(remaining) <= set(range(len(removed)))


@given(st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=20))
def test_indented_lines_all_remain(lines: list[str]) -> None:
    assert compared(lines, [f"    {line}" for line in lines]) == (list(range(len(lines))), list(range(len(lines))))
