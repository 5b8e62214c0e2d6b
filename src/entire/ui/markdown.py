"""Renders an answer's Markdown for a terminal. Whatever it contains, only colours reach the terminal."""

from __future__ import annotations

import re

from entire.ui import text, wrapping

_LONGEST = 20_000  # characters; longer answers are shown as they are, so that none takes seconds
_WIDEST = 100
_COMMAND = re.compile("\033(?!\\[[0-9;]*m)")  # what is no colour


def lines(markdown: str, width: int) -> list[str]:
    """Return the lines of a rendered text, without links that a terminal would open."""
    import io

    from rich.console import Console
    from rich.errors import ConsoleError
    from rich.markdown import Markdown

    shown, width = text.plain(markdown), max(20, min(_WIDEST, width))
    if len(shown) > _LONGEST:
        return _wrapped(shown, width)
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=width, color_system="standard",
                      legacy_windows=False, emoji=False)  # fmt: skip
    try:
        console.print(Markdown(shown, hyperlinks=False))
    except (ConsoleError, RecursionError, ValueError):
        return _wrapped(shown, width)
    return [_COMMAND.sub("^[", line).rstrip() for line in out.getvalue().strip("\n").split("\n")]


def _wrapped(shown: str, width: int) -> list[str]:
    return [piece for line in shown.split("\n") for piece in wrapping.wrap(line, width)]
