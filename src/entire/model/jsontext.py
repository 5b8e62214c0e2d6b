"""JSON through the interpreter's C scanner and encoder, and the numbers in it, whose size JSON does not limit.

The package ``json`` imports ``re``, ``enum`` and ``functools``, which costs a hook 7 ms of its 30. The C parts are in
the private module ``_json``. If it is missing or behaves differently than since Python 3.7, the package is used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST = (1 << 63) - 1
"""The largest number that the formats know, as the Go CLI reads them."""

_c: Any = None
try:
    import _json

    _c = _json
except ImportError:  # another interpreter
    pass


class _Rules:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(
        {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}.__getitem__
    )


def _loads(data: bytes | str) -> Any:
    text = data if isinstance(data, str) else bytes(data).decode("utf-8")
    text = text.strip(" \t\n\r")
    try:
        value, end = _scan(text, 0)
    except StopIteration as stop:
        raise ValueError(f"not JSON at character {stop.value}") from None
    except SystemError:  # the scanner raises the package's error class, which is not loaded here
        raise ValueError("not JSON") from None
    if end != len(text):
        raise ValueError(f"more than one JSON value, the second at character {end}")
    return value


def _dumps(value: object, *, ensure_ascii: bool = True, compact: bool = False) -> str:
    separators = (":", ",") if compact else (": ", ", ")
    quote = _c.encode_basestring_ascii if ensure_ascii else _c.encode_basestring
    return "".join(_c.make_encoder({}, _refuse, quote, None, *separators, False, False, True)(value, 0))


def _refuse(value: object) -> None:
    raise TypeError(f"not JSON: {type(value).__name__}")


def _package_loads(data: bytes | str) -> Any:
    import json

    return json.loads(data)


def _package_dumps(value: object, *, ensure_ascii: bool = True, compact: bool = False) -> str:
    import json

    return json.dumps(value, ensure_ascii=ensure_ascii, separators=(",", ":") if compact else (", ", ": "))


def _works() -> bool:
    sample = {"a": [1, 2.5, None, True, "\u00e9\n"], "b": {}}
    try:
        return (
            _loads(_dumps(sample)) == sample and _dumps(sample) == '{"a": [1, 2.5, null, true, "\\u00e9\\n"], "b": {}}'
        )
    except Exception:  # a changed private interface may raise anything
        return False


_scan: Any = _c.make_scanner(_Rules) if _c is not None else None
_fast = _c is not None and _works()


def loads(data: bytes | str) -> Any:
    """Parse one JSON value from UTF-8; raises ValueError (RecursionError if nested too deep)."""
    return _loads(data) if _fast else _package_loads(data)


def dumps(value: object, *, ensure_ascii: bool = True, compact: bool = False) -> str:
    """Print a JSON value on one line, with the separators of ``json.dumps`` or compact."""
    return (
        _dumps(value, ensure_ascii=ensure_ascii, compact=compact)
        if _fast
        else _package_dumps(value, ensure_ascii=ensure_ascii, compact=compact)
    )


def quote(text: str) -> str:
    """Print a string as JSON, without escapes for what is not ASCII."""
    quoted: str = _c.encode_basestring(text) if _fast else _package_dumps(text, ensure_ascii=False)
    return quoted


def whole(value: object) -> int:
    """Return a number of at most 64 bits, without its fraction; 0 for anything else."""
    if isinstance(value, float) and abs(value) < LARGEST:  # neither infinite nor NaN
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST else 0


def natural(value: object) -> int:
    """Return what ``whole`` does, but 0 for a number below it: counts and positions."""
    return max(whole(value), 0) if value else 0


def figure(value: object) -> int | None:
    """Return a count that a record tells, None if it tells none."""
    return value if type(value) is int and 0 <= value <= LARGEST else None


def real(value: object) -> float:
    """Return a finite number of the size that ``whole`` knows; 0.0 for anything else."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) <= LARGEST else 0.0  # type: ignore[arg-type]
