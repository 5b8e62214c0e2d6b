"""The command that continues a session: only with an id of the form that its agent's ids have."""

from __future__ import annotations

from typing import Any

import pytest

from entire.agents import registry
from entire.directory import AgentDirectory, resuming

AGENTS = AgentDirectory.without_plugins()
ID = "3f2b8a8e-1111-4222-8333-abcdefabcdef"


class Names:
    """An agent that answers with any command."""

    name = "parrot"
    type = "Parrot"
    capabilities = frozenset({"session_resumer"})

    def __init__(self, command: str) -> None:
        self.command = command
        self.asked: list[str] = []

    def format_resume_command(self, session_id: str) -> str:
        self.asked.append(session_id)
        return self.command


@pytest.mark.parametrize("name", registry.BUILTIN)
def test_an_id_of_the_agent_is_in_the_command(name: str) -> None:
    command = resuming.command(AGENTS.make(name), ID)
    assert resuming.words(command)[-1] in (ID, f"--resume={ID}")


@pytest.mark.parametrize("name", registry.BUILTIN)
@pytest.mark.parametrize("session_id", ["-x", "--resume", "a b", "a\nb", "", ".", "..", "a/b", "$(x)", "'", "x" * 5000])
def test_no_other_is(name: str, session_id: str) -> None:
    agent = AGENTS.make(name)
    assert resuming.problem(agent, session_id)
    assert resuming.command(agent, session_id) == ""


@pytest.mark.parametrize("session_id", ["latest", "5", "12"])
def test_a_word_with_which_the_agent_means_another_session(session_id: str) -> None:
    assert resuming.problem(AGENTS.make("gemini"), session_id) == f"Gemini CLI has no session ids like '{session_id}'"
    assert resuming.problem(AGENTS.make("demo"), session_id) == ""


@pytest.mark.parametrize("session_id", [ID, "ses_7aB", "2026-01-05T10:00:00+01:00", "thread@host", "ünï.1"])
def test_the_ids_of_an_agent_that_names_no_form(session_id: str) -> None:
    agent: Any = Names("parrot --resume it")
    assert resuming.command(agent, session_id) == "parrot --resume it"
    assert agent.asked == [session_id]


@pytest.mark.parametrize(
    "command", ["", "  ", "a 'b", "a\nb", "a\x1b[2J", "-x a", "./agent a", "bin/agent a", "''", "a " * 5000]
)
def test_a_command_that_cannot_be_run_or_shown_is_none(command: str) -> None:
    agent: Any = Names(command)
    assert resuming.command(agent, ID) == ""


def test_an_absolute_program_is_one() -> None:
    agent: Any = Names("/opt/parrot --resume 'a b'")
    assert resuming.words(resuming.command(agent, ID)) == ["/opt/parrot", "--resume", "a b"]
