"""Which commits a rewind takes back: those of sessions that were made on top of the point."""

from __future__ import annotations

import contextlib

import pytest

from entire import settings
from entire.directory import AgentDirectory
from entire.recording.context import Context
from entire.rewind import commits_since
from entire.rewind.commits_since import CommitsSince
from entire.workspace import Workspace
from tests.integration.story import Session, Story


@pytest.fixture
def session(story: Story) -> Session:
    return story.started()


def turn(story: Story, session: Session, name: str) -> str:
    with session.turn(name):
        session.write(f"{name}.txt", f"{name}\n")
    return story.commit(name)


def since(story: Story, point: str) -> CommitsSince:
    context = Context(Workspace.find(story.root).place, settings.Settings(), AgentDirectory.without_plugins())
    with contextlib.closing(context):
        return commits_since.of_sessions(context, story.head(), point)


def test_a_point_that_a_merge_brought(story: Story, session: Session) -> None:
    """What was made on top of it is taken back; what the branch had beside it is not."""
    story.git("checkout", "-q", "-b", "feature")
    point = turn(story, session, "one")
    on_top = turn(story, session, "two")
    story.git("checkout", "-q", "main")
    turn(story, session, "beside")
    story.git("merge", "-q", "--no-edit", "feature")
    after = turn(story, session, "after")
    found = since(story, point)
    assert [commit.oid for commit in found.commits] == [after, on_top]
    assert found.paths == {"two.txt", "after.txt"}


def test_a_commit_that_was_taken_back_already(story: Story, session: Session) -> None:
    point = turn(story, session, "one")
    taken = turn(story, session, "two")
    story.git("revert", "--no-edit", taken)
    found = since(story, point)
    assert (found.commits, found.changes) == ((), ())
