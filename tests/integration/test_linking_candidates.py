"""Which session a commit is linked to by hand, if nobody says so."""

from __future__ import annotations

import pytest

from tests.integration.by_hand import Command, links_of, made_both
from tests.integration.story import Session, Story


@pytest.fixture
def run(story: Story, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(story, capsys)


@pytest.fixture
def a(story: Story) -> Session:
    return made_both(story)


def test_several_sessions_as_likely_are_listed_and_one_is_chosen(story: Story, run: Command, a: Session) -> None:
    b = story.started()
    with b.turn("Talk"):
        b.answer({"type": "text", "text": "Hello"})
    story.commit("Both")
    story.write("mine.txt", "m\n")
    commit = story.commit("By hand")
    run("link", commit, "--yes", status=1)
    assert a.id in run.err
    assert b.id in run.err
    assert "--session ID" in run.err
    assert links_of(story) == []
    run("link", commit, "--yes", "--session", b.id[:8])
    assert list(story.linked(commit)["slots"]) == [b.id]


def test_a_commit_that_nobody_recorded_says_so(story: Story, run: Command) -> None:
    run("link", "HEAD", "--yes", status=1)
    assert "no session is recorded" in run.err
    run("link", "nowhere", "--yes", status=1)
    assert "commit not found: nowhere" in run.err
    run("link", "HEAD", "--yes", "--session", "abc", status=1)
    assert "session not found: abc" in run.err
    run("link", "HEAD", "--yes", "--checkpoint", "abc", status=1)
    assert "checkpoint not found: abc" in run.err
    run("link", "HEAD", "--session", "a", "--checkpoint", "b", status=2)
    run("link", status=2)
    run("link", "HEAD", "--undo", status=2)
    run("link", "--undo", status=1)
    assert "no `entire link` to undo" in run.err
