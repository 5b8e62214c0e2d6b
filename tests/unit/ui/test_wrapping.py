"""Text in a number of cells: wide characters take two, combining ones none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.ui.console import wrapping


@pytest.mark.parametrize(
    ("line", "cells", "shown"),
    [
        ("short", 10, ["short"]),
        ("", 10, [""]),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 6, ["one", "two", "three"]),
        ("  - one two three", 9, ["  - one", "  two", "  three"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("你好世界", 5, ["你好", "世界"]),
        ("你好 世界", 5, ["你好", "世界"]),
        ("a\tb", 10, ["a   b"]),
        (" 你 你", 2, ["", "你", "你"]),
        ("\u3000你 你", 3, ["", "你", "你"]),
    ],
)
def test_a_line_is_wrapped_between_words(line: str, cells: int, shown: list[str]) -> None:
    assert wrapping.wrap(line, cells) == shown


@given(st.text(st.sampled_from("ab 你é\u0301🎉  "), max_size=80), st.integers(2, 30))
def test_wrapping_keeps_every_word_character_and_the_width(line: str, cells: int) -> None:
    pieces = wrapping.wrap(line, cells)
    assert "".join("".join(pieces).split()) == "".join(line.split())
    assert all(wrapping.width(piece) <= cells for piece in pieces)


@pytest.mark.parametrize(
    "line", ["x" * 400_000, "你" * 200_000, "a " * 200_000, "e" + "\u0301" * 400_000, " " * 400_000]
)
def test_an_enormous_line_does_not_hang(line: str) -> None:
    assert all(wrapping.width(piece) <= 76 for piece in wrapping.wrap(line, 76))


@pytest.mark.parametrize(
    ("line", "cells", "shown"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("你好世界", 6, "你好…"),
        ("你好", 4, "你好"),
        ("a b", 2, "a…"),
        ("你好", 2, "…"),
        ("ab", 1, "…"),
        ("ab", 0, ""),
        ("ab", -1, ""),
        ("longer", None, "longer"),
    ],
)
def test_a_line_is_cut(line: str, cells: int | None, shown: str) -> None:
    assert wrapping.fit(line, cells) == shown


def test_rows_are_aligned_whatever_their_length() -> None:
    assert wrapping.aligned([("a", "bb", "c"), ("你", "b"), ()]) == [["a ", "bb", "c"], ["你", "b"], []]
    assert wrapping.aligned([]) == []
