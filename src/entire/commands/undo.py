"""``entire undo``."""

from __future__ import annotations

import sys
import time

import click

from entire.errors import EntireError, UsageError
from entire.model import prefix
from entire.model.views.changes import ChangeView
from entire.ui.console import completion, group, json_output, prompts, text
from entire.ui.screens import rewinding
from entire.workspace import Workspace


@click.command("undo", cls=group.Command)
@click.argument("change", required=False, default="", metavar="[ID]", shell_complete=completion.changes)
@click.option("--list", "listing", is_flag=True, help="Print the changes, newest first.")
@click.option("-f", "--force", is_flag=True, help="Undo a rewind also if an agent has its conversation open.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(change: str, listing: bool, force: bool, yes: bool, as_json: bool) -> int:
    """Undo the last rewind, resume, clean, reset, forget, link or unlink, or the one with this id.

    Of each command the last change can be undone, for two weeks. It is the same as --undo of that command.

    Example: entire undo --list
    """
    if listing:
        if change or force or yes:
            raise UsageError("--list can only be combined with --json", hint="run `entire undo --list`")
        return _list(Workspace.find(), as_json=as_json)
    return run(change, force=force, yes=yes, as_json=as_json)


def run(change: str = "", *, force: bool = False, yes: bool = False, as_json: bool = False) -> int:
    workspace = Workspace.find()
    undoable = _find(workspace.undo.changes(), change)
    if not yes and not prompts.can_ask():
        raise UsageError("undo needs your confirmation", hint="add --yes, or --list to see what can be undone")
    if undoable.command == "rewind":
        return _undo_rewind(workspace, undoable, force=force, yes=yes, as_json=as_json)
    if not yes and not prompts.confirm(f"Undo {_title(undoable)}?"):
        raise click.Abort
    return _tell(undoable, workspace.undo.last(undoable.command, text.progress), as_json=as_json)


def _find(known: list[ChangeView], name: str) -> ChangeView:
    """Return the change to undo: the last one that can be, or the named one."""
    if not name:
        chosen = next((change for change in known if change.can_undo), None)
        if chosen is None:
            raise EntireError("there is nothing to undo", hint="changes can be undone for two weeks")
        return chosen
    wanted = prefix.find(name, [change.id for change in known], "change")
    chosen = next((change for change in known if change.id == wanted), None)
    if chosen is None:
        raise EntireError(f"no such change: {name}", hint="run `entire undo --list` to see them")
    if not chosen.can_undo:
        why = "it was undone" if chosen.is_undone else "the same command made a later change"
        raise EntireError(
            f"{_title(chosen)} cannot be undone: {why}", hint="run `entire undo --list` to see what can be"
        )
    return chosen


def _undo_rewind(workspace: Workspace, undoable: ChangeView, *, force: bool, yes: bool, as_json: bool) -> int:
    with workspace.undo.rewind(undoable.id) as rewind:
        rewind.is_forced = force
        text.write(rewind.recovered, sys.stderr)
        if not yes and not rewinding.is_wanted(rewind, workspace.pager):
            raise click.Abort
        rewind.progress = text.progress
        return _tell(undoable, rewind.carry_out().undo_id, as_json=as_json)


def _list(workspace: Workspace, *, as_json: bool) -> int:
    known = workspace.undo.changes()
    if as_json:
        text.write(json_output.dumps(known))
        return 0
    if not known:
        text.write_wrapped(["There is nothing to undo."])
        return 0
    now = time.time()
    rows = [[change.id, text.ago(change.time, now), _title(change), _state(change)] for change in known]
    text.write(text.table(rows))
    return 0


def _state(change: ChangeView) -> str:
    return "" if change.can_undo else "undone" if change.is_undone else "after a later one"


def _title(change: ChangeView) -> str:
    """Name a change for people: clean and reset are titled by what they removed."""
    title = text.one_line(change.title)
    what = title.removeprefix("undo of ")
    named = what if change.command in what else f"{change.command} of {what}"
    return named if what == title else f"undo of {named}"


def _tell(undone: ChangeView, undo_id: str, *, as_json: bool) -> int:
    if as_json:
        text.write(json_output.dumps({"command": undone.command, "undone": undone.id, "undo_id": undo_id}))
    else:
        text.write_wrapped([f"Undone: {_title(undone)}."])
    return 0
