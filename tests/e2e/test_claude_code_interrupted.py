"""Stories with the real Claude Code: turns that do not come to their end."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from repo import Checkpoint
from script import Turn, answer, fault, text, tool, turn
from stories import assert_quiet, assert_up_to, cost, lines, only, prompt_line, shell, tokens, writing

if TYPE_CHECKING:
    from conftest import World

pytestmark = pytest.mark.e2e


def interrupted_turn(world: World, command: str) -> Turn:
    """Return a turn that writes a file and then waits in the shell."""
    write = tool("Write", file_path=world.path("a.txt"), content="a\na\n")
    return turn("work long", answer(write, usage=cost(0)), shell(command, 1), answer(text("never said"), usage=cost(2)))


def assert_interrupted(world: World, session: str, opened: Checkpoint) -> None:
    """Assert what a commit after an interrupted and a finished turn holds."""
    kept = only(opened, session)
    assert kept.metadata["files_touched"] == ["a.txt", "b.txt"]
    assert kept.prompts == ["work long", "go on"]
    assert (kept.start, kept.tokens) == (0, tokens(0, 1, 3, 4))
    assert lines(kept) == (3, 0, 100)
    assert_up_to(world, session, kept.transcript, "go on: done")
    assert_quiet(world.repo)


def test_a_turn_interrupted_with_escape_is_not_lost(world: World) -> None:
    world.enable()
    reached, _, wait = world.gate("hold")
    world.server.script.add(interrupted_turn(world, wait), writing(world, "go on", "b.txt", "b\n", 3))
    with world.claude.terminal(world.repo.path) as terminal:
        terminal.prompt("work long")
        terminal.wait(reached.exists, "the shell command")
        terminal.interrupt()
        terminal.turn("go on")
        checkpoint = world.repo.linked(world.repo.commit("Add both"))
        terminal.exit()
    assert_interrupted(world, terminal.session, checkpoint)


def test_a_commit_right_after_an_interrupt_is_linked(world: World) -> None:
    world.enable()
    repo = world.repo
    reached, _, wait = world.gate("hold")
    world.server.script.add(interrupted_turn(world, wait), writing(world, "go on", "b.txt", "b\n", 3))
    with world.claude.terminal(repo.path) as terminal:
        terminal.prompt("work long")
        terminal.wait(reached.exists, "the shell command")
        terminal.interrupt()
        checkpoint = repo.linked(repo.commit("Add a"))
        assert only(checkpoint, terminal.session).metadata["files_touched"] == ["a.txt"]
        terminal.turn("go on")
        two = only(repo.linked(repo.commit("Add b")), terminal.session)
        terminal.exit()
    final = only(repo.checkpoint(checkpoint.id), terminal.session)
    assert (final.start, final.tokens, final.prompts[0]) == (0, tokens(0, 1), "work long")
    assert lines(final) == (2, 0, 100)
    assert (two.metadata["files_touched"], two.tokens) == (["b.txt"], tokens(3, 4))
    assert two.start == prompt_line(world, terminal.session, "go on")
    assert_quiet(repo)


@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda s: s.name)
def test_a_killed_turn_is_saved_when_the_session_goes_on(world: World, signal_: signal.Signals) -> None:
    world.enable()
    reached, _, wait = world.gate("hold")
    world.server.script.add(interrupted_turn(world, wait), writing(world, "go on", "b.txt", "b\n", 3))
    with world.claude.start("work long", world.repo.path) as running:
        session = running.session
        world.wait(reached.exists, "the shell command")
        world.wait(lambda: "hold.reached" in str(world.claude.records(session)), "the record of the command")
        running.send(signal_)
    assert world.claude.events("Stop", session) == []
    world.claude.headless("go on", world.repo.path, resume=session)
    assert_interrupted(world, session, world.repo.linked(world.repo.commit("Add both")))


def test_what_a_killed_answer_did_before_it_was_written_down_is_the_agents(world: World) -> None:
    world.enable()
    repo = world.repo
    reached, _, wait = world.gate("hold")
    write = tool("Write", file_path=world.path("a.txt"), content="a\na\n")
    slow = answer(write, tool("Bash", command=wait), text("never said"), usage=cost(0), pace=1.0)
    world.server.script.add(turn("work long", slow), writing(world, "go on", "b.txt", "b\n", 1))
    with world.claude.start("work long", repo.path) as running:
        session = running.session
        world.wait(reached.exists, "the shell command")
        running.send(signal.SIGKILL)
    assert "a.txt" not in str(world.claude.records(session))
    world.claude.headless("go on", repo.path, resume=session)
    kept = only(repo.linked(repo.commit("Add both")), session)
    assert (kept.metadata["files_touched"], kept.start) == (["a.txt", "b.txt"], 0)
    assert (kept.tokens, lines(kept)) == (tokens(1, 2), (3, 0, 100))  # an answer that was never written has no tokens
    assert_quiet(repo)


def test_a_turn_that_ends_in_an_api_error_is_not_lost(world: World) -> None:
    world.enable()
    repo = world.repo
    write = tool("Write", file_path=world.path("a.txt"), content="a\n")
    world.server.script.add(
        turn("write a", answer(write, usage=cost(0)), fault(400, "invalid_request_error", "the model is out")),
    )
    run = world.claude.headless("write a", repo.path)
    assert run.result["is_error"] is True
    session = only(repo.linked(repo.commit("Add a")), run.session)
    assert (session.metadata["files_touched"], session.tokens, session.start) == (["a.txt"], tokens(0), 0)
    assert lines(session) == (1, 0, 100)
    assert "the model is out" in session.transcript.decode()
    assert_quiet(repo)
