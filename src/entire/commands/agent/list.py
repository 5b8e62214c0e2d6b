"""``entire agent list``."""

from __future__ import annotations

import click

from entire.ui.console import group, json_output, text
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.views.setup import AgentView

_STATES = {"installed": "recorded", "missing": "-", "stale": "outdated", "unknown": "unreadable"}


@click.command("list", cls=group.Command)
@click.option("--user", is_flag=True, help="Show hooks in your user-wide agent settings.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(user: bool, as_json: bool) -> int:
    """List the agents that can be recorded: name, state of the hooks in this repository, and what the agent is.

    Example: entire agent list
    """
    return run(user=user, as_json=as_json)


def run(*, user: bool = False, as_json: bool = False) -> int:
    listed = [agent for agent in Workspace.find().setup.agents(user=user) if agent.takes_hooks]
    if as_json:
        text.write(json_output.dumps({"agents": listed}))
    else:
        text.write_wrapped(text.table(map(_row, listed)))
    return 0


def _row(agent: AgentView) -> tuple[str, ...]:
    state = _STATES.get(agent.hooks_status, agent.hooks_status)
    return (text.plain(agent.name), state, f"{text.plain(agent.type)}: {text.plain(agent.description)}")
