"""``entire blame``."""

from __future__ import annotations

import gc
import os
import sys

import click

from entire.model.value import replace
from entire.ui.console import group, text
from entire.ui.screens import blame
from entire.ui.screens.blame import BlameForm
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_PORCELAIN, _LINE_PORCELAIN, _INCREMENTAL = "--porcelain", "--line-porcelain", "--incremental"
_FORMS = {"-p": _PORCELAIN, _PORCELAIN: _PORCELAIN, _LINE_PORCELAIN: _LINE_PORCELAIN, _INCREMENTAL: _INCREMENTAL}
_SHOWN = {
    "-l": "is_long",
    "-t": "is_raw_time",
    "-e": "has_mail",
    "--show-email": "has_mail",
    "-f": "has_path",
    "--show-name": "has_path",
    "-n": "has_source_line",
    "--show-number": "has_source_line",
    "-b": "hides_boundary",
}
_SETTINGS = {"showemail": "has_mail", "blankboundary": "hides_boundary"}
_RELATIVE_CELLS = 22  # what git leaves for ``4 years, 11 months ago``
_OWNER_CELLS, _FEWEST_CELLS = 40, 12  # of an agent and its prompt
_NARROW = 64  # columns
_TRUE = ("", "true", "yes", "on", "1")


class _BlameCommand(group.Command):
    """A command that hands ``--`` on, which click would drop."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*args[:at], *args[at : at + 1], *args[at:]])


@click.command(
    "blame", cls=_BlameCommand, context_settings={"ignore_unknown_options": True, "allow_interspersed_args": True}
)
@click.argument("args", nargs=-1, type=click.Path(readable=False), metavar="[GIT BLAME OPTION]... [REV] [--] FILE")
@click.option("--no-pager", is_flag=True, help="Print straight to the terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(args: tuple[str, ...], no_pager: bool, as_json: bool) -> int:
    """Show git blame, with the agent and its prompt where a turn wrote the line.

    All options of git blame are passed to git (-L, -w, -M, -C, --ignore-rev, --date, ...). --porcelain,
    --line-porcelain and --incremental print what git prints, with headers whose names start with `entire-`: kind,
    session, turn, agent, model, prompt, checkpoint, reason. Text conversion is never used: line numbers are git's own.

    Example: entire blame -L 10,20 src/app.py
    """
    return run(args, as_json=as_json, paged=not no_pager)


def run(args: Sequence[str], *, as_json: bool = False, paged: bool = True) -> int:
    """Print in the form that the arguments ask for."""
    gc.disable()  # thousands of small values without a cycle: looking for cycles takes as long as reading them
    workspace = Workspace.find()
    options = args[: args.index("--")] if "--" in args else args
    asked = next((_FORMS[word] for word in reversed(options) if word in _FORMS), "")
    rest = [word for word in args if word not in _FORMS] if asked else list(args)
    view = workspace.origins.blame([asked or _PORCELAIN, *rest], folder=os.getcwd())
    if as_json:
        from entire.ui.console import json_output

        ranges = [
            {**part.__dict__, "lines": [line.decode("utf-8", "replace") for line in part.lines]} for part in view.ranges
        ]
        text.write(json_output.dumps(ranges))
    elif asked == _INCREMENTAL:
        text.write_bytes(blame.incremental(view))
    elif asked:
        text.write_bytes(blame.porcelain(view, is_every_line=asked == _LINE_PORCELAIN))
    else:
        settings = workspace.origins.blame_settings
        date = next((word.removeprefix("--date=") for word in reversed(options) if word.startswith("--date=")), "")
        date = date or settings.get("date", "")
        view = workspace.origins.blame_dates(view, date) if date not in ("", "iso", "iso8601", "default") else view
        shown = replace(_form(options, settings), date_cells=_RELATIVE_CELLS if date == "relative" else 0, **_room())
        _show(blame.lines(view, shown), workspace, paged=paged)
    return 0


def _room() -> dict[str, int]:
    """Return what a narrow terminal leaves for the names before the lines."""
    width = text.terminal_width(sys.stdout)
    return (
        {"owner_cells": min(_OWNER_CELLS, max(_FEWEST_CELLS, width // 4)), "is_narrow": width < _NARROW}
        if width
        else {}
    )


def _form(options: Sequence[str], settings: Mapping[str, str]) -> BlameForm:
    """Return what git's options and configuration ask to be shown."""
    chosen = {field: True for name, field in _SETTINGS.items() if settings.get(name, "no").lower() in _TRUE}
    chosen.update({_SHOWN[word]: True for word in options if word in _SHOWN})
    asked = next((word.removeprefix("--abbrev=") for word in options if word.startswith("--abbrev=")), "")
    digits = int(asked if asked.isdigit() else settings.get("digits", "7"))
    return BlameForm(has_owner="-s" not in options, digits=digits, **chosen)


def _show(lines: Iterable[bytes], workspace: Workspace, *, paged: bool) -> None:
    """Write lines for people: the content of a file is in no known encoding, and may command the terminal."""
    from entire.ui.console import pager

    shown = (text.plain(line.decode("utf-8", "surrogateescape").rstrip("\n")) for line in lines)
    pager.write(shown, lambda: workspace.pager, is_paged=paged)
