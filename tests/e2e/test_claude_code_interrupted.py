"""Stories with the real Claude Code: turns that do not come to their end."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from script import answer, text, tool, turn
from stories import assert_quiet, cost, lines, only, tokens, writing
from table import BOTH

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
