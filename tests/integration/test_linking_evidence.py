"""Whose lines a commit has that is linked by hand: what was known when it was made, however much came since."""

from __future__ import annotations

import pytest

from tests.integration.by_hand import Command, links_of, made_both, without_trailer
from tests.integration.expect import slot_of
from tests.integration.story import Session, Story


@pytest.fixture
def run(story: Story, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(story, capsys)


@pytest.fixture
def a(story: Story) -> Session:
    return made_both(story)


def test_a_later_turn_does_not_change_whose_lines_an_older_commit_has(story: Story, run: Command, a: Session) -> None:
    commit = without_trailer(story)
    with a.turn("Change all of it"):
        a.write("a.txt", "x1\nx2\n")
    later = story.commit("Change a")
    assert len(story.ids()) == 1
    run("link", commit, "--yes")
    slot = slot_of(story, a, commit)
    assert slot["initial_attribution"]["agent_lines"] == 3
    tokens = [slot_of(story, a, oid)["token_usage"]["input_tokens"] for oid in (commit, later)]
    assert sum(tokens) == 2**a.answers - 1  # every answer once
    assert story.checkpoint(links_of(story, commit)[0])["lineage"]["files"]["a.txt"]["added"][0][:2] == [1, 2]


def test_a_commit_without_session_content_is_linked_with_the_persons_lines(
    story: Story, run: Command, a: Session
) -> None:
    story.commit("Both")
    with a.turn("Only talk"):
        a.answer({"type": "text", "text": "Do it like this"})
    story.write("mine.txt", "m1\nm2\n")
    commit = story.commit("By hand")
    assert story.ids() == []
    run("link", commit, "--yes")
    slot = slot_of(story, a, commit)
    attribution = slot["initial_attribution"]
    assert (attribution["agent_lines"], attribution["human_added"], attribution["total_committed"]) == (0, 2, 2)
    assert slot["files_touched"] == []
    owners = story.linked(commit)["lineage"]["files"]["mine.txt"]["added"]
    assert owners == [[1, 2, "person"]]
