"""Checkpoints as a workspace shows them: in lists, one by one, by commit, and what was said."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.errors import EntireError
from entire.workspace import Workspace
from tests import golden

SESSION = "b1bddc73-1449-4282-9e10-c81014e45e9f"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return golden.unpack("manual/12-amend-with-open-step", tmp_path) / "demo"


def test_lists_and_counts_agree(top: Path) -> None:
    workspace = Workspace.find(top)
    everything, total = workspace.checkpoints.page(0)
    assert len(everything) == total == 7
    assert [one.id for one in workspace.checkpoints.listing(3)] == [one.id for one in everything[:3]]
    stored = [one.id for one in everything if one.is_stored]
    assert sorted(stored) == workspace.checkpoints.ids() == sorted(workspace.checkpoints.sessions_by_checkpoint)
    mine = workspace.checkpoints.listing(0, session_id=SESSION)
    assert [one.id for one in mine] == [one.id for one in everything if SESSION in one.session_ids]
    assert [one.oid for one in workspace.history.linked_commits()] == [one.commits[0].oid for one in everything]


def test_the_prompts_of_a_part_have_their_places(top: Path) -> None:
    (part,) = Workspace.find(top).checkpoints.find("c58db9bba54a").parts
    assert [prompt.text for prompt in part.prompts][-1] == "two commits in one turn"
    positions = [prompt.position for prompt in part.prompts]
    assert positions == sorted(positions)
    assert all(position >= part.start for position in positions)


def test_a_conversation_is_what_the_transcript_says(top: Path) -> None:
    workspace = Workspace.find(top)
    found = workspace.checkpoints.find("c58db9bba54a")
    (part,) = found.parts
    whole = workspace.checkpoints.conversation(found, part.session_id)
    assert {one.who for one in whole} == {"user", "agent", "tool"}
    assert all(one.name for one in whole if one.who == "tool")
    assert workspace.checkpoints.conversation(found.id, part.session_id, part.start) == [
        one for one in whole if one.at >= part.start
    ]
    assert [one.text for one in whole if one.who == "user" and one.at >= part.start][-1] == part.prompts[-1].text
    assert workspace.checkpoints.conversation(found, "nobody") == []


def test_a_commit_is_explained(top: Path) -> None:
    workspace = Workspace.find(top)
    (linked, *_) = workspace.history.linked_commits()
    found = workspace.history.explain(linked.oid[:10])
    assert found.commit == linked
    assert [*found.missing, *(one.id for one in found.checkpoints)] == [*linked.foreign_ids, *linked.checkpoint_ids]
    assert found.reason is None
    with pytest.raises(EntireError, match="commit not found: nowhere"):
        workspace.history.explain("nowhere")
