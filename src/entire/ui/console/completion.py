"""Completes names in a shell: give one of these to an option or argument as ``shell_complete``.

A shell that completes shows no errors, so whatever goes wrong there is nothing to complete. It prints names as they
are, so one that would command the terminal is left out.
"""

from __future__ import annotations

from click.shell_completion import CompletionItem

from entire.ui.console import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    import click

    Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

_WIDTH = 60  # of the words beside a name


def of(*kinds: str) -> Complete:
    """Return a callback that completes names of these kinds (those of ``entire.queries.candidates``, ``point``)."""

    def complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from entire.workspace.candidates import Candidates

        try:
            names = Candidates.find().of(kinds, incomplete)
        except Exception:
            return []
        return [CompletionItem(name.name, help=text.one_line(name.about, _WIDTH) or None)
                for name in names if text.plain(name.name) == name.name]  # fmt: skip

    return complete


agents = of("agent")
branches = of("branch")
changes = of("change")
checkpoints = of("checkpoint")
commits = of("branch", "commit")
findings = of("finding")
plugins = of("plugin")
points = of("point")
sessions = of("session")
shown = of("branch", "commit", "checkpoint", "session", "prompt")
targets = of("branch", "commit", "checkpoint", "session")
turns = of("turn")


def files(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete a path, which it quotes as needed."""
    return [CompletionItem(incomplete, type="file")]


def ranges(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete both ends of a range of commits."""
    base, dots, end = incomplete.rpartition("..")
    return [CompletionItem(base + dots + item.value, help=item.help) for item in commits(ctx, param, end)]
