"""Shows long output in the pager that git uses."""

from __future__ import annotations

import os
import shlex
import sys

import click

from entire.ui.console import diffs, text

_AT_ONCE = 100  # lines that are not held back for those after them

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def show(lines: Iterable[str], program: str) -> None:
    """Show lines in a pager, in colour where it shows colours: ``less`` is set to keep them, and to exit at once if all
    fits on the screen, unless LESS says how it is wanted.
    """
    os.environ.setdefault("LESS", "FRX")
    if program:
        os.environ["PAGER"] = program
    in_colour = _shows_colours(program or os.environ.get("PAGER") or "less", os.environ["LESS"])
    shown = (text.shown(line, in_colour=in_colour) for line in lines)
    # Click knows neither flags without a dash nor ``less`` under another name: it must not decide.
    click.echo_via_pager((line.encode("utf-8", "replace").decode("utf-8") + "\n" for line in shown), color=in_colour)


def _shows_colours(program: str, options: str) -> bool:
    """Tell whether a pager passes colours on. Only ``less`` shows their codes instead, unless an option forbids it."""
    try:
        name, *words = shlex.split(program)
    except ValueError:  # no words at all, or a quotation mark that is left open
        return False
    if os.path.basename(os.path.realpath(name)) != "less":  # Debian calls it ``pager``
        return True
    return any(_is_raw(word) for word in (*options.split(), *words))


def _is_raw(word: str) -> bool:
    """Tell whether options of ``less`` let colours through: letters, also without a dash, or the long name."""
    return word.lower().startswith("--raw") or (not word.startswith("--") and "r" in word.lower())


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
