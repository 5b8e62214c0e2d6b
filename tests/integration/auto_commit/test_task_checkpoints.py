"""A subagent's own commit, which auto-commit makes: its checkpoint names the task, in message and record."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.integration.kept import answers, sole, tokens
from tests.integration.story import Session, Story

TASK = "toolu_0a1b2c3d4e5f6"
GIVEN = {"description": "Write a <note>", "prompt": "Write it", "subagent_type": "general-purpose"}
SUBJECT = "Completed 'general-purpose' agent: Write a <note> (toolu_0a1b2c)"


def choose(story: Story, strategy: str) -> None:
    assert story.entire("enable", "--agent", "claude-code", "--strategy", strategy) == 0


@pytest.fixture
def session(story: Story) -> Session:
    choose(story, "auto-commit")
    return story.started()


def delegate(session: Session) -> None:
    """Let a subagent write a file."""
    session.hook("pre-task", tool_name="Agent", tool_use_id=TASK, tool_input=GIVEN)
    session.write("note.txt", "note\n")  # answer 0
    result = {"status": "completed", "agentId": "a1", "agentType": "general-purpose", "content": []}
    session.hook("post-task", tool_name="Agent", tool_use_id=TASK, tool_input=GIVEN, tool_response=result)


def is_a_tasks(record: dict[str, Any]) -> tuple[object, object]:
    return record.get("is_task"), record.get("tool_use_id")


def test_the_commit_of_a_task(story: Story, session: Session) -> None:
    head = story.head()
    session.prompt("Use a helper")
    delegate(session)
    assert story.git("log", "--format=%s", f"{head}..").splitlines() == [SUBJECT]
    (checkpoint_id,) = story.ids()
    assert story.git("cat-file", "commit", "entire/checkpoints/v1").partition("\n\n")[2] == (
        f"Checkpoint: {checkpoint_id}\n\n{SUBJECT}\n\nEntire-Session: {session.id}\nEntire-Strategy: auto-commit\n"
        f"Entire-Agent: Claude Code\nEntire-Metadata-Task: {checkpoint_id.path}/tasks/{TASK}\n"
    )
    record = sole(story, session, ["note.txt"])
    assert is_a_tasks(record) == (True, TASK)
    assert list(record)[list(record).index("turn_id") + 1 :][:2] == ["is_task", "tool_use_id"]
    told = json.loads(story.show(f"{checkpoint_id.path}/tasks/{TASK}/checkpoint.json"))
    assert (told["tool_use_id"], told["agent_id"]) == (TASK, "a1")
    assert story.log_errors() == []


def test_it_stays_the_tasks_when_the_turn_ends_and_goes_on(story: Story, session: Session) -> None:
    session.prompt("Use a helper")
    delegate(session)
    task = story.head()
    session.write("more.txt", "more\n")  # answer 1
    session.stop()  # 2; finalises the task's checkpoint
    assert is_a_tasks(sole(story, session, ["note.txt"], task)) == (True, TASK)
    turn = sole(story, session, ["more.txt"])
    assert is_a_tasks(turn) == (None, None)
    assert story.git("log", "-1", "--format=%s").strip() == "Use a helper"
    first = sole(story, session, ["note.txt"], task)
    assert tuple(map(sum, zip(tokens(first), tokens(turn), strict=True))) == answers(0, 1, 2)
    assert (
        story.git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1").count(f"tasks/{TASK}/checkpoint.json") == 1
    )


def test_an_amended_commit_of_a_task_stays_one(story: Story, session: Session) -> None:
    with session.turn("Use a helper"):
        delegate(session)
    choose(story, "manual-commit")
    with session.turn("More"):
        session.write("more.txt", "more\n")
    story.commit("Note", "--amend")
    assert is_a_tasks(sole(story, session, ["more.txt", "note.txt"])) == (True, TASK)


def test_a_persons_commit_of_what_a_task_did_is_not_the_tasks(story: Story, session: Session) -> None:
    choose(story, "manual-commit")
    with session.turn("Use a helper"):
        delegate(session)
    story.commit("Note")
    assert is_a_tasks(sole(story, session, ["note.txt"])) == (None, None)
