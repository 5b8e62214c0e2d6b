"""``entire plugin serve``."""

from __future__ import annotations

import click

from entire.plugin import serving
from entire.ui.console import group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


@click.command(
    "serve", cls=group.Command, context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.argument("name")
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="SUBCOMMAND [OPTION]...")
def command(name: str, words: tuple[str, ...]) -> int:
    """Answer a call of the plugin protocol for the agent NAME, as a plugin for it would.

    Other hosts of the protocol can use Entire's agents with it: an executable `entire-agent-NAME` of one line runs it.

    Example: entire plugin serve NAME info
    """
    return run(name, words)


def run(name: str, words: Sequence[str]) -> int:
    return serving.serve(name, words)
