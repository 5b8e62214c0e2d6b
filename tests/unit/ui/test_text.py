"""Strings for people: aligned, bounded, harmless to a terminal."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.ui.console import text


def test_a_table_is_aligned() -> None:
    assert text.table([("a", "bb", "c"), ("long", "b", "")], lead="  ") == ["  a     bb  c", "  long  b"]
    assert text.table([]) == []
    assert text.table([("one",), ("a", "b")]) == ["one", "a    b"]


def test_a_table_counts_the_cells_of_wide_characters() -> None:
    assert text.table([("问候", "b"), ("a", "b")]) == ["问候  b", "a     b"]


def test_lines_are_broken_between_words_and_keep_their_colour() -> None:
    style = text.Style(True)
    lines = ["  one two three", style("one two three", "bold"), f"{style('a', 'red')} two three four", ""]
    assert list(text.broken(lines, 9)) == [
        "  one two", "  three", style("one two", "bold"), style("three", "bold"), lines[2], "",
    ]  # fmt: skip
    assert list(text.broken(lines, 0)) == list(text.broken(lines, None)) == lines


@given(st.lists(st.lists(st.text(st.characters(codec="ascii", exclude_categories=["C"])), min_size=1, max_size=4)))
def test_a_table_loses_nothing(rows: list[list[str]]) -> None:
    lines = text.table(rows)
    assert len(lines) == len(rows)
    for row, line in zip(rows, lines, strict=True):
        at = 0
        for cell in row:
            at = line.index(cell.rstrip(), at) + len(cell.rstrip())


@given(st.text())
def test_plain_text_cannot_command_a_terminal(given: str) -> None:
    shown = text.plain(given)
    assert not any(char < " " and char not in "\n\t" for char in shown)
    assert not any("\x7f" <= char <= "\x9f" for char in shown)
    shown.encode("utf-8")


def test_what_plain_text_makes_of_escapes() -> None:
    assert text.plain("a\x1b[31mb\r\nc\udcff\x9b") == "a^[[31mb\nc\N{REPLACEMENT CHARACTER}\\u009b"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),  # a family
        ("\u2764\ufe0f\u200d\U0001f525", "\u2764\ufe0f\u200d\U0001f525"),  # a heart on fire
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),  # Persian
        ("a\u200db", "a\\u200db"),
        ("\u200d\U0001f468\u200d", "\\u200d\U0001f468\\u200d"),
        ("\U0001f468\u202e\u200b\u2066\U0001f467", "\U0001f468\\u202e\\u200b\\u2066\U0001f467"),
    ],
)
def test_only_joiners_that_join_are_left_as_they_are(given: str, shown: str) -> None:
    assert text.plain(given) == shown


FLAG = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"  # of Scotland


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (FLAG, FLAG),
        (f"a {FLAG}{FLAG} b", f"a {FLAG}{FLAG} b"),
        (FLAG[1:], "".join(f"\\u{ord(char):x}" for char in FLAG[1:])),  # no flag
        (FLAG[:-1], FLAG[0] + "".join(f"\\u{ord(char):x}" for char in FLAG[1:-1])),  # no end
        (FLAG[0] + FLAG[-1], FLAG[0] + "\\ue007f"),  # no tag
        ("\U0001f600" + FLAG[1:], "\U0001f600" + "".join(f"\\u{ord(char):x}" for char in FLAG[1:])),
        (FLAG[:3] + "\x1b" + FLAG[3:], FLAG[0] + "\\ue0067\\ue0062^[" + "".join(
            f"\\u{ord(char):x}" for char in FLAG[3:])),
        (FLAG[0] + "\U000e0041" * 31 + FLAG[-1], FLAG[0] + "\\ue0041" * 31 + "\\ue007f"),  # a hidden text
    ],
)  # fmt: skip
def test_tags_are_left_as_they_are_only_in_a_flag(given: str, shown: str) -> None:
    assert text.plain(given) == shown
    assert "".join(text.characters(given)) == shown


@given(st.text(), st.integers(5, 50))
def test_one_line_is_one_short_line(given: str, width: int) -> None:
    line = text.one_line(given, width)
    assert "\n" not in line
    assert len(line) <= width


@pytest.mark.parametrize(
    ("past", "shown"),
    [
        (0, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (7200, "2 hours ago"),
        (90_000, "1 day ago"),
        (-5, "just now"),
    ],
)
def test_ago(past: float, shown: str) -> None:
    assert text.ago(1_000_000 - past, 1_000_000) == shown


def test_no_time_has_no_past() -> None:
    assert text.ago(0, 1_000_000) == ""
    assert text.moment(0) == "-"
    assert text.moment(86400) == "1970-01-02 00:00"


def test_counts() -> None:
    assert [text.count(n, "file") for n in (0, 1, 2000)] == ["0 files", "1 file", "2,000 files"]
    assert text.count(2, "branch", "branches") == "2 branches"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("env", "on"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"ACCESSIBLE": "1"}, False),
        ({"ACCESSIBLE": "0"}, True),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(env: dict[str, str], on: bool) -> None:
    assert text.style_for(Terminal(), env).on is on
    assert not text.style_for(io.StringIO(), env).on


def test_a_style_that_is_off_changes_nothing() -> None:
    assert text.Style(False)("x", "bold") == "x"
    assert text.Style(True)("x", "bold") == "\033[1mx\033[0m"
    assert text.Style(True)("", "bold") == ""


def test_an_encoding_that_cannot_say_everything() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    text.write(["é…\udcff"], stream)
    stream.flush()
    assert raw.getvalue() == b"???\n"
