"""The table of commands as a click group."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import pytest

from entire.ui.console.group import EXIT_CODES, Command, Root

TABLE = {"version": "Print the version.", "enable": "Start."}


def test_the_order_is_that_of_the_table() -> None:
    group = Root(TABLE, "entire.commands")
    assert group.list_commands(click.Context(group)) == ["version", "enable"]


def test_only_the_command_that_is_asked_for_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "some_commands"
    package.mkdir()
    for name in TABLE:
        (package / f"{name}.py").write_text(f"import click\n\n\n@click.command({name!r})\ndef command():\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    group = Root(TABLE, "some_commands")
    context = click.Context(group)
    assert "Print the version." in group.get_help(context)
    assert "some_commands.version" not in sys.modules
    found = group.get_command(context, "version")
    assert found is not None
    assert found.name == "version"
    assert "some_commands.version" in sys.modules
    assert "some_commands.enable" not in sys.modules
    for name in [name for name in sys.modules if name.partition(".")[0] == "some_commands"]:
        del sys.modules[name]


@pytest.mark.parametrize("name", ["hooks", "", "../cli", "nothing"])
def test_a_name_that_is_not_in_the_table(name: str) -> None:
    group = Root(TABLE, "entire.commands")
    assert group.get_command(click.Context(group), name) is None


def test_help_ends_with_the_exit_codes() -> None:
    command = Command("x", help="Does it.")
    words = " ".join(command.get_help(click.Context(command)).split())
    assert words.endswith(EXIT_CODES)
