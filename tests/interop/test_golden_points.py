"""Points in repositories of the Go CLI: its steps and checkpoints, and going back to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.errors import EntireError
from entire.model.requests import RewindRequest
from entire.workspace import Workspace
from tests import golden

RUNNING = ("live/05-active-agent-committed", "live/07-active-again")  # a turn is in progress there


@pytest.mark.parametrize("stage", golden.STAGES)
def test_points_of_the_go_cli(stage: str, tmp_path: Path) -> None:
    for root in golden.repositories(golden.unpack(stage, tmp_path)):
        found = Workspace.find(root).points.listing(0)
        assert len({(point.id, point.checkpoint_id) for point in found}) == len(found)
        assert [point.time for point in found if point.kind != "task"] == sorted(
            (point.time for point in found if point.kind != "task"), reverse=True
        )
        for point in found:
            assert point.session_id
            assert point.kind in ("step", "task", "checkpoint")
            if stage in RUNNING:
                with pytest.raises(EntireError, match="middle of a turn"):
                    Workspace.find(root).points.rewind(RewindRequest(to=point.id))
                continue
            with Workspace.find(root).points.rewind(RewindRequest(to=point.id)) as planned:
                assert planned.view.point is not None
                assert planned.view.point.id == point.id


def test_a_step_of_the_go_cli_is_gone_back_to(tmp_path: Path) -> None:
    found = 0
    for stage in (stage for stage in golden.STAGES if stage not in RUNNING):
        for root in golden.repositories(golden.unpack(stage, tmp_path / stage.replace("/", "-"))):
            workspace = Workspace.find(root)
            for point in [point for point in workspace.points.listing(0) if point.kind == "step"][:1]:
                before = {
                    path: path.read_bytes() for path in root.rglob("*") if path.is_file() and ".git" not in path.parts
                }
                with workspace.points.rewind(RewindRequest(to=point.id)) as planned:
                    undo_id = planned.carry_out().undo_id
                if undo_id:  # nothing is done where all is as it was then
                    with workspace.undo.rewind() as planned:
                        planned.carry_out()
                after = {
                    path: path.read_bytes() for path in root.rglob("*") if path.is_file() and ".git" not in path.parts
                }
                changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
                assert {path for path in changed if ".entire" not in path.parts} == set()
                found += bool(undo_id)
    assert found, "no stage has a step: this test would test nothing"


def test_a_first_step_of_the_go_cli_shows_its_files(tmp_path: Path) -> None:
    shown = [
        point.files
        for stage in golden.STAGES
        for root in golden.repositories(golden.unpack(stage, tmp_path / stage.replace("/", "-")))
        for point in Workspace.find(root).points.listing(0)
        if point.kind == "step"
    ]
    assert ("hello.txt",) in shown
    assert ("src/parser.py", "tests/test_parser.py") in shown
