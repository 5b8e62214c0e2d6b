"""What the real Codex CLI did in its older dialect: the transcripts of that time are still there to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from codex import Codex, OlderCodex, forms, names
from driver import binary
from proof import Part, assert_part, linked
from script import Usage, answer, text, thought, turn
from stories import assert_quiet, writing

if TYPE_CHECKING:
    from conftest import World

pytestmark = [pytest.mark.e2e, pytest.mark.parametrize("world", [OlderCodex], indirect=True, ids=["codex-older"])]


def test_the_older_dialect(world: World) -> None:
    calls = world.agent.write("a.txt", "a\n"), world.agent.shell("cat a.txt")
    first = answer(thought("a is missing"), text("I write it."), *calls, usage=Usage(input=100, output=20))
    world.server.script.add(turn("write a", first, answer(text("written"))))
    session = world.agent.headless("write a", world.repo.path).session
    assert world.repo.files()["a.txt"] == b"a\n"
    records = world.agent.records(session)
    assert all("ordinal" not in r for r in records)
    found = forms(records)
    assert found[found.index("user_message") :] == [
        *("user_message", "token_count", "agent_reasoning", "reasoning", "agent_message", "message"),
        *("custom_tool_call", "function_call", "token_count"),
        *("custom_tool_call_output", "function_call_output", "token_count"),
        *("agent_message", "message", "token_count", "task_complete"),
    ]
    assert names(world.agent.events()) == ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"]
    assert world.agent.events("PreToolUse")[0]["tool_name"] == "Bash"


def test_an_older_session_is_recorded_and_goes_on_with_the_newer_version(world: World) -> None:
    """The file stays in the older form; what the newer version adds to it tells the tokens twice, which counts once."""
    world.enable()
    repo, older = world.repo, world.agent
    world.server.script.add(writing(world, "write a", "a.txt", "a\n", 0), writing(world, "write b", "b.txt", "b\n", 2))
    session = older.headless("write a", repo.path).session
    part = Part(files=["a.txt"], prompts=["write a"], answers=[0, 1], lines=(1, 0, 100), last="write a: done")
    assert_part(world, linked(world, repo.commit("Add a")), session, part)

    program = binary(Codex)
    assert program
    world.agent = Codex(program, older.home, world.server.url, older.environment["PATH"])
    world.enable()
    assert world.agent.headless("write b", repo.path, resume=session).status == 0
    prompts = ["write a", "write b"]
    part = Part(files=["b.txt"], prompts=prompts, answers=[2, 3], lines=(1, 0, 100), last="write b: done")
    assert_part(world, linked(world, repo.commit("Add b")), session, part, since="write b")
    assert_quiet(repo)
