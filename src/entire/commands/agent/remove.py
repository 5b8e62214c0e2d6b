"""``entire agent remove``."""

from __future__ import annotations

import click

from entire.errors import UsageError
from entire.ui.console import completion, group, json_output, prompts, text
from entire.ui.screens import agent_hooks
from entire.workspace import Workspace


@click.command("remove", cls=group.Command)
@click.argument("names", metavar="NAME...", nargs=-1, required=True, shell_complete=completion.agents)
@click.option("--user", is_flag=True, help="Remove hooks from your user-wide agent settings.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; needs --yes.")
def command(names: tuple[str, ...], user: bool, yes: bool, as_json: bool) -> int:
    """Remove an agent's hooks from this repository. What was recorded stays; `entire agent add` installs them again.

    Example: entire agent remove NAME
    """
    return run(names, user=user, yes=yes, as_json=as_json)


def run(names: tuple[str, ...], *, user: bool = False, yes: bool = False, as_json: bool = False) -> int:
    workspace = Workspace.find()
    if not yes:
        if as_json or not prompts.can_ask():
            raise UsageError("removing hooks needs your confirmation", hint="add --yes")
        where = "your user-wide agent settings" if user else "this repository"
        if not prompts.confirm(f"Remove the hooks of {' and '.join(map(text.plain, names))} from {where}?"):
            text.write(["Nothing was removed."])
            return 0
    removed = workspace.setup.remove_agents(names, user=user)
    if as_json:
        text.write(json_output.dumps({"removed": removed}))
    else:
        lines = agent_hooks.changes((), removed, workspace.place.top)
        text.write(lines or [f"There are no hooks of {' and '.join(map(text.plain, names))} to remove."])
    return 0
