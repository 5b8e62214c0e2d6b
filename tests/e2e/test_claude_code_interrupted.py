"""Stories with the real Claude Code: turns that do not come to their end."""

from __future__ import annotations

import re
import signal
import time
from typing import TYPE_CHECKING

import pytest

from script import answer, text, tool, turn
from stories import assert_quiet, cost, lines, only, tokens, writing
from table import BOTH
from turns import interrupted_turn

if TYPE_CHECKING:
    from conftest import World

pytestmark = [pytest.mark.e2e, BOTH]


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


def test_what_a_person_types_after_escape_is_theirs(world: World) -> None:
    """In the files of the turn as well; the interruption runs no hook."""
    world.enable()
    repo = world.repo
    reached, _, wait = world.gate("hold")
    world.server.script.add(interrupted_turn(world, wait))
    with world.claude.terminal(repo.path) as terminal:
        terminal.prompt("work long")
        terminal.wait(reached.exists, "the shell command")
        terminal.interrupt()
        terminal.wait(lambda: "[Request interrupted" in str(world.claude.records(terminal.session)), "the interruption")
        typed(world)
        assert "interrupted" in repo.run("entire", "status")
        kept = only(repo.linked(repo.commit("Add both")), terminal.session)
        terminal.exit()
    assert (kept.metadata["files_touched"], lines(kept)[:2]) == (["a.txt"], (2, 3))
    assert_quiet(repo)


def test_escape_before_the_first_answer_ends_the_turn(world: World) -> None:
    """No hook and no record says so: the process does, in its own folder."""
    world.enable()
    repo = world.repo
    world.server.script.add(turn("work long", answer(text("never said " * 50), usage=cost(0), pace=100.0)))
    with world.claude.terminal(repo.path) as terminal:
        terminal.prompt("work long")
        terminal.wait(lambda: "user" in [r["type"] for r in world.claude.records(terminal.session)], "the prompt")
        terminal.wait(lambda: process_statuses(world) == ["busy"], "the agent to be at work")
        assert "interrupted" not in repo.run("entire", "status")
        terminal.type(terminal.ESCAPE)
        terminal.wait(lambda: process_statuses(world) == ["idle"], "the agent to be idle")
        assert "interrupted" in repo.run("entire", "status")
        typed(world)
        assert repo.ids(repo.commit("Mine")) == []


def process_statuses(world: World) -> list[str]:
    """Return what the agent's processes say that they are: its files hold these words elsewhere, too."""
    files = (world.claude.home / ".claude/sessions").glob("*.json")
    return [status for path in files for status in re.findall(r'"status":\s*"(\w+)"', path.read_text())]


def test_what_a_person_types_after_a_kill_is_theirs(world: World) -> None:
    world.enable()
    repo = world.repo
    reached, _, wait = world.gate("hold")
    world.server.script.add(interrupted_turn(world, wait))
    with world.claude.start("work long", repo.path) as running:
        session = running.session
        world.wait(reached.exists, "the shell command")
        world.wait(lambda: world.claude.answers(session) == 2, "the record of the second answer")
        running.send(signal.SIGKILL)
    time.sleep(2.5)  # the slack after the last sign of life
    typed(world)
    kept = only(repo.linked(repo.commit("Add both")), session)
    assert (kept.metadata["files_touched"], lines(kept)[:2]) == (["a.txt"], (2, 3))
    assert_quiet(repo)


def typed(world: World) -> None:
    with open(world.path("a.txt"), "a", encoding="utf-8") as file:
        file.write("mine\n")
    with open(world.path("mine.txt"), "w", encoding="utf-8") as file:
        file.write("mine\nmine\n")
