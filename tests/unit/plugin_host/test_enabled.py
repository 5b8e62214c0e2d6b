"""The plugins whose hooks ``enable`` installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.layout import Place
from entire.plugin_host.inventory import enabled
from entire.plugin_host.inventory.enabled import Enabled


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(top=str(tmp_path), git_dir=str(tmp_path / ".git"), common_dir=str(tmp_path / ".git"))


def test_they_are_remembered_until_they_are_removed(place: Place) -> None:
    assert enabled.read(place) == {}
    enabled.add(place, "x", Enabled(protected_dirs=(".x",)))
    enabled.add(place, "y", Enabled())
    enabled.remove(place, "y")
    enabled.remove(place, "none")
    assert enabled.read(place) == {"x": Enabled(protected_dirs=(".x",))}


@pytest.mark.parametrize("content", ["", "[]", '{"x": "X"}'])
def test_a_broken_file_names_none(place: Place, content: str) -> None:
    path = Path(place.common_own_dir) / "plugins-enabled.json"
    path.parent.mkdir(parents=True)
    path.write_text(content)
    assert enabled.read(place) == {}
    path.write_text('{"x": {"protected_dirs": [2, ".x"]}}')
    assert enabled.read(place) == {"x": Enabled(protected_dirs=(".x",))}
