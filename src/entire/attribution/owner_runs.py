"""The owners of a file's lines in their order, stored as runs of lines with the same owner."""

from __future__ import annotations

from entire.model.turns import BASE, Owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    Runs = list[tuple[Owner, int]]  # (owner, number of lines)

REST = 1 << 60  # more lines than any file has


class OwnerReader:
    """Reads the owners of a file's lines from the start."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._index = 0
        self._used = 0

    def pieces(self, count: int) -> Runs:
        """Return the owners of the next ``count`` lines, as runs."""
        out: Runs = []
        while count > 0 and self._index < len(self._runs):
            owner, size = self._runs[self._index]
            part = min(count, size - self._used)
            add(out, owner, part)
            count -= part
            self._used += part
            if self._used >= size:
                self._index += 1
                self._used = 0
        return out

    def peek(self) -> Owner:
        """Return the owner of the next line without reading it."""
        return self._runs[self._index][0] if self._index < len(self._runs) else BASE

    def copy(self, count: int, out: Runs) -> None:
        """Append the owners of the next ``count`` lines to ``out``."""
        extend(out, self.pieces(count))

    def take(self) -> Owner:
        """Return the owner of the next line."""
        pieces = self.pieces(1)
        return pieces[0][0] if pieces else BASE


def extend(runs: Runs, following: Runs) -> None:
    for owner, count in following:
        add(runs, owner, count)


def add(runs: Runs, owner: Owner, count: int) -> None:
    """Append ``count`` lines of an owner."""
    if count and runs and runs[-1][0] == owner:
        runs[-1] = (owner, runs[-1][1] + count)
    elif count:
        runs.append((owner, count))
