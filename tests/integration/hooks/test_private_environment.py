"""What an agent's environment has for its own use: in no program that we start, no log, and nothing that is stored."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from entire.agents import registry
from entire.redact import withheld
from tests.integration import secrets
from tests.integration.pluginworld import SCRIPT, PluginWorld
from tests.integration.story import Story

VALUE = "0f3a9c1be8d74625a90b1c2d3e4f5a6b"
NAMES = [name for entry in registry.BUILTIN.values() for name in entry.private_variables]


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv(request.param, VALUE)
    monkeypatch.setenv("ENTIRE_LOG_LEVEL", "debug")
    yield request.param
    withheld.clear()


def test_the_agents_of_the_field_have_such_variables() -> None:
    assert "CLAUDE_CODE_MESSAGING_TOKEN" in NAMES


def test_nothing_that_hooks_store_or_log_holds_it(story: Story, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Also where the agent prints it without its name, and where a hook fails."""
    session = story.started()
    session.prompt(f"use {VALUE}")
    with session.shell("env; echo $TOKEN") as output:
        output += [f"{name}={VALUE}\n", VALUE]
    session.write("a.py", "1\n")
    session.hook("post-task", tool_name=VALUE, tool_input=5)
    session.stop(f"It is {VALUE}.")
    monkeypatch.delenv(name, raising=False)
    story.commit("Add a")  # a person, whose shell does not have it
    assert "use [REDACTED:session-token]" in secrets.stored(story)
    assert secrets.files_with(story, VALUE) == []
    assert secrets.objects_with(story, VALUE) == []
    assert withheld == {VALUE.encode()}
    assert name not in os.environ


def test_no_program_of_ours_gets_it(tmp_path: Path, name: str) -> None:
    world = PluginWorld(tmp_path)
    seen = tmp_path / "seen"
    dump = f"env >>{seen}; echo filter=$0 >>{seen}"
    world.install(script=SCRIPT.replace("case $1 in", "env >>" + str(seen) + "\ncase $1 in", 1))
    world.ok("enable", "--agent", "claude-code")
    world.ok("plugin", "allow", "x")
    world.git("config", "filter.f.clean", f"{dump}; cat")
    (world.repo / ".gitattributes").write_text("*.txt filter=f\n")
    (world.repo / "a.txt").write_text("two\n")
    seen.unlink()
    world.env |= {name: VALUE, "CLAUDECODE": "1"}
    given = json.dumps({"session_id": "s-1", "transcript_path": str(tmp_path / "t.jsonl"), "prompt": "go"})
    assert world.entire("hooks", "claude-code", "user-prompt-submit", given=given) == 0
    assert "filter=" in seen.read_text()
    assert world.entire("hooks", "x", "start", given=given) == 0
    assert "parse-hook" in world.calls()[-1]
    assert seen.read_text().count("CLAUDECODE=1\n") > 1
    assert VALUE not in seen.read_text()
