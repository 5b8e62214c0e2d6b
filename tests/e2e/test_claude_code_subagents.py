"""Stories with the real Claude Code: what its subagents do."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from repo import Checkpoint, joined
from script import Turn, answer, text, tool, turn
from stories import assert_quiet, assert_up_to, cost, lines, only, said, tokens
from table import BOTH

if TYPE_CHECKING:
    from conftest import World

pytestmark = [pytest.mark.e2e, BOTH]


def background_turns(world: World) -> tuple[Turn, Turn]:
    """Return a turn that hands work to a subagent in the background, and the subagent's, which takes its time."""
    arguments: dict[str, Any] = {
        "description": "Write a note",
        "prompt": "write the note",
        "subagent_type": "general-purpose",
        "run_in_background": True,
    }
    write = tool("Write", file_path=world.path("note.txt"), content="note\nmore\n")
    return (
        turn("delegate", answer(tool("Agent", **arguments), usage=cost(0)), answer(text("delegated"), usage=cost(1))),
        turn(
            "write the note",
            answer(write, usage=cost(2)),
            answer(text("note written"), usage=cost(3), delay=2.0),
        ),
    )


def assert_task(world: World, checkpoint: Checkpoint, session: str) -> None:
    """Assert that the subagent's task and its whole transcript are in the checkpoint."""
    started = next(e for e in world.claude.events("PreToolUse", session) if e["tool_name"] == "Agent")
    stopped = world.claude.events("SubagentStop", session)[-1]
    task, agent = started["tool_use_id"], stopped["agent_id"]
    record = json.loads(checkpoint.files[f"tasks/{task}/checkpoint.json"])
    assert (record["session_id"], record["tool_use_id"], record["agent_id"]) == (session, task, agent)
    stored = joined(checkpoint.files, f"tasks/{task}/agent-{agent}.jsonl")
    own = world.claude.transcript(session).parent / session / "subagents" / f"agent-{agent}.jsonl"
    assert own.read_bytes().startswith(stored)
    assert said(stored)[-1] == "note written"


def test_a_background_subagent_outlives_its_turn(world: World) -> None:
    world.enable()
    repo = world.repo
    world.server.script.add(
        *background_turns(world),
        turn(re.compile(r"^<task-notification>"), answer(text("noted"), usage=cost(4))),
    )
    with world.claude.terminal(repo.path) as terminal:
        terminal.turn("delegate")
        terminal.wait(lambda: world.claude.turns_ended(terminal.session) >= 2, "the end of the turn after the subagent")
        checkpoint = repo.linked(repo.commit("Add the note"))
        terminal.exit()
    session = only(checkpoint, terminal.session)
    assert session.metadata["files_touched"] == ["note.txt"]
    assert (session.tokens, session.subagent_tokens) == (tokens(0, 1, 4), tokens(2, 3))
    assert session.prompts == ["delegate"]
    assert lines(session) == (2, 0, 100)
    assert_up_to(world, terminal.session, session.transcript, "noted")
    assert_task(world, checkpoint, terminal.session)
    assert_quiet(repo)
