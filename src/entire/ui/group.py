"""The click group ``entire``: subcommands from a table, imported when used."""

from __future__ import annotations

import importlib

import click
from click.shell_completion import CompletionItem

import entire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

EXIT_CODES = "Exit codes: 0 done, 1 error, 2 usage, 3 not a repository, 4 not enabled, 130 interrupted."


class Command(click.Command):
    """A command whose help ends with the exit codes."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        formatter.write_text(EXIT_CODES)


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
            no_args_is_help=True,
        )
        self._table = table
        self._package = package

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
