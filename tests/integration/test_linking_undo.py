"""``entire link --undo`` and ``entire unlink --undo``: exactly, or only their own entries."""

from __future__ import annotations

import pytest

from tests.integration.by_hand import Command, links_of, made_both, without_trailer
from tests.integration.expect import slot_of
from tests.integration.story import Session, Story
from tests.integration.test_unseen_commits import state_of


@pytest.fixture
def run(story: Story, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(story, capsys)


@pytest.fixture
def a(story: Story) -> Session:
    return made_both(story)


def test_undo_restores_everything(story: Story, run: Command, a: Session) -> None:
    commit = without_trailer(story)
    before = {name: data for name, data in state_of(story).items() if _is_state(name)}
    refs = story.git("for-each-ref")
    run("link", "HEAD", "--yes")
    assert links_of(story) != []
    said = run("link", "--undo")
    assert said == f"Commit {commit[:7]} is not linked any more.\n"
    assert story.git("for-each-ref") == refs
    after = {name: data for name, data in state_of(story).items() if _is_state(name)}
    assert after.keys() == before.keys()
    assert {name for name in after if after[name] != before[name]} <= {_journal(before)}
    assert story.reasons() == {commit: "its trailer was removed by hand"}
    run("link", "--undo", status=1)
    run("link", "HEAD", "--yes")
    assert slot_of(story, a)["token_usage"]["input_tokens"] == 2**a.answers - 1


def _is_state(name: str) -> bool:
    return "/entire/sessions/" in name or "/entire-sessions/" in name or name.endswith("/entire/journal.json")


def _journal(names: dict[str, bytes]) -> str:
    return next(name for name in names if name.endswith("journal.json"))


def test_undo_after_more_was_written_takes_back_only_the_link(story: Story, run: Command, a: Session) -> None:
    commit = without_trailer(story)
    run("link", "HEAD", "--yes")
    (checkpoint_id,) = links_of(story)
    with a.turn("More"):
        a.write("c.txt", "c1\n")
    later = story.commit("Add c")
    said = run("link", "--undo")
    assert "only" not in said
    assert "the checkpoints themselves stay" in said
    assert links_of(story, commit) == []
    assert links_of(story, later) == story.ids(later) != []
    assert story.checkpoint(checkpoint_id)["slots"].keys() == {a.id}
