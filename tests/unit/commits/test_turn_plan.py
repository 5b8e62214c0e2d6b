"""How the plan of a turn's commit names what it leaves out, and the branch that it is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.commits import turn_plan
from entire.layout import Place


@pytest.mark.parametrize(
    ("held", "reason"),
    [
        ({}, ""),
        ({"a": "it is staged"}, "a (it is staged)"),
        ({"a": "x", "b": "y", "c": "x"}, "a (x), b (y), c (x)"),
        ({"a": "x", "b": "x", "c": "x", "d": "x", "e": "x"}, "a (x), b (x), c (x) and 2 more"),
    ],
)
def test_what_is_left_out(held: dict[str, str], reason: str) -> None:
    assert turn_plan.held_reason(held) == reason


def test_the_branch_is_what_the_file_head_says(tmp_path: Path) -> None:
    place = Place(top=str(tmp_path), git_dir=str(tmp_path), common_dir=str(tmp_path))
    assert turn_plan.branch(place) == b""
    (tmp_path / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    assert turn_plan.branch(place) == b"ref: refs/heads/main\n"
