"""Writes long output while it is being found: lines in a pager or plain, values as JSON."""

from __future__ import annotations

import json
import os
import shutil
import sys

from entire.ui import form, pager, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from entire.model.value import Value
    from entire.workspace import Workspace

_AT_ONCE = 100  # lines that are not held back for those after them


def width() -> int | None:
    """Return the cells of a line on the terminal; None if standard output is none."""
    return max(40, shutil.get_terminal_size().columns) if sys.stdout.isatty() else None


def lines(found: Iterable[str], workspace: Workspace, *, paged: bool = True) -> None:
    """Write lines as they are found: on a terminal in the pager, unless plain output was asked for."""
    if paged and sys.stdout.isatty() and os.environ.get("ACCESSIBLE", "0") in ("", "0"):
        pager.show(found, workspace.pager)
        return
    for number, line in enumerate(found):
        text.write([line])
        if number < _AT_ONCE:
            sys.stdout.flush()


def json_list(found: Iterable[Value]) -> None:
    """Write one JSON list, with each value on a line of its own, as they are found."""
    before = "[\n"
    for number, value in enumerate(found):
        text.write(before + json.dumps(form.of(value), ensure_ascii=False))
        before = ",\n"
        if number < _AT_ONCE:
            sys.stdout.flush()
    text.write("[]\n" if before == "[\n" else "\n]\n")
