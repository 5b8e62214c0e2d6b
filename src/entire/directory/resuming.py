"""The command that continues a session, from an id that may come from anywhere."""

from __future__ import annotations

import re
import shlex

from entire.agents import capabilities
from entire.directory import AgentDirectory
from entire.model.ids import Argument, argument_problem, is_session_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.agents.contract import Agent


def problem(agent: Agent, session_id: str) -> str:
    """Return why no command may hold a session's id, '' if one may: it has the form of its agent's ids."""
    if reason := argument_problem(session_id):
        return f"its id cannot stand on a command line: {reason}"
    form = AgentDirectory.without_plugins().describe(agent.name).session_form
    try:
        has_form = is_session_id(session_id) and re.fullmatch(form, session_id) is not None
    except re.error:  # a package's
        has_form = False
    if not has_form:
        return f"{agent.type} has no session ids like {session_id[:40]!r}"
    return ""


def command(agent: Agent, session_id: str) -> str:
    """Return the shell command that continues a session; '' if its agent names none, or its id may be in none."""
    resumer = capabilities.session_resumer(agent)
    if resumer is None or problem(agent, session_id):
        return ""
    return checked(resumer.format_resume_command(Argument(session_id)))


def checked(given: str) -> str:
    """Return an agent's command, '' for one that no shell understands, or that starts a program of the repository."""
    return given if words(given) else ""


def words(given: str) -> list[str]:
    """Return the words of a command that ``checked`` lets pass; none for others."""
    try:
        split = shlex.split(given) if not argument_problem(given) else []
    except ValueError:
        return []
    is_relative = bool(split) and "/" in split[0] and not split[0].startswith("/")
    return [] if is_relative or not split or not split[0] else split
