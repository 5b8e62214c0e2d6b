"""Where a session is read: the agent's own transcript, a step, a checkpoint."""

from __future__ import annotations

import pytest

from tests.integration.shown import Shown, begun, show
from tests.integration.story import Session, Story

__all__ = ["show"]


@pytest.fixture
def session(story: Story) -> Session:
    return begun(story)


def test_a_session_whose_transcript_the_agent_has_deleted(story: Story, session: Session, show: Shown) -> None:
    session.stop()
    session.file.unlink()
    (part,) = show.json(session.id, "--full")["conversations"]
    assert part["source"] == "step"
    assert [message["text"] for message in part["messages"] if message["who"] == "user"] == [
        "Add a greeting", "Say hello", "And now the rest",
    ]  # fmt: skip
    story.commit("Rest")
    session.end()
    (part,) = show.json(session.id, "--full")["conversations"]
    assert (part["source"], part["checkpoint_id"]) == ("checkpoint", story.ids()[0])


def test_what_a_running_session_says_is_redacted(session: Session, show: Shown) -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" + "K1l2M3n4O5p6Q7r8"
    with session.shell("cat token") as output:
        output.append(secret)
    for form in ((), ("--full",), ("--full", "--json")):
        assert secret not in show(session.id, *form)
        assert secret not in show("--uncommitted", *form)
