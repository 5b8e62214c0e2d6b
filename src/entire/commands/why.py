"""``entire why``."""

from __future__ import annotations

import gc
import os
import sys

import click

from entire.errors import UsageError
from entire.model.origins import WhyRequest
from entire.ui.console import group, text
from entire.ui.screens import origins
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_NARROWEST = 40


@click.command("why", cls=group.Command)
@click.argument("target", required=False, type=click.Path(readable=False))
@click.option(
    "--uncommitted", is_flag=True, help="Show only lines that are not committed; of all files without TARGET."
)
@click.option("--no-pager", is_flag=True, help="Print straight to the terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(target: str | None, uncommitted: bool, no_pager: bool, as_json: bool) -> int:
    """Show which prompt, or which person, each line of a file comes from.

    TARGET is FILE, FILE:LINE or FILE:FIRST-LAST, as the file is now, or any of them after REV: as it was in a commit.
    Renamed, moved and copied lines are followed to where they were first written, and so are rebased and squashed
    commits. Of a whole file with a long history, moved and copied lines are only followed if LINE is given.

    Example: entire why src/app.py:12
    """
    if target is None and not uncommitted:
        raise UsageError("entire why needs a file", hint="give FILE, FILE:LINE, or --uncommitted")
    return run(WhyRequest(target=target or "", folder=os.getcwd(), is_uncommitted=uncommitted), as_json=as_json,
               paged=not no_pager)  # fmt: skip


def run(request: WhyRequest, *, as_json: bool = False, paged: bool = True) -> int:
    """Answer: all that is known of a few lines, or the ranges of a file."""
    gc.disable()  # thousands of small values without a cycle: looking for cycles takes as long as reading them
    workspace = Workspace.find()
    view = workspace.origins.why(request)
    if as_json:
        from entire.ui.console import json_output

        text.write(json_output.dumps(view))
        return 0
    style = text.style_for(sys.stdout)
    width = _width() if sys.stdout.isatty() else None
    show = origins.answers if view.is_of_lines else origins.listing
    _write(show(view, width, style), workspace, paged=paged)
    return 0


def _width() -> int:
    import shutil

    return max(_NARROWEST, shutil.get_terminal_size().columns)


def _write(lines: Iterable[str], workspace: Workspace, *, paged: bool) -> None:
    if paged and sys.stdout.isatty() and os.environ.get("ACCESSIBLE", "0") in ("", "0"):
        from entire.ui.console import pager

        pager.show(lines, workspace.pager)
    else:
        text.write(lines)
