"""The library's front room: what a program asks of a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

import entire
from entire.errors import EntireError, NotARepositoryError
from entire.model.requests import DisableRequest
from entire.workspace import Workspace
from entire.workspace.candidates import Candidates
from entire.workspace.checkpoints import Checkpoints
from entire.workspace.history import History
from entire.workspace.links import Links
from entire.workspace.maintenance import Maintenance
from entire.workspace.opened import Subject
from entire.workspace.origins import Origins
from entire.workspace.points import Points
from entire.workspace.secrets import Secrets
from entire.workspace.sessions import Sessions
from entire.workspace.setup import Setup
from entire.workspace.undo import Undo
from tests import golden

SESSION = "b1bddc73-1449-4282-9e10-c81014e45e9f"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return golden.unpack("manual/12-amend-with-open-step", tmp_path) / "demo"


def test_what_is_stored_is_found(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(top)
    workspace = entire.Workspace.find()
    assert workspace.place.top == str(top)
    assert len(workspace.sessions.listing()) == 3
    newest = workspace.checkpoints.listing(limit=1)[0]
    found = workspace.checkpoints.find(newest.id)
    assert found.id == newest.id
    assert workspace.checkpoints.transcript(found) == workspace.checkpoints.transcript(
        newest.id, found.parts[-1].session_id
    )
    assert workspace.checkpoints.transcript(found, found.parts[0].session_id) != workspace.checkpoints.transcript(found)
    assert workspace.checkpoints.transcript(found, "nobody") == b""
    assert Workspace.find(top / "src").place == workspace.place


def test_outside_of_a_work_tree(top: Path) -> None:
    for where in (top.parent, top / ".git"):
        with pytest.raises(NotARepositoryError):
            Workspace.find(where)


def test_names_of_sessions(top: Path) -> None:
    workspace = Workspace.find(top)
    assert workspace.sessions.find_id("b1b") == workspace.sessions.find_id(SESSION) == SESSION
    with pytest.raises(EntireError, match="session not found: nobody"):
        workspace.sessions.find_id("nobody")
    with pytest.raises(EntireError, match="several sessions"):
        workspace.sessions.find_id("2")
    for path in (top / ".git/entire-sessions").iterdir():
        path.unlink()
    assert Workspace.find(top).sessions.find_id("b1b") == SESSION  # the checkpoints know it too


def test_a_name_that_means_nothing(top: Path) -> None:
    workspace = Workspace.find(top)
    assert workspace.history.target("b1b").kind == "session"
    with pytest.raises(EntireError, match="commit or checkpoint not found: fffffff"):
        workspace.history.target("fffffff")
    for name in ("nonsense", ""):
        with pytest.raises(EntireError, match="no commit, checkpoint or session here is named"):
            workspace.history.target(name)


SUBJECTS = (Checkpoints, History, Links, Maintenance, Origins, Points, Secrets, Sessions, Setup, Undo)


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.__name__.lower())
def test_each_subject_is_handed_out_and_shares_what_is_open(top: Path, subject: type[Subject]) -> None:
    workspace = Workspace.find(top)
    found = getattr(workspace, subject.__name__.lower())
    assert type(found) is subject
    assert found._opened is workspace._opened


def test_what_one_subject_changes_all_others_see(top: Path) -> None:
    workspace = Workspace.find(top)
    assert workspace.maintenance.status().enabled
    workspace.setup.disable(DisableRequest())
    assert not workspace.maintenance.status().enabled
    assert workspace.settings is not None
    assert not workspace.settings.enabled


def test_the_points_that_a_shell_completes(top: Path) -> None:
    names = [candidate.name for candidate in Candidates.find(top).of(["point"])]
    assert names == [point.id for point in Workspace.find(top).points.listing(50)]
    assert names
