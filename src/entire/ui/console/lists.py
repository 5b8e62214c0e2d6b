"""The state of a list to choose from, apart from how it is drawn: search results, highlighted line, marks."""

from __future__ import annotations

from entire.errors import EntireError
from entire.ui.console import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    Line = tuple[str, str]  # text and colour
    Rows = Callable[[int], Sequence[Line]]
    Preview = Callable[[int], Iterable[Line]]

_PREVIEW_LINES = 200


def matching(words: Sequence[str], query: str) -> list[int]:
    """Return the indexes of the texts that contain all words of a query, ignoring case."""
    wanted = query.casefold().split()
    return [number for number, entry in enumerate(words) if all(word in entry.casefold() for word in wanted)]


def preview_lines(preview: Preview, number: int) -> list[Line]:
    """Return a preview's first lines, or the reason why there is no preview."""
    lines: list[Line] = []
    try:
        for line in preview(number):
            lines.append(line)
            if len(lines) == _PREVIEW_LINES:
                break
    except EntireError as error:
        lines.append((text.plain(error.message), "red"))
    return lines


def wrapped(words: Sequence[str], gap: str, width: int) -> str:
    """Return words on as many lines as they need; a word that is too long for a line has one of its own."""
    lines = [""]
    for word in words:
        longer = lines[-1] + gap + word if lines[-1] else word
        if len(longer) < width or not lines[-1]:  # a terminal may move to the next line in its last column
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines)


class Choices:
    """What is shown and what is chosen. Without ``marked``, a single line is chosen."""

    def __init__(self, words: Sequence[str], marked: Collection[int] | None = None) -> None:
        self._words = words
        self.shown = list(range(len(words)))
        self.marked = None if marked is None else set(marked)
        self.at = 0  # in ``shown``
        self.query = ""

    @property
    def current(self) -> int | None:
        """The index of the highlighted line, None if nothing matches the search."""
        return self.shown[self.at] if self.shown else None

    @property
    def chosen(self) -> list[int]:
        """The indexes that Enter accepts."""
        if self.marked is not None:
            return sorted(self.marked)
        return [] if self.current is None else [self.current]

    def move(self, step: int) -> None:
        """Move the highlight, stopping at the first and last line."""
        self.at = max(0, min(len(self.shown) - 1, self.at + step))

    def search(self, query: str) -> None:
        """Show only lines that match the query; keep the highlighted line if it is among them."""
        before = self.current
        self.query = query
        self.shown = matching(self._words, query)
        self.at = self.shown.index(before) if before in self.shown else 0

    def mark_number(self, number: int) -> None:
        """Move to a line by its number, counted from 1, and mark it or not."""
        if number <= len(self.shown):
            self.at = number - 1
            self.toggle()

    def toggle(self) -> None:
        if self.marked is not None and self.current is not None:
            self.marked ^= {self.current}
