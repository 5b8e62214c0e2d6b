"""The click group ``entire``: subcommands from a table, imported when used."""

from __future__ import annotations

import importlib
import shutil

import click
from click.shell_completion import CompletionItem

import entire
from entire.errors import UsageError
from entire.ui.console import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

_WIDE_ENOUGH = 52  # columns: click takes no terminal for narrower
EXIT_CODES = "Exit codes: 0 done, 1 error, 2 usage, 3 not a repository, 4 not enabled, 130 interrupted."


def limit(default: int, what: str) -> Callable[[Function], Function]:
    """Return the option ``--limit`` for a list of ``what``; a negative number is refused."""

    def check(ctx: click.Context, _param: click.Parameter, value: int) -> int:
        if value < 0 and not ctx.resilient_parsing:
            raise UsageError("--limit cannot be negative", hint=f"0 lists all {what}")
        return value

    return click.option("--limit", default=default, show_default=True, callback=check,
                        help=f"List at most this many {what}; 0 lists all.")  # fmt: skip


class Command(click.Command):
    """A command whose help ends with the exit codes."""

    exit_codes = EXIT_CODES

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        formatter.write_text(self.exit_codes)


class LazyGroup(click.Group):
    """A group that knows its commands' names and summaries, and imports a command only when it is used.

    ``package`` holds a module for each command, with dashes as underscores.
    """

    def __init__(self, name: str, table: Mapping[str, str], package: str, summary: str) -> None:
        super().__init__(
            name=name,
            help=summary,
            epilog=EXIT_CODES,
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        )
        self._table = table
        self._package = package

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Print the help for a command line without any word: that is a question, not an error."""
        if not args and not ctx.resilient_parsing:
            text.write([ctx.get_help()])
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; raises UsageError, with the name that is most like it, if there is none."""
        name = args[0]
        if name not in self._table and not name.startswith("-") and not ctx.resilient_parsing:
            raise UsageError(f"no such command: {ctx.command_path} {name}", hint=f"run `{ctx.command_path} --help`",
                             unknown=name, known=self._table)  # fmt: skip
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in self._table:
            return None
        command = importlib.import_module(f"{self._package}.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the names of the commands without importing any."""
        names = [name for name in self._table if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=self._table[name]) for name in names), *options]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the table without importing any command."""
        if self._table:
            with formatter.section("Commands"):
                formatter.write_dl(list(self._table.items()))


class Root(LazyGroup):
    """The command ``entire``."""

    def __init__(self, table: Mapping[str, str], package: str) -> None:
        summary = "Records the sessions of your coding agents in git and links them to your commits."
        super().__init__("entire", table, package, summary)
        self.epilog = f"Run `entire COMMAND --help` for details.\n\n{EXIT_CODES}"
        debug = click.Option(["--debug"], is_flag=True, expose_value=False, help="Show the traceback of an error.")
        self.params.append(debug)
        version = click.version_option(entire.__version__, "--version", message="entire %(version)s")
        version(self)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Fit the help to a narrow terminal, too."""
        columns = shutil.get_terminal_size().columns
        if columns < _WIDE_ENOUGH:
            extra.setdefault("terminal_width", max(columns - 2, 20))
        return super().make_context(info_name, args, parent, **extra)
