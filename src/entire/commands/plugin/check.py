"""``entire plugin check``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from entire.errors import UsageError
from entire.testing import compliance
from entire.testing.compliance import Status, fixtures, locate, promised
from entire.ui.console import completion, form, group, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from entire.testing.compliance import Exchange, Options, Result
    from entire.ui.console.text import Style

_LIST = "run `entire plugin check --list` to see all"
_COLOURS = {"passed": "green", "failed": "red", "skipped": "dim", "note": "yellow"}
_FOLDER = click.Path(file_okay=False, path_type=Path)
_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("check", cls=group.Command)
@click.argument("plugin", metavar="NAME_OR_PATH", required=False, shell_complete=completion.plugins)
@click.option("--rig", "rig_file", type=_FILE, help="A Python file with a rig, for the promises that need one.")
@click.option("--fixtures", "folder", type=_FOLDER, help="A folder with what was captured from the agent.")
@click.option("--only", "names", multiple=True, metavar="NAME", help="Only this check or group; can be repeated.")
@click.option("--quick", is_flag=True, help="Leave out the large transcripts and, without a rig, the promises.")
@click.option("--list", "as_list", is_flag=True, help="List the checks and what each promises.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    plugin: str | None, rig_file: Path | None, folder: Path | None, names: tuple[str, ...], quick: bool, as_list: bool,
    as_json: bool,
) -> int:  # fmt: skip
    """Check that a plugin keeps the rules of the protocol.

    NAME is an allowed plugin on PATH. A PATH, with a slash in it, is any executable: naming it is your permission
    to run it. Each check has a home, a temporary folder and a repository of its own. The exit code is 0 if no check
    failed, 1 if one did.

    Then come the promises that Entire's own agents keep, asked of the plugin through its host. They need
    `pip install 'entire[testing]'`, and most of them a rig or fixtures; what is skipped says why.

    Example: entire plugin check ./entire-agent-parrot --fixtures captured
    """
    _refuse_unknown(names)
    if rig_file and not (rig_file.suffix == ".py" and rig_file.is_file()):
        raise UsageError(f"{rig_file} is not a Python file", hint="name a file that defines a rig")
    wanted = fixtures.load(folder) if folder else None
    options = compliance.Options(only=names, is_quick=quick, fixtures=wanted)
    if as_list:
        return _list(options, as_json=as_json)
    if not plugin:
        raise UsageError("name a plugin, or the path of one", hint="run `entire plugin check ./entire-agent-NAME`")
    return run(locate.find(plugin), options, rig_file, as_json=as_json)


def run(path: str, options: Options, rig_file: Path | None = None, *, as_json: bool = False) -> int:
    """Check the plugin at a path and report."""
    report = _Report(None if as_json else text.style_for(sys.stdout))
    for result in compliance.run(path, options):
        report.add(result)
    if _asks_for_promises(options, rig_file):
        described = promised.Description(path=path, rig_file=rig_file, fixtures=options.fixtures)
        promised.run(described, options.only, report.add)
    if not report.results:
        raise UsageError(f"there is no promise called {' or '.join(options.only)}", hint=_LIST)
    if as_json:
        text.write(form.dumps(_as_json(path, report.results)))
    else:
        text.write(_end(report.results, text.style_for(sys.stdout)))
        text.write(_hint(report.results) if rig_file is None else [])
    return 1 if _count(report.results, Status.FAILED) else 0


def _asks_for_promises(options: Options, rig_file: Path | None) -> bool:
    if options.only:
        return any(map(promised.is_name, options.only))
    return not options.is_quick or rig_file is not None


def _refuse_unknown(names: Sequence[str]) -> None:
    known = {word for check in compliance.CHECKS for word in (check.name, check.group)}
    if unknown := [name for name in names if name not in known and not promised.is_name(name)]:
        raise UsageError(f"there is no check called {unknown[0]!r}", hint=_LIST)


def _list(options: Options, *, as_json: bool) -> int:
    checks = compliance.chosen(options)
    rows = [{"name": one.name, "group": one.group, "promise": one.text, "needs": one.needs} for one in checks]
    if _asks_for_promises(options, None):
        rows += promised.listed(options.only)
    if as_json:
        text.write(form.dumps({"checks": rows}))
        return 0
    for name in dict.fromkeys(row["group"] for row in rows):
        named = [(str(row["name"]), str(row["promise"])) for row in rows if row["group"] == name]
        text.write([*([""] if name != rows[0]["group"] else []), str(name).capitalize()])
        text.write(text.table(named, lead="  "))
    return 0


# ---------------------------------------------------------------- for people


class _Report:
    """The results so far; shows each as it comes, if there is a style."""

    def __init__(self, style: Style | None) -> None:
        self.results: list[Result] = []
        self._style = style

    def add(self, result: Result) -> None:
        self.results.append(result)
        if self._style is not None:
            text.write(_progress(self.results, self._style))
            sys.stdout.flush()


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
        "checks": [{**vars(result), "status": result.status.value} for result in results],
    }
