"""Bytes that no agent should write but some day one does: nonsense, and captured data with one thing wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence

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


@st.composite
def mutated(draw: st.DrawFn, known: Sequence[bytes]) -> bytes:
    """Return known data with one value replaced, or with bytes cut out, doubled, or put in."""
    data = draw(st.sampled_from(known))
    if draw(st.booleans()):
        return _with_an_odd_value(draw, data)
    start = draw(st.integers(0, len(data)))
    end = start + draw(st.integers(0, 40))
    return data[:start] + draw(st.binary(max_size=6) | st.just(data[start:end] * 2)) + data[end:]


def _with_an_odd_value(draw: st.DrawFn, data: bytes) -> bytes:
    """Replace one value at any depth in one of the records, which are lines or a document."""
    lines = [data] if loads(data) else data.split(b"\n")
    number = draw(st.integers(0, len(lines) - 1))
    record: Any = loads(lines[number])
    if not record:
        return data
    at = record
    while True:
        key = draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        inner = at[key]
        if not isinstance(inner, (dict, list)) or not inner or draw(st.integers(0, 3)) == 0:
            break
        at = inner
    at[key] = draw(st.sampled_from(VALUES))
    lines[number] = json.dumps(record).encode()
    return b"\n".join(lines)
