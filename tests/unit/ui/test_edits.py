"""What tools wrote into files, as counts and diffs."""

from __future__ import annotations

import pytest

from entire.model.transcripts import Edit
from entire.ui.screens import edits


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("", "a\nb\n", ["+a", "+b"]),
        ("", "", []),
        ("a\nb", "", ["-a", "-b"]),
        ("a\nb\nc\n", "a\nB\nc\n", [" a", "-b", "+B", " c"]),
        ("\n".join("abcdefghij"), "\n".join("AbcdefghiJ"),
         ["-a", "+A", " b", " c", "@@", " h", " i", "-j", "+J"]),
        ("same", "same", []),
        ("a\x1b[31m", "b\r", ["-a^[[31m", "+b^M"]),
    ],
)  # fmt: skip
def test_the_lines_of_an_edit(old: str, new: str, shown: list[str]) -> None:
    assert [line for line, _ in edits.lines(Edit(path="f", old=old, new=new))] == shown


def test_counts_over_several_edits() -> None:
    found = [Edit(path="a", old="x\ny", new="x\nz\nw"), Edit(path="b", new="1\n2\n")]
    assert edits.counts(found) == "+4 -1"


def test_colours() -> None:
    lines = list(edits.lines(Edit(path="f", old="x\na", new="x\nb")))
    assert lines == [(" x", ""), ("-a", "red"), ("+b", "green")]


def test_large_texts_are_not_compared_line_by_line() -> None:
    old = "".join(f"{number % 7}\n" for number in range(20_000))
    assert edits.counts([Edit(path="f", old="first\n" + old + "last\n", new="First\n" + old + "last\n")]) == "+1 -1"
    assert edits.counts([Edit(path="f", old=old, new=old[::-1])]).startswith("+")
