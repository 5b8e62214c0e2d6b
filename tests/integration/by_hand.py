"""Commits that are linked and unlinked by hand: the two commands, and what readers are told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from entire.workspace import Workspace
from tests.integration.story import Session, Story


class Command:
    """The two commands, and what they say."""

    def __init__(self, story: Story, capsys: pytest.CaptureFixture[str]) -> None:
        self.story = story
        self.capsys = capsys
        self.err = ""

    def __call__(self, *args: str, status: int = 0) -> str:
        self.capsys.readouterr()
        assert self.story.entire(*args) == status, self.capsys.readouterr()
        out, self.err = self.capsys.readouterr()
        return out

    def json(self, *args: str) -> Any:
        return json.loads(self(*args, "--json"))


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
    return list(Workspace.find(story.root).commit(commit).checkpoint_ids)
