"""``entire agent``: the group of commands about agents, with its table as in ``entire.commands``."""

from __future__ import annotations

from entire.ui.console import group

TABLE: dict[str, str] = {
    "list": "List the agents that can be recorded here, and the state of their hooks.",
    "add": "Record an agent, too.",
    "remove": "Stop recording an agent.",
}
SUMMARY = """Show and change which agents are recorded in this repository.

Example: entire agent list
"""

command = group.LazyGroup("agent", TABLE, __name__, SUMMARY)
