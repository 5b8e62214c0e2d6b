"""A diff for a terminal. We colour it ourselves rather than git, so a file's control characters can be escaped."""

from __future__ import annotations

import os
import sys

from entire.ui.console import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.ui.console.text import Style

_HUNK = {"@": "cyan", "+": "green", "-": "red"}


def lines(data: bytes, limit: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the lines of an uncoloured ``git diff``, each with its colour ('': none)."""
    inside = False  # a hunk, where a line starting with --- is a removed line
    decoded = data.decode("utf-8", "surrogateescape").rstrip("\n").split("\n") if data else []
    for number, line in enumerate(decoded):
        if limit and number >= limit:
            yield f"... and {len(decoded) - limit:,} more lines", "dim"
            return
        shown = text.plain(line.replace("\r", "^M"))
        if line.startswith("diff --git "):
            inside = False
        elif line.startswith("@@"):
            inside = True
        yield shown, _HUNK.get(line[:1], "") if inside else "bold"


def coloured(data: bytes, style: Style) -> Iterator[str]:
    for line, kind in lines(data):
        yield style(line, kind) if kind else line


def is_paged() -> bool:
    """Tell whether to use a pager: on a terminal, unless plain output was asked for (ACCESSIBLE)."""
    return sys.stdout.isatty() and os.environ.get("ACCESSIBLE", "0") in ("", "0")
