"""Sessions that were not recorded. An agent's hooks are silent where ``entire`` is not found, so the agent's own files
are the only evidence.
"""

from __future__ import annotations

import os

from entire import files
from entire.agents import capabilities
from entire.maintenance import agent_setup, undo_notes
from entire.model.session import KEPT_SECONDS
from entire.model.views.status import UnrecordedView
from entire.store import sessions
from entire.undo import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.agents.contract import Agent
    from entire.directory import AgentDirectory, Installed
    from entire.layout import Place
    from entire.store.catalog import Catalog

_MAX_FILES = 20  # whose beginning is read
_SHOWN = 3


def recording(installed: Sequence[Installed]) -> list[str]:
    """Return the types of the agents whose hooks should have reported what they did."""
    return list(dict.fromkeys(hooks.agent_type for hooks in installed if hooks.health.status in agent_setup.RECORDING))


def find(
    place: Place, catalog: Catalog, types: Sequence[str], agents: AgentDirectory, *, now: float
) -> list[UnrecordedView]:
    """Return the unrecorded sessions of the agents of these types, since ``enable`` ran, at most two weeks ago.

    After two weeks, ``clean`` may have deleted the state of a session that was recorded.
    """
    try:
        enabled = os.stat(place.enabled_marker).st_mtime
    except OSError:
        return []
    made = [agent for name in types if (agent := agents.make_by_type(name)) is not None]
    unknown_by_type = {agent.type: _unknown(place, agent, max(enabled, now - KEPT_SECONDS)) for agent in made}
    stored = set[str]().union(*catalog.sessions_by_checkpoint.values()) if any(unknown_by_type.values()) else set()
    cautious = {agent.type for agent in made if hasattr(agent, "trust_hooks")}
    return [
        UnrecordedView(agent=name, session_ids=tuple(unknown), problem=_problem(name, unknown),
                       hint=_hint(place, needs_trust=name in cautious))
        for name, ids in unknown_by_type.items()
        if (unknown := [session_id for session_id in ids if session_id not in stored])
    ]  # fmt: skip


def _unknown(place: Place, agent: Agent, since: float) -> list[str]:
    """Return the sessions of an agent that changed and have no state, nor had one that a command deleted."""
    lister = capabilities.session_lister(agent)
    if lister is None:
        return []
    known = set(sessions.ids(place))
    changed = [
        file for file in lister.session_files(place.top) if file.changed >= since and file.session_id not in known
    ]
    latest = sorted(changed, key=lambda file: file.changed, reverse=True)[:_MAX_FILES]
    return [
        file.session_id
        for file in latest
        if lister.has_conversation(file.session_ref) and not _was_deleted(place, file.session_id)
    ]


def _was_deleted(place: Place, session_id: str) -> bool:
    """Tell whether an undo point holds a session's state."""
    return any(map(any, transaction.copies(place, *undo_notes.state_paths(place, session_id))))


def _problem(agent: str, session_ids: Sequence[str]) -> str:
    count = len(session_ids)
    number = f"1 session of {agent} was" if count == 1 else f"{count} sessions of {agent} were"
    more = f" and {count - _SHOWN} more" if count > _SHOWN else ""
    return f"{number} not recorded since `entire enable`: {', '.join(session_ids[:_SHOWN])}{more}"


def _hint(place: Place, *, needs_trust: bool) -> str:
    command = os.fsdecode(files.read(os.path.join(place.common_own_dir, "command")) or b"").strip()
    where = f": add {os.path.dirname(command)} to the PATH that it starts with" if command else ""
    cause = "did not trust its hooks yet, or does" if needs_trust else "probably does"
    return f"the agent {cause} not find `entire` on its PATH{where}; restart it if it ran before `entire enable`"
