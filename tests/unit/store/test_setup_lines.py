"""What ``enable`` noted of the lines that it wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.layout import Place
from entire.model.setup_lines import SetupLines
from entire.store import setup_lines


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(top=str(tmp_path), git_dir=str(tmp_path / ".git"), common_dir=str(tmp_path / ".git"))


def test_a_second_enable_adds_to_what_the_first_noted(place: Place) -> None:
    path = f"{place.top}/settings"
    setup_lines.note(place, path, None, b"first\n")
    setup_lines.note(place, path, b"first\nold\n", b"first\nsecond\n")
    assert setup_lines.load(place) == {"settings": SetupLines(added=(b"first\n", b"second\n"), removed=(b"old\n",))}


def test_what_a_second_enable_replaced_is_no_longer_noted(place: Place) -> None:
    path = f"{place.top}/settings"
    setup_lines.note(place, path, b"mine\n", b"mine\nfirst\n")
    setup_lines.note(place, path, b"mine\nfirst\n", b"mine\nsecond\n")
    assert setup_lines.load(place)["settings"].added == (b"second\n",)


def test_a_file_outside_of_the_worktree_is_not_noted(place: Place) -> None:
    setup_lines.note(place, f"{place.top}/../settings", None, b"x\n")
    assert setup_lines.load(place) == {}
