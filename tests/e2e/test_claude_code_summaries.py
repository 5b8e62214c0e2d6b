"""Claude Code's own program writes the summaries of a checkpoint, when a person asks for them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from script import answer, fault, text, turn
from stories import assert_quiet, cost, writing
from table import BOTH

if TYPE_CHECKING:
    from conftest import World

pytestmark = pytest.mark.e2e

SUMMARY = {
    "intent": "Greet people",
    "outcome": "hello.py says hi",
    "learnings": {"repo": ["It is small"], "code": [], "workflow": []},
    "friction": [],
    "open_items": ["Tests"],
}
ASKED = re.compile("Summarize a session between a person and a coding agent")


def recorded(world: World) -> list[str]:
    """Return the sessions that Entire knows, and those that the agent keeps."""
    states = world.repo.path.glob(".git/entire-sessions/*.json")
    transcripts = (world.claude.home / ".claude" / "projects").rglob("*.jsonl")
    return sorted(path.stem for path in [*states, *transcripts])


def generate(world: World, *options: str) -> str:
    """Let a person ask, in the environment that has the agent's key and the scripted server."""
    repo, program = world.repo, world.claude.program
    (world.folder / "bin").mkdir(exist_ok=True)
    link = world.folder / "bin" / "claude"
    if not link.exists():
        link.symlink_to(program)
    person, repo.environment = repo.environment, {**repo.environment, **world.claude.environment}
    try:
        return repo.run("entire", "explain", "--generate", "--json", *options)
    finally:
        repo.environment = person


@BOTH
def test_the_summary_arrives_and_its_run_is_no_session(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    world.server.script.add(writing(world, "add hello", "hello.py", "hi\n", 0))
    session = claude.headless("add hello", repo.path).session
    commit = repo.commit("Add hello")
    checkpoint = repo.linked(commit)
    before = recorded(world), len(claude.events()), repo.git("status", "--porcelain"), repo.git("rev-parse", "HEAD")

    world.server.script.add(turn(ASKED, answer(text(json.dumps(SUMMARY)), usage=cost(5))))
    shown = json.loads(generate(world, "--commit", "HEAD"))
    (part,) = shown["checkpoints"][0]["parts"]
    assert (part["session_id"], part["summary"]["intent"]) == (session, "Greet people")
    metadata = json.loads(
        repo.git("show", f"entire/checkpoints/v1:{checkpoint.id[:2]}/{checkpoint.id[2:]}/0/metadata.json")
    )
    assert metadata["summary"] == SUMMARY

    after = recorded(world), len(claude.events()), repo.git("status", "--porcelain"), repo.git("rev-parse", "HEAD")
    assert after == before, "no session, no hook, nothing of the user's changed"
    (asked,) = (exchange for exchange in world.server.exchanges if exchange.turn and exchange.turn.prompt is ASKED)
    assert asked.request.tools == ()
    (question,) = (words for message in asked.request.conversation for words in message.texts)
    assert "add hello" in question
    assert_quiet(repo)


def test_the_model_is_the_one_named(world: World) -> None:
    world.enable()
    world.server.script.add(writing(world, "add hello", "hello.py", "hi\n", 0))
    world.claude.headless("add hello", world.repo.path)
    world.repo.commit("Add hello")
    world.server.script.add(turn(ASKED, answer(text("It greets."), usage=cost(5))))
    generate(world, "--model", "claude-haiku-4-5", "HEAD")
    asked = [exchange for exchange in world.server.exchanges if exchange.turn and exchange.turn.prompt is ASKED]
    assert [exchange.request.model for exchange in asked] == ["claude-haiku-4-5"]


def test_an_error_of_the_api_changes_nothing(world: World) -> None:
    world.enable()
    repo = world.repo
    world.server.script.add(writing(world, "add hello", "hello.py", "hi\n", 0))
    world.claude.headless("add hello", repo.path)
    repo.commit("Add hello")
    tip = repo.git("rev-parse", "entire/checkpoints/v1")
    world.server.script.add(turn(ASKED, fault(400, "invalid_request_error", "the model is asleep")))
    with pytest.raises(AssertionError, match=r"the model is asleep.*nothing was changed"):
        generate(world, "HEAD")
    assert repo.git("rev-parse", "entire/checkpoints/v1") == tip
