"""Shows long output in the pager that git uses."""

from __future__ import annotations

import os
import sys

import click

from entire.ui.console import diffs, text

_AT_ONCE = 100  # lines that are not held back for those after them

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def show(lines: Iterable[str], program: str) -> None:
    """Show lines in a pager; ``less`` is set to keep colours and to exit at once if all fits on the screen."""
    os.environ.setdefault("LESS", "FRX")
    if program:
        os.environ["PAGER"] = program
    shown = (text.shown(line, in_colour=True) for line in lines)
    click.echo_via_pager(line.encode("utf-8", "replace").decode("utf-8") + "\n" for line in shown)


def write(lines: Iterable[str], program: Callable[[], str], *, is_paged: bool = True) -> None:
    """Write lines one by one; on a terminal in a pager, unless plain output was asked for."""
    if is_paged and diffs.is_paged():
        show(lines, program())
        return
    for number, line in enumerate(lines):
        text.write([line])
        if number < _AT_ONCE:
            sys.stdout.flush()


def width() -> int:
    """Return the terminal's width in cells; 0, which is no limit, for other outputs and where plain lines were asked
    for (ACCESSIBLE).
    """
    return text.terminal_width(sys.stdout)
