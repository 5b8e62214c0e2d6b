"""``entire status``."""

from __future__ import annotations

import sys
import time

import click

from entire.ui.console import group, json_output, pager, text
from entire.ui.screens import pages
from entire.workspace import Workspace


@click.command("status", cls=group.Command)
@click.option("--detailed", is_flag=True, help="Show all sessions, and the settings files.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(detailed: bool, as_json: bool) -> int:
    """Show sessions, uncommitted steps, unlinked commits and why, hooks, and unpushed checkpoints.

    Example: entire status
    """
    return run(detailed=detailed, as_json=as_json)


def run(*, detailed: bool = False, as_json: bool = False) -> int:
    view = Workspace.find().maintenance.status()
    if as_json:
        text.write(json_output.dumps(view))
    else:
        style, width = text.style_for(sys.stdout), pager.width() or None
        text.write(pages.status(view, style, time.time(), detailed=detailed, width=width))
    return 0
