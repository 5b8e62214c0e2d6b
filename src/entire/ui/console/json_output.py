"""Values as JSON, for ``--json``: fields by name, times as RFC 3339 text, invalid UTF-8 replaced."""

from __future__ import annotations

import json
import time

from entire.model import controls
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TIMES = frozenset({"created", "ended", "last_seen", "prompted", "started", "time"})


def of(value: object) -> Any:
    """Convert a value, mapping or sequence to JSON's types."""
    if isinstance(value, Value):
        fields = [(name, getattr(value, name)) for name in value._fields]
        return {name: _time(field) if name in _TIMES else of(field) for name, field in fields}
    if isinstance(value, dict):
        return {_valid(str(key)): of(field) for key, field in value.items()}
    if isinstance(value, list | tuple):
        return [of(item) for item in value]
    if isinstance(value, str):
        return _valid(value)
    return value


def dumps(value: object) -> str:
    return controls.in_json(json.dumps(of(value), ensure_ascii=False, indent=2)) + "\n"


def line(value: object) -> str:
    """Return a value on one line, without a newline."""
    return controls.in_json(json.dumps(of(value), ensure_ascii=False))


def _valid(text: str) -> str:
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:  # half of a pair, which JSON can hold
        return text.encode("utf-8", "replace").decode("utf-8")


def _time(seconds: object) -> str | None:
    if not isinstance(seconds, int | float) or seconds <= 0:
        return None
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    except (OverflowError, OSError, ValueError):  # no time that a calendar knows
        return None
