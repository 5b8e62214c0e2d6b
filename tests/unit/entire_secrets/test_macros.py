"""The abbreviations of patterns."""

from __future__ import annotations

import re

import pytest

from entire_secrets.rules.macros import MACROS, expand


def test_no_abbreviation_is_left() -> None:
    assert expand(b"%Bx%E") == rb"(?<![A-Za-z0-9])x(?![A-Za-z0-9])"
    assert not re.search(rb"%[^%]", expand(b"".join(piece for piece, _ in MACROS)))


@pytest.mark.parametrize(
    "prefix",
    [
        *("", "   ", "  12→", "12:", "src/a.py:12:", "a.py-12-", "+", "- ", "> ", "12\t", "+    ", "# ", "// ", " * "),
        *("2026-11-20T10:00:00.123Z ", "2026-11-20 10:00:00,123 INFO  [main] ", "web-1  | "),
    ],
)
def test_a_line_may_begin_with_what_tools_print(prefix: str) -> None:
    pattern = re.compile(expand(rb"one%Ltwo"))
    assert pattern.fullmatch(f"one\n{prefix}two".encode())
    assert not pattern.match(f"one{prefix}two".encode())


@pytest.mark.parametrize("between", [": ", "=", " => ", '": "', "' : '", ":=", " == ", ", "])
def test_a_name_and_its_value(between: str) -> None:
    assert re.fullmatch(expand(b"a%=b"), f"a{between}b".encode())
