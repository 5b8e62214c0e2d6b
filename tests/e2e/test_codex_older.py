"""What the real Codex CLI did in its older dialect: the transcripts of that time are still there to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from codex import OlderCodex, forms, names
from script import Usage, answer, text, thought, turn

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
