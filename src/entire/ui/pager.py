"""Shows long output in the pager that git uses."""

from __future__ import annotations

import os

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def show(lines: Iterable[str], program: str) -> None:
    """Show lines in a pager; ``less`` is set to keep colours and to exit at once if all fits on the screen."""
    os.environ.setdefault("LESS", "FRX")
    if program:
        os.environ["PAGER"] = program
    click.echo_via_pager(line.encode("utf-8", "replace").decode("utf-8") + "\n" for line in lines)
