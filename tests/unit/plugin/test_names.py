"""The public names of ``entire.plugin``."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from entire import plugin

SOURCE = ast.parse(Path(plugin.__file__).read_text())


@pytest.mark.parametrize("name", plugin.__all__)
def test_every_public_name_is_what_type_checkers_see(name: str) -> None:
    """The lazy import and the one for type checkers lead to the same object."""
    seen = {
        alias.asname: (node.module, alias.name)
        for node in ast.walk(SOURCE)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    module, attribute = seen[name]
    assert module is not None
    assert getattr(plugin, name) is getattr(__import__(module, fromlist=[attribute]), attribute)
    assert name in dir(plugin)


def test_there_are_no_others() -> None:
    assert set(plugin._PUBLIC) == set(plugin.__all__)
    with pytest.raises(AttributeError, match="no attribute 'fly'"):
        plugin.fly  # noqa: B018


def test_every_public_name_says_what_it_is() -> None:
    without = [name for name in plugin.__all__ if not getattr(plugin, name).__doc__ and name != "START"]
    assert without == []
