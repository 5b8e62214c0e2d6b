"""Agents as people name them."""

from __future__ import annotations

import pytest

from entire.errors import EntireError
from entire.queries import agent_names


@pytest.mark.parametrize("name", ["claude-code", "Claude Code", "CLAUDECODE", "Gemini CLI", "cursor", "Cursor"])
def test_any_spelling_of_a_known_agent(name: str) -> None:
    agent_names.check(name)


def test_what_is_recorded_is_known_too() -> None:
    agent_names.check("brand", ["Brand-New Agent"])
    agent_names.check("brand-new agent", ["Brand-New Agent"])


def test_the_most_similar_name_is_offered() -> None:
    with pytest.raises(EntireError) as caught:
        agent_names.check("gemni", ["Brand-New Agent"])
    assert caught.value.message == "no session of an agent called 'gemni' is recorded here"
    assert caught.value.hint.startswith("did you mean `gemini`? Known agents: claude-code, ")
