"""``entire plugin list``."""

from __future__ import annotations

import sys

import click

from entire.ui.console import group, json_output, text
from entire.workspace.plugins import Plugins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.views.setup import PluginView
    from entire.ui.console.text import Style


@click.command("list", cls=group.Command)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> int:
    """List the plugins on PATH: their type, file, and whether they may run.

    Plugins that may not run are not started: their type is not known.

    Example: entire plugin list
    """
    return run(as_json=as_json)


def run(*, as_json: bool = False) -> int:
    listed = Plugins.find().listing()
    if as_json:
        text.write(json_output.dumps({"plugins": listed}))
    else:
        text.write_wrapped(_page(listed, text.style_for(sys.stdout)))
    return 0


def _page(plugins: Sequence[PluginView], style: Style) -> list[str]:
    if not plugins:
        return ["There is no plugin on PATH.", "A plugin is an executable `entire-agent-NAME`."]
    lines = text.table(map(_row, plugins))
    problems = [text.full_path(f"{plugin.path}: {plugin.problem}") for plugin in plugins if plugin.problem]
    waiting = [plugin.name for plugin in plugins if plugin.state in ("not allowed", "changed", "denied")]
    name = waiting[0] if len(waiting) == 1 else "NAME"
    hint = [f"`entire plugin allow {name}` lets a plugin run."] if waiting else []
    return [*lines, *([""] if problems or hint else []), *(style(line, "dim") for line in problems), *hint]


def _row(plugin: PluginView) -> tuple[str, ...]:
    return (text.full_path(plugin.name), text.plain(plugin.type) or "-", plugin.state, _file(plugin))


def _file(plugin: PluginView) -> str:
    return text.full_path(" -> ".join(dict.fromkeys((plugin.path, plugin.real_path))))
