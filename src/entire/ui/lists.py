"""A list to choose from, apart from how it is shown: what a search leaves, what is highlighted, what is marked."""

from __future__ import annotations

from entire.errors import EntireError
from entire.ui import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    Line = tuple[str, str]  # a line, and its colour
    Rows = Callable[[int], Sequence[Line]]
    Preview = Callable[[int], Iterable[Line]]

_PREVIEW_LINES = 200


def matching(words: Sequence[str], query: str) -> list[int]:
    """Return which texts contain all words of a query, in whatever case."""
    wanted = query.casefold().split()
    return [number for number, said in enumerate(words) if all(word in said.casefold() for word in wanted)]


def beginning(preview: Preview, number: int) -> list[Line]:
    """Return the beginning of a preview. What cannot be previewed says why, and the list stays."""
    found: list[Line] = []
    try:
        for line in preview(number):
            found.append(line)
            if len(found) == _PREVIEW_LINES:
                break
    except EntireError as error:
        found.append((text.plain(error.message), "red"))
    return found


class Choices:
    """What is shown and what is chosen, apart from any terminal. Without ``marked`` it is one line."""

    def __init__(self, words: Sequence[str], marked: Collection[int] | None = None) -> None:
        self._words = words
        self.shown = list(range(len(words)))
        self.marked = None if marked is None else set(marked)
        self.at = 0  # in ``shown``
        self.query = ""

    @property
    def current(self) -> int | None:
        """The number of the highlighted line, None if the search leaves none."""
        return self.shown[self.at] if self.shown else None

    @property
    def chosen(self) -> list[int]:
        """What Enter accepts; nothing if there is nothing to accept."""
        if self.marked is not None:
            return sorted(self.marked)
        return [] if self.current is None else [self.current]

    def move(self, step: int) -> None:
        """Highlight another line; the first and the last one are the ends."""
        self.at = max(0, min(len(self.shown) - 1, self.at + step))

    def search(self, query: str) -> None:
        """Show only what contains all words of the query; the highlighted line stays so if it is among them."""
        before = self.current
        self.query = query
        self.shown = matching(self._words, query)
        self.at = self.shown.index(before) if before in self.shown else 0

    def toggle(self) -> None:
        """Mark the highlighted line, or take its mark away."""
        if self.marked is not None and self.current is not None:
            self.marked ^= {self.current}
