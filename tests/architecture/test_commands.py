"""The tables of names resolve: strings are beyond the import linter."""

from __future__ import annotations

import ast
import importlib

import click
import pytest

import entire
from entire.commands import TABLE as ROOT
from entire.commands import agent, plugin
from tests.architecture.places import PACKAGE

GROUPS = {"agent": agent.TABLE, "plugin": plugin.TABLE}
TABLE = ROOT | {f"{group} {name}": summary for group, table in GROUPS.items() for name, summary in table.items()}


def module_of(command: str) -> str:
    return "entire.commands." + command.replace("-", "_").replace(" ", ".")


@pytest.mark.parametrize("name", TABLE)
def test_a_command_has_a_module_with_a_click_command_and_run(name: str) -> None:
    module = importlib.import_module(module_of(name))
    assert isinstance(module.command, click.Command)
    assert module.command.name == name.split()[-1]
    assert name in GROUPS or callable(module.run)


@pytest.mark.parametrize("name", TABLE)
def test_a_summary_is_one_sentence(name: str) -> None:
    assert TABLE[name].endswith(".")
    assert TABLE[name][0].isupper()
    assert "\n" not in TABLE[name]
    assert len(TABLE[name]) <= 80


@pytest.mark.parametrize("name", TABLE)
def test_the_help_of_a_command_has_an_example(name: str) -> None:
    command = importlib.import_module(module_of(name)).command
    text = command.get_help(click.Context(command, info_name=name))
    assert f"entire {name}" in text.split("Example", 1)[1]


def test_every_command_module_is_in_the_table() -> None:
    paths = [path.relative_to(PACKAGE).with_suffix("") for path in PACKAGE.glob("commands/**/*.py")]
    modules = {"entire." + ".".join(path.parts) for path in paths if path.name != "__init__"}
    modules |= {f"entire.commands.{name}" for name in GROUPS}
    assert modules - {"entire.commands.hooks"} == {module_of(name) for name in TABLE}


def test_public_names_are_sorted_and_resolve() -> None:
    assert list(entire.__all__) == sorted(entire.__all__)
    for name in entire.__all__:
        assert getattr(entire, name).__name__ == name


def test_type_checkers_see_the_public_names() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    shown = {alias.asname for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert shown - {None} == set(entire.__all__)
