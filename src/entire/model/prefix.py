"""What the beginning of an id means, wherever an id may be shortened: the id itself, or the only one that begins so."""

from __future__ import annotations

from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SHOWN = 4


def find(prefix: str, ids: Iterable[str], kind: str) -> str:
    """Return the id that ``prefix`` names, '' if there is none.

    A whole id wins over longer ones that begin with it; the empty prefix names nothing. Raises EntireError if several
    ids begin with it; ``kind`` says what they are.
    """
    found = sorted({one for one in ids if one.startswith(prefix)}) if prefix else []
    if len(found) > 1 and found[0] != prefix:
        raise EntireError(f"several {kind}s begin with {prefix!r}", hint="for example " + ", ".join(found[:_SHOWN]))
    return found[0] if found else ""


def require(prefix: str, ids: Iterable[str], kind: str, hint: str) -> str:
    """Return the id that ``prefix`` names; raises EntireError also if there is none."""
    found = find(prefix, ids, kind)
    if not found:
        raise EntireError(f"{kind} not found: {prefix}", hint=hint)
    return found
