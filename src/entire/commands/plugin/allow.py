"""``entire plugin allow``."""

from __future__ import annotations

import sys

import click

from entire.ui.console import completion, group, json_output, prompts, text
from entire.workspace.plugins import Plugins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.views.setup import PluginView


@click.command("allow", cls=group.Command)
@click.argument("name", shell_complete=completion.plugins)
@click.option(
    "--folder",
    "folders",
    multiple=True,
    metavar="PATH",
    help="Let it keep sessions in this folder outside of your home, too; may be repeated.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; asks nothing.")
def command(name: str, folders: tuple[str, ...], yes: bool, as_json: bool) -> int:
    """Let the plugin NAME run: its hooks, and commands that read its sessions.

    Shows which file that is and, on a terminal, asks. The permission is yours, holds in every repository, and ends when
    the file or the interpreter that runs it changes: then allow it again. `entire plugin deny` takes it back.

    Example: entire plugin allow myagent
    """
    return run(name, folders=folders, yes=yes, as_json=as_json)


def run(name: str, *, folders: tuple[str, ...] = (), yes: bool = False, as_json: bool = False) -> int:
    plugins = Plugins.find()
    plugin = plugins.plugin(name)
    if not as_json:
        text.write(_file(plugin), sys.stderr)
        if not yes and not plugin.problem and prompts.can_ask() and not prompts.confirm("Let it run?", default=True):
            text.write(["Nothing was changed."])
            return 1
    allowed = plugins.allow(name, plugin.path, folders)
    text.write(json_output.dumps(allowed) if as_json else _summary(allowed))
    return 0


def _file(plugin: PluginView) -> list[str]:
    lines = [f"plugin: {text.full_path(plugin.path)}"]
    if plugin.real_path != plugin.path:
        lines.append(f"file:   {text.full_path(plugin.real_path)}")
    return [*lines, "It runs with your rights: it can read and change all that you can."]


def _summary(plugin: PluginView) -> list[str]:
    what = text.plain(plugin.type) + (f": {text.plain(plugin.description)}" if plugin.description else "")
    lines = [f"{plugin.name} may run now. It says that it is {what}"]
    if plugin.hook_names:
        lines.append(f"`entire enable --agent {plugin.name}` records its sessions in a repository.")
    return lines
