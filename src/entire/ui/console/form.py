"""Values as JSON, for ``--json``: fields by name, times as RFC 3339 text, invalid UTF-8 replaced."""

from __future__ import annotations

import json
import re
import time

from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TIMES = frozenset({"created", "ended", "last_seen", "prompted", "started", "time"})

_CONTROLS = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What JSON may hold as it is, but a terminal would obey."""


def of(value: object) -> Any:
    """Convert a value, mapping or sequence to JSON's types."""
    if isinstance(value, Value):
        fields = [(name, getattr(value, name)) for name in value._fields]
        return {name: _time(field) if name in _TIMES else of(field) for name, field in fields}
    if isinstance(value, dict):
        return {str(key): of(field) for key, field in value.items()}
    if isinstance(value, list | tuple):
        return [of(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return value


def dumps(value: object) -> str:
    text = json.dumps(of(value), ensure_ascii=False, indent=2)
    text = text if text.isascii() and "\x7f" not in text else _CONTROLS.sub(lambda m: f"\\u{ord(m[0]):04x}", text)
    return text.encode("utf-8", "replace").decode("utf-8") + "\n"


def _time(seconds: object) -> str | None:
    if not isinstance(seconds, int | float) or seconds <= 0:
        return None
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
