"""Lays out lines in a style and a width."""

from __future__ import annotations

from entire.ui.console import wrapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from entire.ui.console.text import Style

_NARROWEST = 16  # cells for the last column of a table


class Layout:
    """What lines are laid out on; ``width`` 0: they may be as wide as they are."""

    def __init__(self, style: Style, width: int = 0) -> None:
        self.style = style
        self.width = width

    def indented(self, by: int) -> Layout:
        """Return the layout for lines that are indented later."""
        return Layout(self.style, max(self.width - by, _NARROWEST) if self.width else 0)

    def heading(self, line: str) -> Iterator[str]:
        """Yield a bold line."""
        yield from (self.style(piece, "bold") for piece in self.wrapped(line))

    def wrapped(self, line: str, by: str = "") -> Iterator[str]:
        """Yield a line, indented and wrapped."""
        pieces = wrapping.wrap(line, self.width - len(by)) if self.width else [line]
        yield from ((by + piece).rstrip() for piece in pieces)

    def fitted(self, line: str, tail: str = "") -> str:
        """Return a line cut to the width, with a tail that is never cut."""
        return wrapping.fit(line, self.width - wrapping.width(tail)) + tail if self.width else line + tail

    def section(self, title: str, lines: Iterable[str]) -> Iterator[str]:
        """Yield a titled section; nothing if it has no lines."""
        shown = list(lines)
        if shown:
            yield ""
            yield self.style(title, "bold")
            yield from shown

    def table(self, rows: Iterable[Sequence[str]], lead: str = "  ") -> Iterator[str]:
        """Yield aligned rows; the last column is wrapped, and has lines of its own where the others leave no room."""
        for *cells, last in wrapping.aligned(rows):
            start = lead + "".join(cell + "  " for cell in cells)
            indent = wrapping.width(start)
            room = self.width - indent
            if self.width and room < _NARROWEST:
                yield from self.wrapped(start.strip(), lead)
                yield from self.wrapped(last, lead + "  ")
                continue
            first, *more = wrapping.wrap(last, room) if self.width else [last]
            yield (start + first).rstrip()
            yield from (" " * indent + piece for piece in more)
