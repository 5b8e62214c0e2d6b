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


def test_only_our_own_styles_reach_a_terminal() -> None:
    line = text.Style(True)("a\x1b[31mb", "red") + "\x1b[31mc\u202e"
    assert text.shown(line, in_colour=True) == "\x1b[31ma^[[31mb\x1b[0m^[[31mc\\u202e"
    assert text.shown(line, in_colour=False) == "a^[[31mb^[[31mc\\u202e"
    assert text.shown(text.MARK + "]0;x" + text.plain(text.MARK + "[31m"), in_colour=True) == "\\ufdd0]0;x\\ufdd0[31m"


@given(st.text(), st.booleans())
def test_no_text_but_our_styles_commands_a_terminal(given: str, in_colour: bool) -> None:
    assert text.shown(text.plain(given), in_colour=in_colour) == text.plain(given)
    assert "\x1b" not in text.shown(given.replace(text.MARK, ""), in_colour=in_colour)


def test_what_goes_to_a_terminal_and_to_a_file() -> None:
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        text.write([text.Style(True)("a", "red") + "\x9b"], stream)
    assert (terminal.getvalue(), file.getvalue()) == ("\x1b[31ma\x1b[0m\\u009b\n", "a\\u009b\n")


def test_bytes_are_exact_but_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw))
    text.write_bytes([b"a\x1b[2J", b"\xff\r\n"])
    assert raw.getvalue() == b"a\x1b[2J\xff\r\n"
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    text.write_bytes([b"a\x1b[2J", b"\xff\r\n"])
    assert terminal.getvalue() == "a^[[2J\N{REPLACEMENT CHARACTER}\n"


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
    assert text.moment(1e300) == text.moment(float("inf")) == "-"
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
def test_colours_are_for_terminals_that_want_them(
    monkeypatch: pytest.MonkeyPatch, env: dict[str, str], on: bool
) -> None:
    monkeypatch.setattr("os.environ", env)
    assert text.style_for(Terminal()).on is on
    assert not text.style_for(io.StringIO()).on


def test_a_style_that_is_off_changes_nothing() -> None:
    assert text.Style(False)("x", "bold") == "x"
    assert text.shown(text.Style(True)("x", "bold"), in_colour=True) == "\033[1mx\033[0m"
    assert text.Style(True)("", "bold") == ""


def test_an_encoding_that_cannot_say_everything() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    text.write(["é…\udcff"], stream)
    stream.flush()
    assert raw.getvalue() == b"???\n"
