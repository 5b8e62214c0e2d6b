"""A diff for a terminal. The colours are ours and not git's, so that no file can say something to the terminal."""

from __future__ import annotations

import os
import sys

from entire.ui import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire.ui.text import Style

_HUNK = {"@": "cyan", "+": "green", "-": "red"}


def lines(data: bytes, limit: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the lines of what ``git diff`` prints without colours, and the colour of each ('': none)."""
    inside = False  # a hunk, where a line that begins with --- is a removed one
    said = data.decode("utf-8", "surrogateescape").rstrip("\n").split("\n") if data else []
    for number, line in enumerate(said):
        if limit and number >= limit:
            yield f"... and {len(said) - limit:,} more lines", "dim"
            return
        shown = text.plain(line.replace("\r", "^M"))
        if line.startswith("diff --git "):
            inside = False
        elif line.startswith("@@"):
            inside = True
        yield shown, _HUNK.get(line[:1], "") if inside else "bold"


def coloured(data: bytes, style: Style) -> Iterator[str]:
    """Yield the lines in their colours."""
    for line, kind in lines(data):
        yield style(line, kind) if kind else line


def is_paged() -> bool:
    """Tell whether somebody looks at standard output who did not ask for plain lines: then a pager helps."""
    return sys.stdout.isatty() and os.environ.get("ACCESSIBLE", "0") in ("", "0")
