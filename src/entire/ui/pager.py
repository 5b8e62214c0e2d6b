"""Long output through the pager that git uses, on a terminal only."""

from __future__ import annotations

import os

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def show(lines: Iterable[str], program: str) -> None:
    """Show lines through a pager; ``less`` leaves at once what fits on the screen, and keeps colours."""
    os.environ.setdefault("LESS", "FRX")
    if program:
        os.environ["PAGER"] = program
    click.echo_via_pager(line.encode("utf-8", "replace").decode("utf-8") + "\n" for line in lines)
