"""Stories with the real Claude Code on a terminal: what people do while it works, and afterwards."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from claude import NewestClaude
from script import answer, text, turn
from stories import assert_quiet, cost, dialogue, lines, only, shell, tokens, writing
from table import BOTH

if TYPE_CHECKING:
    from conftest import World

pytestmark = pytest.mark.e2e


def askers(world: World, name: str) -> list[str]:
    """Return the prompt of each line of a file, as `entire why` tells it."""
    (file,) = json.loads(world.repo.run("entire", "why", name, "--json"))["files"]
    ranges = file["ranges"]
    return [found["origin"]["prompt"] for found in ranges for _ in range(found["first"], found["last"] + 1)]


def shown(world: World, checkpoint: str) -> list[str]:
    """Return the prompts of a checkpoint's conversation, as `entire show` tells it."""
    (found,) = json.loads(world.repo.run("entire", "show", checkpoint, "--json"))["checkpoints"]
    (part,) = found["parts"]
    return [prompt["text"] for prompt in part["prompts"]]


@pytest.mark.parametrize("world", [NewestClaude], indirect=True, ids=["newest"])
def test_a_helper_in_the_background_works_for_the_prompt_that_started_it(world: World) -> None:
    """It does so without being asked to, and goes on while the person gives another prompt."""
    world.enable()
    repo, claude = world.repo, world.claude
    reached, opened, wait = world.gate("hold")
    world.server.script.add(
        turn("delegate", answer(claude.helper("write the note"), usage=cost(0)), answer(text("ok"), usage=cost(1))),
        turn(
            "write the note",
            shell(wait, 2),
            answer(claude.write(world.path("note.txt"), "note\nmore\n"), usage=cost(3)),
            answer(text("note written"), usage=cost(4)),
        ),
        writing(world, "meanwhile", "b.txt", "b\n", 5),
        turn(re.compile(r"^<task-notification>"), answer(text("noted"), usage=cost(7))),
    )
    with claude.terminal(repo.path) as terminal:
        terminal.turn("delegate")
        terminal.wait(reached.exists, "the helper to work")
        terminal.turn("meanwhile")
        opened.touch()
        terminal.wait(lambda: claude.turns_ended(terminal.session) >= 3, "the end of the turn after the helper's")
        checkpoint = repo.linked(repo.commit("Add both"))
        terminal.exit()
    kept = only(checkpoint, terminal.session)
    assert kept.metadata["files_touched"] == ["b.txt", "note.txt"]
    assert (kept.prompts, lines(kept)) == (["delegate", "meanwhile"], (3, 0, 100))
    assert (kept.tokens, kept.subagent_tokens) == (tokens(0, 1, 5, 6, 7), tokens(2, 3, 4))
    assert askers(world, "note.txt") == ["delegate", "delegate"]
    assert askers(world, "b.txt") == ["meanwhile"]
    assert_quiet(repo)


@BOTH
def test_a_prompt_typed_while_a_tool_runs_is_one_of_the_turn(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    reached, opened, wait = world.gate("hold")
    world.server.script.add(
        turn(
            "work long",
            shell(wait, 0),
            answer(claude.write(world.path("a.txt"), "a\n"), usage=cost(1)),
            answer(text("worked"), usage=cost(2)),
        ),
    )
    with claude.terminal(repo.path) as terminal:
        terminal.prompt("work long")
        terminal.wait(reached.exists, "the shell command")
        terminal.submit("and be quick")
        terminal.wait(lambda: "and be quick" in claude.transcript(terminal.session).read_text(), "the prompt")
        opened.touch()
        terminal.wait(lambda: claude.turns_ended(terminal.session) >= 1, "the end of the turn")
        terminal.exit()
    kept = only(repo.linked(repo.commit("Add a")), terminal.session)
    assert kept.prompts == ["work long", "and be quick"]
    assert (kept.metadata["files_touched"], kept.tokens) == (["a.txt"], tokens(0, 1, 2))
    assert_quiet(repo)


@BOTH
def test_a_prompt_typed_while_the_model_answers_is_a_turn_of_its_own(world: World) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    world.server.script.add(
        turn("think", answer(text("thought"), usage=cost(0), delay=3.0)),
        writing(world, "write b", "b.txt", "b\n", 1),
    )
    with claude.terminal(repo.path) as terminal:
        terminal.prompt("think")
        terminal.submit("write b")
        terminal.wait(lambda: claude.turns_ended(terminal.session) >= 2, "the end of the second turn")
        terminal.exit()
    assert [(p["kind"], p["prompt"]) for p in repo.points()] == [("step", "write b"), ("turn", "think")]
    kept = only(repo.linked(repo.commit("Add b")), terminal.session)
    assert (kept.prompts, kept.tokens) == (["think", "write b"], tokens(0, 1, 2))
    assert askers(world, "b.txt") == ["write b"]
    assert_quiet(repo)


@BOTH
@pytest.mark.parametrize("first", [False, True])
def test_what_its_own_rewind_took_back_is_not_told(world: World, first: bool) -> None:
    world.enable()
    repo, claude = world.repo, world.claude
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        writing(world, "write b", "b.txt", "b\n", 2),
        writing(world, "write c", "c.txt", "c\n", 4),
    )
    with claude.terminal(repo.path) as terminal:
        terminal.turn("write a")
        terminal.turn("write b")
        gone = repo.path / ("a.txt" if first else "b.txt")
        terminal.rewind(2 if first else 1, lambda: not gone.exists())
        terminal.turn("write c")
        terminal.exit()
    history = ["> write c"] if first else ["> write a", "I write it.", "write a: done", "> write c"]
    assert dialogue(world.server.last("write c"))[: len(history)] == history
    checkpoint = repo.linked(repo.commit("Add what is there"))
    only(checkpoint, terminal.session)
    assert shown(world, checkpoint.id) == (["write c"] if first else ["write a", "write c"])
    assert askers(world, "c.txt") == ["write c"]
    assert_quiet(repo)


@BOTH
def test_a_fork_is_a_session_of_its_own(world: World) -> None:
    """Its file begins with a copy of the history, which is counted where it happened."""
    world.enable()
    repo, claude = world.repo, world.claude
    world.server.script.add(
        writing(world, "write a", "a.txt", "a\n", 0),
        writing(world, "write b", "b.txt", "b\n", 2),
        writing(world, "write c", "c.txt", "c\n", 4),
    )
    session = claude.headless("write a", repo.path).session
    repo.commit("Add a")
    fork = claude.fork("write b", repo.path, session).session
    assert fork != session
    assert dialogue(world.server.last("write b"))[:4] == ["> write a", "I write it.", "write a: done", "> write b"]
    kept = only(repo.linked(repo.commit("Add b")), fork)
    assert (kept.metadata["files_touched"], lines(kept)) == (["b.txt"], (1, 0, 100))
    assert kept.prompts[-1] == "write b"
    assert askers(world, "b.txt") == ["write b"]
    claude.headless("write c", repo.path, resume=session)
    kept = only(repo.linked(repo.commit("Add c")), session)
    assert (kept.prompts, kept.tokens) == (["write a", "write c"], tokens(4, 5))
    assert_quiet(repo)
