"""Regular expressions that are compiled once for all processes, and what else is made once for all.

Python takes as long to import ``re`` as to start, and half a millisecond to compile a pattern of a rule. What the
compiler makes of a pattern is kept in a file beside the bytecode, in the form that ``_sre`` takes, which checks it.
Where the file cannot be read, is of another interpreter or lacks a pattern, ``re`` compiles as always. See
docs/decisions/0012-compiled-patterns.md.
"""

from __future__ import annotations

import _sre
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Pattern
    from typing import Any, TypeVar

    T = TypeVar("T", bytes, str)
    Form = tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]
    # Flags, code, number of groups, numbers of the groups with names, and the names by number.

DOTALL = 16
"""A flag, as in ``re``."""

_PATH = os.path.join(os.path.dirname(__file__), "__pycache__", f"patterns.{sys.implementation.cache_tag}.forms")
_MOST = 4 << 20  # bytes of the file
_HEAD = (1, _sre.MAGIC, _sre.CODESIZE)

once: set[str] = set()
"""Modules that were loaded to make something that is kept: later processes do without them."""

_compiled: dict[tuple[bytes | str, int], Pattern[Any]] = {}
_new: dict[Any, Any] = {}
_kept: dict[Any, bytes] | None = None


def compile(pattern: T, flags: int = 0) -> Pattern[T]:  # noqa: A001 (as in ``re``)
    """Return a compiled pattern, the same one each time."""
    key = (pattern, flags)
    compiled = _compiled.get(key)
    if compiled is None:
        compiled = _compiled[key] = _made(key)
    return compiled


def _made(key: tuple[Any, int]) -> Pattern[Any]:
    try:
        form = kept(key)
        if form is None:
            form = _new[key] = _form(*key)
        flags, code, groups, names, by_number = form
        numbers = memoryview(code).cast("I").tolist()
        made: Pattern[Any] = _sre.compile(key[0], flags, numbers, groups, names, by_number)
        return made
    except (AttributeError, EOFError, TypeError, ValueError, RuntimeError):  # another Python's ``re``, a broken file
        import re

        _new.pop(key, None)
        return re.compile(*key)


def _form(pattern: bytes | str, flags: int) -> Form:
    """Return what ``re`` makes of a pattern, before it hands that to ``_sre``."""
    import array
    from re import _compiler, _parser  # type: ignore[attr-defined]

    parsed = _parser.parse(pattern, flags)
    code = array.array("I", _compiler._code(parsed, flags)).tobytes()
    names = parsed.state.groupdict
    by_number: list[str | None] = [None] * parsed.state.groups
    for name, number in names.items():
        by_number[number] = name
    return flags | parsed.state.flags, code, parsed.state.groups - 1, names, tuple(by_number)


# ---------------------------------------------------------------- the file


def kept(key: Any) -> Any:
    """Return what is kept under a key, None if nothing is."""
    global _kept  # read when something is first wanted
    if _kept is None:
        _kept = _read()
    try:
        data = _kept.get(key)
        return marshal.loads(data) if data is not None else None  # noqa: S302 (as trusted as the bytecode beside it)
    except (EOFError, TypeError, ValueError):  # a broken file
        return None


def keep(key: Any, value: Any) -> None:
    """Keep something under a key, from the next ``save`` on."""
    _new[key] = value


def _read() -> dict[Any, bytes]:
    try:
        with open(_PATH, "rb") as file:
            head, forms = marshal.loads(file.read(_MOST))  # noqa: S302
    except (OSError, ValueError, EOFError, TypeError):  # there is none, or it is broken
        return {}
    return forms if head == _HEAD and isinstance(forms, dict) else {}


def save(write: Callable[[str, bytes], None]) -> None:
    """Keep what was compiled in this process; nothing where bytecode is not to be written. ``write`` replaces a file
    whole.
    """
    folder = os.path.dirname(_PATH)
    if not _new or sys.dont_write_bytecode or not os.access(folder, os.W_OK):
        return
    forms = {**_read(), **{key: marshal.dumps(form) for key, form in _new.items()}}
    data = marshal.dumps((_HEAD, forms))
    if len(data) < _MOST:
        write(_PATH, data)
