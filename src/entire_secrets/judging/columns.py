"""Tells which values of an SQL statement stand in a column of secrets: those of other columns may look as random."""

from __future__ import annotations

from entire_secrets import patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SECRET = rb"(?i:passw|secret|token|api_?key|pwd)"

# A quote ends a string where the next value or the end of the row follows: that of an escape looks the same.
_PARTS = rb"'[^']*+(?:'(?![ \n]{0,4}[,)])[^']*+)*+'|[(),]|[^'(),]++"


def secrets(names: bytes, rows: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and end, in ``rows``, of the strings in columns whose names tell of a secret."""
    columns = {number for number, name in enumerate(names.split(b",")) if patterns.compile(_SECRET).search(name)}
    depth = number = 0
    for part in patterns.compile(_PARTS).finditer(rows):
        sign = part.group()
        if sign == b"(":
            depth += 1
            number = number if depth > 1 else 0
        elif sign == b")":
            depth -= 1
        elif sign == b",":
            number += depth == 1
        elif sign.startswith(b"'") and number in columns:
            yield part.span()
