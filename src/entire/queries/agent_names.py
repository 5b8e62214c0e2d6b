"""Agents as people name them: by name, alias or display name, however these are spelled. No plugin is started."""

from __future__ import annotations

from entire.directory import AgentDirectory
from entire.errors import EntireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def folded(name: str) -> str:
    """Return a name without case, blanks and punctuation."""
    return "".join(filter(str.isalnum, name.casefold()))


def check(name: str, recorded: Iterable[str] = ()) -> None:
    """Raise EntireError if no agent has this name, and none of the ``recorded`` ones starts with it."""
    agents = AgentDirectory.without_plugins()
    known = [entry.name for entry in agents.entries()]
    spellings = (*known, *(word for entry in agents.entries() for word in (entry.type, *entry.aliases)))
    is_known = folded(name) in map(folded, spellings) or agents.describe(folded(name)).type != folded(name)
    if not is_known and not any(folded(agent).startswith(folded(name)) for agent in recorded):
        raise EntireError(f"no session of an agent called {name!r} is recorded here",
                          hint=f"known agents: {', '.join(known)}", unknown=name, known=known)  # fmt: skip
