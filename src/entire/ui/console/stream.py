"""Writes long lists of values as JSON while they are being found."""

from __future__ import annotations

import sys

from entire.ui.console import json_output, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from entire.model.value import Value

_AT_ONCE = 100  # values that are not held back for those after them


def json_list(values: Iterable[Value]) -> None:
    """Write one JSON list, with each value on a line of its own, as they are found."""
    before = "[\n"
    for number, value in enumerate(values):
        text.write(before + json_output.line(value))
        before = ",\n"
        if number < _AT_ONCE:
            sys.stdout.flush()
    text.write("[]\n" if before == "[\n" else "\n]\n")
