"""Commits that are linked and unlinked by hand, and what readers are told."""

from __future__ import annotations

import pytest

from entire.workspace import Workspace
from tests.integration.commandline import Command
from tests.integration.story import Session, Story


@pytest.fixture
def run(story: Story, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(story, capsys)


@pytest.fixture
def a(story: Story) -> Session:
    return made_both(story)


def made_both(story: Story) -> Session:
    """Return a session that made a.txt and b.txt."""
    session = story.started()
    with session.turn("Make a and b"):
        session.write("a.txt", "a1\na2\n")
        session.write("b.txt", "b1\n")
    return session


def without_trailer(story: Story, message: str = "Add both") -> str:
    """Commit in an editor in which the person removes the trailer."""
    story.git("add", "-A")
    story.git("commit", "-q", "-e", "-m", message, env={"GIT_EDITOR": "sed -i /Entire-Checkpoint/d"})
    assert story.ids() == []
    return story.head()


def links_of(story: Story, commit: str = "HEAD") -> list[str]:
    """Return what every reader is told: the checkpoints of a commit."""
    return list(Workspace.find(story.root).history.commit(commit).checkpoint_ids)
