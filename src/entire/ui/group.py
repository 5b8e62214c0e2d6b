"""The command ``entire`` for click: subcommands from a table, imported when they are used."""

from __future__ import annotations

import importlib

import click

import entire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

EXIT_CODES = "Exit codes: 0 done, 1 error, 2 usage, 3 not a repository, 4 not enabled, 130 interrupted."


class Command(click.Command):
    """A command whose help ends with the exit codes."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the exit codes."""
        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        formatter.write_text(EXIT_CODES)


class LazyGroup(click.Group):
    """A group that knows its commands' names and summaries, and imports the one that is asked for."""

    def __init__(self, table: Mapping[str, str], package: str) -> None:
        super().__init__(
            name="entire",
            help="Keeps every session of your coding agents in git, linked to the commits it led to.",
            epilog=f"`entire COMMAND --help` tells more.\n\n{EXIT_CODES}",
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
            no_args_is_help=True,
        )
        self._table = table
        self._package = package
        debug = click.Option(["--debug"], is_flag=True, expose_value=False, help="Show where an error came from.")
        self.params.append(debug)
        version = click.version_option(entire.__version__, "--version", message="entire %(version)s")
        version(self)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names in the order of the table."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if cmd_name not in self._table:
            return None
        found = importlib.import_module(f"{self._package}.{cmd_name}").command
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the table, without importing a command for it."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._table.items()))
