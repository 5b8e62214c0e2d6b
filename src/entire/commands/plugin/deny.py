"""``entire plugin deny``."""

from __future__ import annotations

import click

from entire.ui.console import completion, group, json_output, text
from entire.workspace.plugins import Plugins


@click.command("deny", cls=group.Command)
@click.argument("name", shell_complete=completion.plugins)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(name: str, as_json: bool) -> int:
    """Keep the plugin NAME from running, also where settings allow every plugin.

    Hooks that it installed stay, but do nothing. `entire plugin allow` takes it back.

    Example: entire plugin deny myagent
    """
    return run(name, as_json=as_json)


def run(name: str, *, as_json: bool = False) -> int:
    Plugins.find().deny(name)
    if as_json:
        text.write(json_output.dumps({"name": name, "state": "denied"}))
    else:
        text.write([f"The plugin {name} does not run any more. `entire plugin allow {name}` takes that back."])
    return 0
