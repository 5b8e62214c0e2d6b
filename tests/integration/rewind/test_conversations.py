"""The conversations of a point: which sessions go back, and to where."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire import settings
from entire.directory import AgentDirectory
from entire.recording.context import Context
from entire.rewind import conversations
from entire.rewind.conversations import RewoundConversation
from entire.rewind.points import PointList
from entire.workspace import Workspace
from tests.integration.story import Session, Story


@pytest.fixture
def pair(story: Story, monkeypatch: pytest.MonkeyPatch) -> tuple[Session, Session]:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(story.projects))
    one, other = story.session(), story.session()
    for session, name in ((one, "one"), (other, "other")):
        session.start()
        with session.turn(f"Write {name}"):
            session.write(f"{name}.py", f"{name}\n")
    story.commit("Both")
    return one, other


def of(story: Story, name: str, session_id: str = "") -> dict[str, RewoundConversation]:
    context = Context(Workspace.find(story.root).place, settings.Settings(), AgentDirectory.without_plugins())
    try:
        points = PointList(context)
        return {one.session_id: one for one in conversations.of_point(context, points, points.named(name), session_id)}
    finally:
        context.close()


def test_a_checkpoint_has_all_its_sessions(story: Story, pair: tuple[Session, Session]) -> None:
    one, other = pair
    with one.turn("More"):
        pass
    found = of(story, "HEAD")
    assert {name: conversation.file.what for name, conversation in found.items()} == {
        one.id: "cut",
        other.id: "unchanged",
    }
    assert found[one.id].records == bytes(found[one.id].file.data).count(b"\n") > 0
    assert b"More" not in bytes(found[one.id].file.data)
    assert list(of(story, "HEAD", other.id)) == [other.id]


def test_a_step_has_its_own_session_alone(story: Story, pair: tuple[Session, Session]) -> None:
    found = [
        one for one in Workspace.find(story.root).points.listing() if one.kind == "step" and one.prompt == "Write other"
    ]
    step = found[0]
    assert list(of(story, step.id)) == [pair[1].id]


def test_a_turn_ends_where_it_ended_also_when_the_file_is_gone(story: Story, pair: tuple[Session, Session]) -> None:
    one, _ = pair
    with one.turn("Only talk"):
        pass
    before = one.file.read_bytes()
    with one.turn("Then work"):
        one.write("late.py", "late\n")
    turn = next(point for point in Workspace.find(story.root).points.listing() if point.kind == "turn")
    assert of(story, turn.id)[one.id].file.data == before
    Path(one.file).unlink()
    found = of(story, turn.id)[one.id]
    assert (found.file.what, bytes(found.file.data).splitlines()) == ("written", before.splitlines())


def test_an_agent_that_runs_is_told_to_be_closed(story: Story, pair: tuple[Session, Session]) -> None:
    context = Context(Workspace.find(story.root).place, settings.Settings(), AgentDirectory.without_plugins())
    try:
        points = PointList(context)
        shown = [
            conversations.view(context, one) for one in conversations.of_point(context, points, points.named("HEAD"))
        ]
    finally:
        context.close()
    assert {(one.agent, one.is_open, one.command) for one in shown} == {
        ("Claude Code", True, f"claude -r {session.id}") for session in pair
    }
