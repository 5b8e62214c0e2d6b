"""Serves an agent that Entire already has through the protocol, as a plugin would."""

from __future__ import annotations

from entire.directory import AgentDirectory
from entire.plugin import program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def serve(name: str, argv: Sequence[str]) -> int:
    """Carry out one subcommand for the agent called ``name``; return the exit status.

    Raises UsageError if there is no such agent.
    """
    agents = AgentDirectory.without_plugins()
    return program.run(lambda metadata={}: agents.make(name, metadata), argv, agents.find(name))
