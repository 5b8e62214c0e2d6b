"""``entire version``."""

from __future__ import annotations

import sys

import click

import entire
from entire.ui.console import group, json_output, text


@click.command("version", cls=group.Command)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> int:
    """Print the version.

    Example: entire version
    """
    return run(as_json)


def run(as_json: bool) -> int:
    python = sys.version.split()[0]
    if as_json:
        text.write([json_output.line({"version": entire.__version__, "python": python})])
    else:
        text.write([f"entire {entire.__version__} (Python {python})"])
    return 0
