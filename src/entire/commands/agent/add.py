"""``entire agent add``."""

from __future__ import annotations

import click

from entire.errors import UsageError
from entire.model.requests import EnableRequest
from entire.ui.console import completion, group, json_output, text
from entire.ui.screens import agent_hooks
from entire.workspace import Workspace


@click.command("add", cls=group.Command)
@click.argument("names", metavar="NAME...", nargs=-1, required=True, shell_complete=completion.agents)
@click.option("--user", is_flag=True, help="Install the agent's hooks user-wide: they act in every enabled repository.")
@click.option(
    "--trust-hooks",
    "trust",
    is_flag=True,
    help="Tell agents that run only trusted hooks that you trust ours, and no others.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(names: tuple[str, ...], user: bool, trust: bool, as_json: bool) -> int:
    """Record an agent in this repository, beside those that are recorded.

    Example: entire agent add NAME --trust-hooks
    """
    return run(names, user=user, trust=trust, as_json=as_json)


def run(names: tuple[str, ...], *, user: bool = False, trust: bool = False, as_json: bool = False) -> int:
    workspace = Workspace.find()
    if workspace.settings is None or not workspace.settings.enabled:
        raise UsageError("Entire is not enabled here", hint="run `entire enable` first")
    done = workspace.setup.enable(EnableRequest(agents=names, user=user, trust_hooks=trust))
    if as_json:
        text.write(json_output.dumps({"agents": done.agents}))
    else:
        top = workspace.place.top
        text.write([*agent_hooks.changes(done.agents, (), top), *agent_hooks.remedies(done.agents)])
    return 0
