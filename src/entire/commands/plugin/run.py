"""``entire plugin run``: for the first line of plugins. The launcher does the same without loading Entire."""

from __future__ import annotations

import os
import sys

import click

from entire.errors import UsageError
from entire.ui.console import group

_ALL_WORDS = {"ignore_unknown_options": True, "allow_interspersed_args": False}
"""What follows the file is the plugin's, `--help` too."""


@click.command("run", cls=group.Command, context_settings=_ALL_WORDS)
@click.argument("file")
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def command(file: str, words: tuple[str, ...]) -> int:
    """Run FILE, a plugin that is written in Python, with the Python that Entire is installed in.

    Plugins call this themselves, so they find `entire.plugin` however Entire was installed.

    Example: entire plugin run ./entire-agent-myagent info
    """
    return run(file, *words)


def run(file: str, *words: str) -> int:
    if not os.path.isfile(file):
        raise UsageError(f"there is no file {file}", hint="name the plugin's file")
    os.execv(sys.executable, [sys.executable, "-I", file, *words])
