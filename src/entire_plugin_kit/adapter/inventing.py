"""What promises invent with hypothesis: how many examples, and captured data with one thing wrong."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from entire_plugin_kit.adapter import malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from entire_plugin_kit.rig import Rig

EXAMPLES = settings(
    max_examples=2000 if os.environ.get("ENTIRE_LONG") else 60,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def examples(rig: Rig, *strategies: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], None]:
    """Return a decorator that calls a check at once with what strategies invent, as often as the rig's speed allows."""
    chosen = settings(EXAMPLES, max_examples=max(EXAMPLES.max_examples // rig.thinning, 4))

    def run(check: Callable[..., None]) -> None:
        chosen(given(*strategies)(check))()

    return run


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
    lines = [data] if malformed.loads(data) else data.split(b"\n")
    number = draw(st.integers(0, len(lines) - 1))
    record: Any = malformed.loads(lines[number])
    if not record:
        return data
    at = record
    while True:
        key = draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        inner = at[key]
        if not isinstance(inner, (dict, list)) or not inner or draw(st.integers(0, 3)) == 0:
            break
        at = inner
    at[key] = draw(st.sampled_from(malformed.VALUES))
    lines[number] = json.dumps(record).encode()
    return b"\n".join(lines)
