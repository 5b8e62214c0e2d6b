"""``entire plugin check``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from entire.errors import UsageError
from entire.ui.console import completion, group, json_output, text
from entire.workspace.plugins import Plugins
from entire_plugin_kit import PROMISES, fixtures, suite
from entire_plugin_kit.promise import Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from entire.ui.console.text import Style
    from entire_plugin_kit.promise import Exchange, Result
    from entire_plugin_kit.suite import Options

_LIST = "run `entire plugin check --list` to see all"
_COLOURS = {"passed": "green", "failed": "red", "skipped": "dim", "note": "yellow"}
_FOLDER = click.Path(file_okay=False, path_type=Path)
_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("check", cls=group.Command)
@click.argument("plugin", metavar="NAME_OR_PATH", required=False, shell_complete=completion.plugins)
@click.option("--rig", "rig_file", type=_FILE, help="A Python file with a rig, for the promises that need one.")
@click.option("--fixtures", "folder", type=_FOLDER, help="A folder with what was captured from the agent.")
@click.option("--only", "names", multiple=True, metavar="NAME", help="Only this promise or group; can be repeated.")
@click.option("--quick", is_flag=True, help="Leave out large transcripts and, without a rig, all but the program.")
@click.option("--list", "as_list", is_flag=True, help="List the promises.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    plugin: str | None, rig_file: Path | None, folder: Path | None, names: tuple[str, ...], quick: bool, as_list: bool,
    as_json: bool,
) -> int:  # fmt: skip
    """Check that a plugin keeps its promises: the rules of the protocol, and what Entire's own agents keep.

    NAME is an allowed plugin on PATH. A PATH, with a slash in it, is any executable: naming it is your permission
    to run it. Each promise is asked for in a home, a temporary folder and a repository of its own, first of the
    program alone, then through its host. The exit code is 0 if none is broken, 1 if one is.

    Some promises need a rig or fixtures, a few `pip install 'entire[testing]'`; what is skipped says why.

    Example: entire plugin check ./entire-agent-parrot --fixtures captured
    """
    _refuse_unknown(names)
    rig = suite.load_rig(rig_file) if rig_file else None
    wanted = fixtures.load(folder) if folder else None
    options = suite.Options(only=names, is_quick=quick, fixtures=wanted, rig=rig)
    if as_list:
        return _list(options, as_json=as_json)
    if not plugin:
        raise UsageError("name a plugin, or the path of one", hint="run `entire plugin check ./entire-agent-NAME`")
    return run(_path(plugin), options, as_json=as_json)


def run(path: str, options: Options, *, as_json: bool = False) -> int:
    """Check the plugin at a path and report."""
    results: list[Result] = []
    style = text.style_for(sys.stdout)
    for result in suite.run(path, options):
        results.append(result)
        if not as_json:
            text.write(_progress(results, style))
            sys.stdout.flush()
    if as_json:
        text.write(json_output.dumps(_as_json(path, results)))
    else:
        text.write(_end(results, style))
        text.write(_hint(results) if options.rig is None else [])
    return 1 if _count(results, Status.FAILED) else 0


def _path(name_or_path: str) -> str:
    """Return the absolute path of a plugin: a path is the user's choice, a name is that of a plugin they allowed."""
    if os.sep not in name_or_path:
        return Plugins.find().allowed(name_or_path)
    path = os.path.abspath(name_or_path)
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder", hint="name the executable in it")
    if not os.path.isfile(path):
        raise UsageError(f"there is no file {path}", hint="name the executable, or an allowed plugin")
    return path


def _refuse_unknown(names: Sequence[str]) -> None:
    known = {word for promise in PROMISES for word in (promise.name, promise.group)}
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"there is no promise called {unknown[0]!r}", hint=_LIST)


def _list(options: Options, *, as_json: bool) -> int:
    chosen = suite.chosen(options)
    rows = [{"name": one.name, "group": one.group, "promise": one.text, "needs": one.needs} for one in chosen]
    if as_json:
        text.write(json_output.dumps({"checks": rows}))
        return 0
    for name in dict.fromkeys(row["group"] for row in rows):
        named = [(str(row["name"]), str(row["promise"])) for row in rows if row["group"] == name]
        text.write([*([""] if name != rows[0]["group"] else []), str(name).capitalize()])
        text.write(text.table(named, lead="  "))
    return 0


# ---------------------------------------------------------------- for people


def _progress(results: Sequence[Result], style: Style) -> Iterator[str]:
    """Show the last result, below the title of its group if it is the first of it."""
    last = results[-1]
    if len(results) == 1 or results[-2].group != last.group:
        yield style(last.group.capitalize(), "bold")
    reason = f"  {text.plain(last.reason)}" if last.status in (Status.SKIPPED, Status.NOTE) else ""
    yield f"  {style(last.status.value.ljust(7), _COLOURS[last.status.value])}  {last.name}{reason}"


def _end(results: Sequence[Result], style: Style) -> Iterator[str]:
    for result in results:
        if result.status is Status.FAILED:
            yield ""
            yield style(f"FAILED {result.name}", "red")
            yield from _failure(result)
    yield ""
    counts = [f"{_count(results, status)} {status.value}" for status in Status if _count(results, status)]
    yield f"{', '.join(counts) or 'Nothing was checked'}, in {sum(result.seconds for result in results):.0f} seconds."


def _hint(results: Sequence[Result]) -> list[str]:
    """Say how more promises can be asked, if some were skipped."""
    wanting = any("no player" in result.reason for result in results if result.status is Status.SKIPPED)
    lines = ["Promises that need a player are asked with a rig: `--rig FILE`."] if wanting else []
    if not sys.platform.startswith("linux"):
        lines.append(
            "This system does not tell Entire which processes left the plugin's group: they go on after a hook."
        )
    return lines


def _failure(result: Result) -> Iterator[str]:
    yield from _fact("promised", result.promise)
    yield from _fact("expected", result.reason)
    if result.exchange:
        yield from _exchange(result.exchange)


def _exchange(exchange: Exchange) -> Iterator[str]:
    yield from _fact("called", f"{exchange.command}\n(in {exchange.folder})")
    yield from _fact("sent", exchange.sent)
    yield from _fact("came to", f"{exchange.status}, after {exchange.seconds:.2f} seconds")
    yield from _fact("stdout", exchange.stdout)
    yield from _fact("stderr", exchange.stderr)


def _fact(name: str, content: str) -> Iterator[str]:
    """Show a fact, whose further lines are indented; an empty one says so."""
    first, *rest = text.plain(content).rstrip("\n").split("\n")
    yield f"  {name.ljust(8)}  {first or '(nothing)'}"
    yield from (f"            {line}" for line in rest)


def _count(results: Iterable[Result], status: Status) -> int:
    return sum(result.status is status for result in results)


# ---------------------------------------------------------------- for programs


def _as_json(path: str, results: Sequence[Result]) -> dict[str, object]:
    return {
        "plugin": path,
        "ok": not _count(results, Status.FAILED),
        "counts": {status.value: _count(results, status) for status in Status},
        "checks": [result.as_json() for result in results],
    }
