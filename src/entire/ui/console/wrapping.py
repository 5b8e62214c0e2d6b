"""Fits text to the width of a terminal, where a wide character takes two cells and a combining one none."""

from __future__ import annotations

from itertools import zip_longest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def width(line: str) -> int:
    """Return how many cells a line takes."""
    if line.isascii():
        return len(line)
    from rich.cells import cell_len

    return cell_len(line)


def fit(line: str, cells: int | None) -> str:
    """Cut a line to at most ``cells`` cells, with an ellipsis; None: any number."""
    if cells is None or width(line) <= cells:
        return line
    return _head(line, cells - 1).rstrip() + "…" * (cells > 0)


def pad(line: str, cells: int) -> str:
    """Fill a line up to ``cells`` cells."""
    return line + " " * (cells - width(line))


def aligned(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    """Pad the cells of rows to their columns' widths, but for the last cell of each row."""
    cells = [list(row) for row in rows]
    sizes = [max(width(cell or "") for cell in column) for column in zip_longest(*cells)]
    return [[*map(pad, row[:-1], sizes), *row[-1:]] for row in cells]


def fit_end(line: str, cells: int) -> str:
    """Cut a line's beginning so that at most ``cells`` cells are left, with an ellipsis."""
    return line if width(line) <= cells else "…" + _head(line[::-1], cells - 1)[::-1]


def wrap(line: str, cells: int) -> list[str]:
    """Break a line between words, and in words that are too long; what follows keeps the line's indentation."""
    line, cells = line.expandtabs(4).rstrip(), max(cells, 2)
    indent = line[: len(line) - len(line.lstrip())]
    indent = indent if width(indent) <= cells // 2 and width(indent) + 2 <= cells else ""  # room for one character
    rows: list[str] = []
    start = 0
    while True:
        lead = indent if rows else ""
        window = lead + line[start : start + 2 * cells]  # no more than this is measured at a time
        head = _head(window, cells)
        if len(head) == len(window) and start + 2 * cells >= len(line):
            return [*rows, head]
        blank = len(head) if window[len(head) : len(head) + 1] == " " else head.rfind(" ", len(indent) + 1)
        end = blank if blank > len(indent) else len(head)
        rows.append(window[:end].rstrip())
        start += end - len(lead)
        start += len(line[start : start + 2 * cells]) - len(line[start : start + 2 * cells].lstrip(" "))


def _head(line: str, cells: int) -> str:
    """Return as many leading characters as fit."""
    if line.isascii():
        return line[: max(cells, 0)]
    from rich.cells import get_character_cell_size

    used = 0
    for at, char in enumerate(line):
        used += get_character_cell_size(char)
        if used > cells:
            return line[:at]
    return line
