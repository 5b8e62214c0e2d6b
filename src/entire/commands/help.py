"""``entire help``."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from entire.errors import UsageError
from entire.ui.console import group, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def _complete_words(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    named = _find(ctx.find_root(), ctx.params.get("words") or ()).command
    return named.shell_complete(click.Context(named), incomplete) if isinstance(named, click.Group) else []


@click.command("help", cls=group.Command)
@click.argument("words", nargs=-1, metavar="[COMMAND]...", shell_complete=_complete_words)
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...]) -> int:
    """Show the help of a command; without one, the list of all commands.

    Example: entire help plugin check
    """
    return run(ctx.find_root(), words)


def run(root: click.Context, words: Sequence[str] = ()) -> int:
    text.write([_find(root, words).get_help()])
    return 0


def _find(root: click.Context, words: Sequence[str]) -> click.Context:
    """Return the context of a command by its name; raises UsageError, as the command itself would."""
    context = root
    for word in words:
        if not isinstance(context.command, click.Group):
            raise UsageError(f"{context.command_path} has no commands", hint=f"run `entire help {words[0]}`")
        name, resolved, _ = context.command.resolve_command(context, [word])
        if resolved is None:
            raise UsageError(f"no such command: {context.command_path} {word}", hint="run `entire help`")
        context = click.Context(resolved, info_name=name, parent=context)
    return context
