"""The table of built-in agents."""

from __future__ import annotations

import pytest

from entire.agents import registry


def test_an_alias_means_the_same_agent() -> None:
    assert registry.find("gemini-cli") is registry.find("gemini") is registry.BUILTIN["gemini"]
    assert registry.find("gemini-") is None


@pytest.mark.parametrize("name", ["claude-code", "gemini-cli", "git"])
def test_a_reserved_name(name: str) -> None:
    assert registry.is_reserved(name)
    assert not registry.is_reserved(name + "2")


@pytest.mark.parametrize(
    ("env", "session", "agent"),
    [
        ({}, "", ""),
        ({"CLAUDE_CODE_SESSION_ID": ""}, "", ""),
        ({"CLAUDE_CODE_SESSION_ID": "a"}, "a", "Claude Code"),
        ({"DEMO_AGENT_SESSION_ID": "b"}, "b", "Demo Agent"),
    ],
)
def test_the_session_that_calls_git(env: dict[str, str], session: str, agent: str) -> None:
    assert registry.calling_session(env) == (session, agent)
