"""What a plugin says of itself."""

from __future__ import annotations

from entire.agents.claude_code.agent import ClaudeCode
from entire.plugin_host.language import protocol
from tests.unit.plugin.conftest import Tool
from tests.unit.plugin.test_subcommands import Talkative


def test_info_tells_everything(tool: Tool) -> None:
    tool.agent = Talkative  # type: ignore[assignment]
    told = tool("info").json
    assert {key: value for key, value in told.items() if key != "capabilities"} == {
        "protocol_version": 1,
        "name": "talkative",
        "type": "Least",
        "description": "Talks",
        "is_preview": True,
        "protected_dirs": [".talk"],
        "hook_names": [],
        "caller_env_vars": ["TALKING"],
        "entire": {"spoken_name": "talky"},
    }
    assert [name for name, has in told["capabilities"].items() if has] == [
        "transcript_preparer",
        "text_generator",
        "entire_positions",
    ]
    assert set(told["capabilities"]) == {*protocol.CAPABILITIES, *protocol.EXTENSIONS}


def test_info_of_an_agent_with_every_capability(tool: Tool) -> None:
    tool.agent = ClaudeCode
    has = {name for name, has in tool("info").json["capabilities"].items() if has}
    without = {"compact_transcript", "entire_messages"}
    assert has == {*protocol.CAPABILITIES, *protocol.EXTENSIONS} - without


def test_info_is_what_a_host_understands(tool: Tool) -> None:
    tool.agent = Talkative  # type: ignore[assignment]
    told = protocol.parse_info(tool("info").out, "talkative")
    assert (told.description, told.spoken_name, told.is_preview) == ("Talks", "talky", True)
    assert told.capabilities == {"transcript_preparer", "text_generator", "entire_positions"}
