"""`entire-records`: what an agent's own reader yields, in lines, for every agent that has one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from entire.agents.claude_code.agent import ClaudeCode
from entire.agents.contract import AgentFactory
from entire.agents.demo.agent import Demo
from entire.model.positions import START, Position
from entire.plugin_host.language.records import Reader, Told
from tests.unit.plugin.conftest import Tool
from tests.unit.plugin.test_subcommands import CLAUDE, DEMO, Least

(SESSION,) = CLAUDE.glob("*.jsonl")


def ask(tool: Tool, ref: Path | str, since: Position = START, **more: Any) -> Told:
    asked = {"session_ref": str(ref), "since": since.to_json(), "details": True, "metadata": {}, **more}
    told = tool("entire-records", stdin=json.dumps(asked))
    assert told.status == 0, told.err
    reader = Reader(since)
    for line in told.out.splitlines():
        reader.take(line)
    return reader.finish()


@pytest.mark.parametrize(("agent", "path"), [(Demo, DEMO), (ClaudeCode, SESSION)], ids=["demo", "claude-code"])
def test_records_are_told_from_any_position(agent: AgentFactory, path: Path, tool: Tool) -> None:
    tool.agent = agent
    own: Any = agent(metadata={}).transcript(str(path))
    for count in (0, 1, own.end().count // 2, own.end().count):
        since = own.at(count)
        told, stream = ask(tool, path, since), own.stream(since, details=True)
        assert list(told) == list(stream)
        assert (told.end, told.known, told.problem) == (stream.end, stream.known, "")


def test_a_stored_copy_is_told_in_its_place(tool: Tool, tmp_path: Path) -> None:
    tool.agent = Demo
    assert list(ask(tool, tmp_path / "gone.jsonl", stored=str(DEMO))) == list(ask(tool, DEMO))


def test_a_position_that_is_gone_has_nothing_after_it_and_another_end(tool: Tool) -> None:
    tool.agent = Demo
    told = ask(tool, DEMO, Position(count=900, byte=10**6))
    assert (list(told), told.end) == ([], START)


def test_only_what_yields_records_tells_them(tool: Tool) -> None:
    tool.agent = Least  # type: ignore[assignment]
    told = tool("entire-records", stdin='{"session_ref": "/x", "since": [0, 0, ""]}')
    assert told.status == 1
    assert "cannot be read as records" in told.err
    assert tool("info").json["capabilities"]["entire_records"] is False
    tool.agent = Demo
    assert tool("info").json["capabilities"]["entire_records"] is True
