"""``entire completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from entire.errors import UsageError
from entire.ui.console import group, text

_CHANGES = (
    ('string split ","', 'string split --max 1 ","'),  # in fish, a description may hold commas
    ("bash_complete $1)", "bash_complete $1 2>/dev/null)"),
    ("zsh_complete entire)", "zsh_complete entire 2>/dev/null)"),
    ("(commandline -t) entire)", "(commandline -t) entire 2>/dev/null)"),
)
"""What click's scripts lack: errors, such as of a folder that was deleted, must not be shown between two keys."""


@click.command("completion", cls=group.Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the completion script for a shell; source it in your shell's startup file.

    Example: entire completion bash > ~/.local/share/bash-completion/completions/entire
    """
    return run(shell)


def run(shell: str) -> int:
    kind = get_completion_class(shell)
    if kind is None:
        raise UsageError(f"no completion for {shell}", hint="bash, zsh and fish are supported")
    script = kind(click.Command("entire"), {}, "entire", "_ENTIRE_COMPLETE")
    source = script.source_template % script.source_vars()
    for old, new in _CHANGES:
        source = source.replace(old, new)
    text.write([source])
    return 0
