"""Screens: what a view shows at several widths, plain and in colour, compared with files in ``fixtures/screens``.

A test calls ``check("log", lambda width, style: ...)``. To accept what the views show now, and then look at the
difference in git::

    ENTIRE_ACCEPT=1 make tests ARGS="-k screens"
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from rich.cells import cell_len

from entire.ui.console import text
from entire.ui.console.text import Style

WIDTHS = (40, 80, 160)
FOLDER = Path(__file__).parent / "fixtures" / "screens"
_ESCAPE = "\N{SYMBOL FOR ESCAPE}"  # what stands for the control character in the files
_COLOUR = re.compile("\033\\[[0-9;]*m")

View = Callable[[int, Style], Iterable[str]]


def check(name: str, view: View, widths: Iterable[int] = WIDTHS) -> None:
    """Compare a view with its files at each width; lines must fit, and colours must not change the text."""
    for width in widths:
        plain, coloured = (_joined(view(width, Style(on))) for on in (False, True))
        assert _COLOUR.sub("", coloured) == plain
        for line in plain.split("\n"):
            assert cell_len(line) <= width, f"{cell_len(line)} cells at width {width}: {line!r}"
            assert line == line.rstrip(), f"blanks at the end of {line!r}"
            assert line.isprintable(), f"control characters in {line!r}"
        _compare(f"{name}-{width}.txt", plain)
        _compare(f"{name}-{width}-colour.txt", coloured.replace("\033", _ESCAPE))


def _joined(lines: Iterable[str]) -> str:
    return text.shown("".join(line + "\n" for line in lines), in_colour=True)


def _compare(name: str, shown: str) -> None:
    file = FOLDER / name
    if os.environ.get("ENTIRE_ACCEPT"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(shown, encoding="utf-8")
    assert file.exists(), f"no screen {name}: accept it with ENTIRE_ACCEPT=1"
    assert shown == file.read_text(encoding="utf-8"), f"{name} differs: accept it with ENTIRE_ACCEPT=1 if that is meant"
