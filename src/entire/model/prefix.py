"""Resolves an id prefix to the id itself, or to the only id that starts with it."""

from __future__ import annotations

from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SHOWN = 4
_SIMILAR = 4  # characters; shorter prefixes are like too many others


def find(prefix: str, ids: Iterable[str], kind: str) -> str:
    """Return the id with this prefix, '' if there is none.

    A complete id wins over longer ones that start with it; the empty prefix matches nothing. Raises EntireError if
    several ids match; ``kind`` names them in messages.
    """
    matching = sorted({name for name in ids if name.startswith(prefix)}) if prefix else []
    if len(matching) > 1 and matching[0] != prefix:
        raise EntireError(
            f"several {kind}s start with {prefix!r}",
            hint="use a longer prefix, as in " + ", ".join(matching[:_SHOWN]),
        )
    return matching[0] if matching else ""


def require(prefix: str, ids: Iterable[str], kind: str, hint: str) -> str:
    """Return the id with this prefix; raises EntireError if there is none or several."""
    known = set(ids)
    match = find(prefix, known, kind)
    if not match:
        raise unknown(prefix, known, kind, hint)
    return match


def unknown(prefix: str, ids: Iterable[str], kind: str, hint: str) -> EntireError:
    """Return the error that no id starts with this prefix; its hint offers the beginning that is most like it."""
    similar = sorted({name[: len(prefix)] for name in ids}) if len(prefix) >= _SIMILAR else []
    return EntireError(f"{kind} not found: {prefix}", hint=hint, unknown=prefix, known=similar)
