"""Bytes and values that no agent should write but some day one does."""

from __future__ import annotations

import json
from typing import Any

BYTES = (
    b"",
    b"\n",
    b"nonsense",
    b"\x00\x01\xff",
    b"\xef\xbb\xbf{}",
    b"{",
    b"[]",
    b"{}",
    b"null",
    b"7",
    b'"text"',
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b'{"session_id": "\\ud800"}',
    b'{"session_id": 7, "transcript_path": []}',
    b'{"messages": 7}',
    b'{"messages": [null, 7, "x", [], {}]}',
    b'{"type": "user"}\n{"type": "assistant", "message": 7}\n',
    b"9" * 5000,
    b'{"tokens": 1e999}',
)
VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    float("inf"),
    "",
    "x",
    "\ud800",
    "a\0b",
    [],
    {},
    [None],
    {"": None},
)


def loads(data: bytes) -> dict[str, Any]:
    """Return a JSON object, {} for anything else."""
    try:
        value = json.loads(data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
