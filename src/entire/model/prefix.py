"""Resolves an id prefix to the id itself, or to the only id that starts with it."""

from __future__ import annotations

from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SHOWN = 4


def find(prefix: str, ids: Iterable[str], kind: str) -> str:
    """Return the id with this prefix, '' if there is none.

    A complete id wins over longer ones that start with it; the empty prefix matches nothing. Raises EntireError if
    several ids match; ``kind`` names them in messages.
    """
    found = sorted({name for name in ids if name.startswith(prefix)}) if prefix else []
    if len(found) > 1 and found[0] != prefix:
        raise EntireError(
            f"several {kind}s start with {prefix!r}", hint="use a longer prefix, as in " + ", ".join(found[:_SHOWN])
        )
    return found[0] if found else ""


def require(prefix: str, ids: Iterable[str], kind: str, hint: str) -> str:
    """Return the id with this prefix; raises EntireError if there is none or several."""
    found = find(prefix, ids, kind)
    if not found:
        raise EntireError(f"{kind} not found: {prefix}", hint=hint)
    return found
