"""Renders an answer's Markdown for a terminal. Whatever it contains, only colours reach the terminal."""

from __future__ import annotations

import re

from entire.ui.console import text, wrapping

_LONGEST = 20_000  # characters; longer answers are shown as they are, so none takes seconds
_WIDEST = 100
_BLANKS = re.compile(rf" +((?:{text.MARK}\[[0-9;]*m)*)$")
_COLOUR = re.compile(rf"{text.MARK}\[[0-9;]*m")


def lines(markdown: str, width: int, *, in_colour: bool) -> list[str]:
    """Return the lines of a rendered text, without links that a terminal would open."""
    import io

    from rich.console import Console
    from rich.errors import ConsoleError
    from rich.markdown import Markdown

    shown, width = text.plain(markdown), max(20, min(_WIDEST, width))
    if len(shown) > _LONGEST:
        return _wrapped(shown, width)
    out = io.StringIO()
    console = Console(
        file=out, force_terminal=in_colour, width=width, color_system="standard" if in_colour else None,
        legacy_windows=False, emoji=False,
    )  # fmt: skip
    try:
        console.print(Markdown(shown, hyperlinks=False))
    except (ConsoleError, RecursionError, ValueError):
        return _wrapped(shown, width)
    rendered = out.getvalue().strip("\n").replace("\033", text.MARK)  # an escape is not from the plain text
    return [_trimmed(line) for line in rendered.split("\n")]


def _trimmed(line: str) -> str:
    """Remove the blanks at a line's end, also those between colours."""
    while (shorter := _BLANKS.sub(r"\1", line)) != line:
        line = shorter
    return line if _COLOUR.sub("", line) else ""


def _wrapped(shown: str, width: int) -> list[str]:
    return [piece for line in shown.split("\n") for piece in wrapping.wrap(line, width)]
