"""The library's front room: what a program asks of a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

import entire
from entire.errors import EntireError, NotARepositoryError
from entire.workspace import Workspace
from tests import golden

SESSION = "b1bddc73-1449-4282-9e10-c81014e45e9f"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return golden.unpack("manual/12-amend-with-open-step", tmp_path) / "demo"


def test_what_is_stored_is_found(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(top)
    workspace = entire.Workspace.find()
    assert workspace.place.top == str(top)
    assert len(workspace.sessions()) == 3
    newest = workspace.checkpoints(limit=1)[0]
    found = workspace.checkpoint(newest.id)
    assert found.id == newest.id
    assert workspace.transcript(found) == workspace.transcript(newest.id, found.parts[-1].session_id)
    assert workspace.transcript(found, found.parts[0].session_id) != workspace.transcript(found)
    assert workspace.transcript(found, "nobody") == b""
    assert Workspace.find(top / "src").place == workspace.place


def test_outside_of_a_work_tree(top: Path) -> None:
    for where in (top.parent, top / ".git"):
        with pytest.raises(NotARepositoryError):
            Workspace.find(where)


def test_lists_and_counts_agree(top: Path) -> None:
    workspace = Workspace.find(top)
    everything, total = workspace.listing(0)
    assert len(everything) == total == 7
    assert [one.id for one in workspace.checkpoints(3)] == [one.id for one in everything[:3]]
    stored = [one.id for one in everything if one.is_stored]
    assert sorted(stored) == workspace.checkpoint_ids() == sorted(workspace.sessions_by_checkpoint)
    mine = workspace.checkpoints(0, session_id=SESSION)
    assert [one.id for one in mine] == [one.id for one in everything if SESSION in one.session_ids]
    assert [one.oid for one in workspace.linked_commits()] == [one.commits[0].oid for one in everything]


def test_names_of_sessions(top: Path) -> None:
    workspace = Workspace.find(top)
    assert workspace.session_id("b1b") == workspace.session_id(SESSION) == SESSION
    with pytest.raises(EntireError, match="session not found: nobody"):
        workspace.session_id("nobody")
    with pytest.raises(EntireError, match="several sessions"):
        workspace.session_id("2")
    for path in (top / ".git/entire-sessions").iterdir():
        path.unlink()
    assert Workspace.find(top).session_id("b1b") == SESSION  # the checkpoints know it too


def test_the_prompts_of_a_part_have_their_places(top: Path) -> None:
    (part,) = Workspace.find(top).checkpoint("c58db9bba54a").parts
    assert [prompt.text for prompt in part.prompts][-1] == "two commits in one turn"
    positions = [prompt.position for prompt in part.prompts]
    assert positions == sorted(positions)
    assert all(position >= part.start for position in positions)


def test_a_conversation_is_what_the_transcript_says(top: Path) -> None:
    workspace = Workspace.find(top)
    found = workspace.checkpoint("c58db9bba54a")
    (part,) = found.parts
    whole = workspace.conversation(found, part.session_id)
    assert {one.who for one in whole} == {"user", "agent", "tool"}
    assert all(one.name for one in whole if one.who == "tool")
    assert workspace.conversation(found.id, part.session_id, part.start) == [
        one for one in whole if one.at >= part.start
    ]
    assert [one.text for one in whole if one.who == "user" and one.at >= part.start][-1] == part.prompts[-1].text
    assert workspace.conversation(found, "nobody") == []


def test_a_commit_is_explained(top: Path) -> None:
    workspace = Workspace.find(top)
    (linked, *_) = workspace.linked_commits()
    found = workspace.explain(linked.oid[:10])
    assert found.commit == linked
    assert [*found.missing, *(one.id for one in found.checkpoints)] == [*linked.foreign_ids, *linked.checkpoint_ids]
    assert found.reason is None
    with pytest.raises(EntireError, match="commit not found: nowhere"):
        workspace.explain("nowhere")


def test_a_name_that_means_nothing(top: Path) -> None:
    workspace = Workspace.find(top)
    assert workspace.target("b1b").kind == "session"
    with pytest.raises(EntireError, match="commit or checkpoint not found: fffffff"):
        workspace.target("fffffff")
    for name in ("nonsense", ""):
        with pytest.raises(EntireError, match="is no commit, checkpoint or session here"):
            workspace.target(name)
