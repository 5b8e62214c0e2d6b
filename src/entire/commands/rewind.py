"""``entire rewind``."""

from __future__ import annotations

import os
import sys

import click
from click.shell_completion import CompletionItem

from entire.errors import EntireError, UsageError
from entire.model.requests import RewindRequest
from entire.model.value import Value, replace
from entire.ui import diffs, form, group, pager, points, prompts, rewinding, text
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from entire.model import views
    from entire.rewind.plan import Rewind

_UNCHANGED = "Nothing was changed."
_NAMES = {
    "as_json": "--json", "files_only": "--files-only", "keep_mine": "--keep-mine", "listing": "--list",
    "logs_only": "--logs-only", "paths": "--file", "preview": "--preview", "reset": "--reset",
    "session_id": "--session", "to": "--to", "undo": "--undo", "yes": "--yes",
}  # fmt: skip
_ALONE = {
    "listing": (("to", "preview", "paths", "logs_only", "files_only", "keep_mine", "reset"),
                "--list shows points and changes nothing; --json, --limit and --session go with it"),
    "undo": (("paths", "session_id", "logs_only", "files_only", "keep_mine", "reset"),
             "--undo brings back all that was there before a rewind; --to, --list, --preview and --yes go with it"),
    "logs_only": (("files_only", "paths", "keep_mine", "reset"), "--logs-only leaves every file as it is"),
    "reset": (("paths", "session_id"), "--reset moves the whole branch; leave it out to go back by files"),
}  # fmt: skip
"""What an option cannot be combined with, and why."""


def _complete_points(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the points that begin so, for the shell; none where there is no repository."""
    try:
        found = Workspace.find().points(50)
    except Exception:  # a shell that completes shows no errors
        return []
    told = {point.id: text.one_line(point.message or point.prompt, 60) for point in reversed(found)}
    return [CompletionItem(one, help=told[one]) for one in reversed(told) if one.startswith(incomplete)]


def _complete_sessions(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the sessions that begin so, for the shell."""
    try:
        found = Workspace.find().sessions()
    except Exception:  # as above
        return []
    told = [(one.session_id, text.one_line(one.first_prompt, 60)) for one in found]
    return [CompletionItem(name, help=said) for name, said in told if name.startswith(incomplete)]


class Mode(Value):
    """How to answer: which points are shown, in which form, whether a person is asked."""

    listing: bool = False
    undo: bool = False
    preview: bool = False
    yes: bool = False
    as_json: bool = False
    limit: int = 100


@click.command("rewind", cls=group.Command)
@click.option("--list", "listing", is_flag=True, help="Print the points, newest first, as JSON.")
@click.option("--to", metavar="POINT", shell_complete=_complete_points, help="Go back to this point; never asks.")
@click.option(
    "--undo",
    is_flag=True,
    help="Bring back all that was there before the last rewind (or undo);"
    " with --to before an earlier one, with --list show what there is.",
)
@click.option("--file", "paths", metavar="PATH", multiple=True, help="Only this file; may be given several times.")
@click.option("--session", "session_id", metavar="ID", default="", shell_complete=_complete_sessions,
              help="Only what this session did (id or the beginning of it).")  # fmt: skip
@click.option("--logs-only", is_flag=True, help="Only the conversation; files stay as they are.")
@click.option("--files-only", is_flag=True, help="Only the files; the conversation stays as it is.")
@click.option("--keep-mine", is_flag=True, help="Merge your own edits since the point into the files.")
@click.option("--reset", is_flag=True, help="Move the branch back too; a backup ref keeps where it was.")
@click.option("--preview", is_flag=True, help="Show what would change, with the whole diff, and change nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--limit", default=100, show_default=True, help="How many points to list; 0 lists all.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(**given: Any) -> int:
    """Put files and conversation back to a point: the end of a turn, a subagent's task, a commit.

    Without --list, --to or --undo you choose from a list. Before anything changes, all that is there now is saved:
    `entire rewind --undo` brings it back.

    Example: entire rewind --to 1f3a9c0 --preview
    """
    _check(given)
    mode = Mode(**{name: given.pop(name) for name in Mode._fields})
    return run(RewindRequest(**{**given, "to": given["to"] or ""}), mode)


def run(request: RewindRequest, mode: Mode) -> int:
    """List points, go back to one, or undo that."""
    workspace = Workspace.find()
    request = replace(
        request,
        paths=tuple(dict.fromkeys(_inside(workspace.place.top, path) for path in request.paths)),
        session_id=workspace.session_id(request.session_id) if request.session_id else "",
    )
    if mode.listing and mode.undo:
        text.write(form.dumps(workspace.undo_points()))
        return 0
    if mode.listing:
        return _list(workspace, mode.limit, request.session_id)
    if mode.undo:
        return _undo(workspace, request.to, mode)
    if not request.to:
        return _choose(workspace, request, mode)
    with workspace.rewind(request) as rewind:
        text.write(rewind.told, sys.stderr)
        return _show_or_do(workspace, rewind, mode, kept=request.keep_mine)


def _check(given: Mapping[str, Any]) -> None:
    """Refuse what contradicts itself, before anything is read."""
    for name, (others, why) in _ALONE.items():
        wrong = [one for one in others if given[one] not in (None, False, "", ())]
        if given[name] and wrong:
            raise UsageError(f"{_NAMES[name]} cannot be combined with {_NAMES[wrong[0]]}", hint=why)
    point, undo = given["to"], given["undo"]
    if point is not None and not point.strip():
        raise UsageError("--to needs the name of a point", hint="`entire rewind --list` lists points")
    if given["limit"] < 0:
        raise UsageError("--limit cannot be negative", hint="0 lists all points")
    if given["listing"] or (point is not None and not undo) or given["yes"] or prompts.can_ask():
        return
    if undo and not given["preview"]:
        raise UsageError("nobody is here to confirm the undo", hint="add --yes, or look first: --undo --preview")
    if not undo:
        raise _nobody()


def _nobody() -> UsageError:
    return UsageError(
        "nobody is here to choose a point",
        hint="`entire rewind --list` lists points, `entire rewind --to POINT` goes to one",
    )


def _inside(top: str, path: str) -> str:
    """Return a path given from the current folder as one from the top; a symbolic link itself is not followed."""
    whole = os.path.join(os.getcwd(), path)
    folder, name = os.path.split(whole.rstrip("/"))
    real = os.path.realpath(whole) if name in ("", ".", "..") else os.path.join(os.path.realpath(folder), name)
    if not path or not (real + "/").startswith(top.rstrip("/") + "/"):
        raise UsageError(f"not a path of this worktree: {path!r}", hint=f"give paths below {top}")
    return os.path.relpath(real, top)


def _list(workspace: Workspace, limit: int, session_id: str) -> int:
    found = workspace.points(limit, session_id=session_id)
    newest_first = sorted(found, key=lambda point: -point.time)  # a task stands below its step, whatever else happened
    text.write(form.dumps([points.entry(point) for point in newest_first]))
    return 0


def _undo(workspace: Workspace, name: str, mode: Mode) -> int:
    with workspace.undo(name) as rewind:
        text.write(rewind.told, sys.stderr)
        if mode.preview:
            return _preview(workspace, rewind, mode)
        if not mode.yes and not rewinding.is_wanted(rewind, workspace.pager):
            return _left(mode)
        return _carry_out(rewind, mode)


def _choose(workspace: Workspace, request: RewindRequest, mode: Mode) -> int:
    """Let a person choose a point and what of it, and carry it out when they say so."""
    if not prompts.can_ask():  # --yes answers questions, but it cannot choose
        raise _nobody()
    found = workspace.points(mode.limit, session_id=request.session_id)
    if not found:
        raise EntireError("there is no point to go back to", hint="points come with an agent's turns and your commits")
    point = rewinding.choose(workspace, found, request)
    if point is None:
        return _left(mode)
    request = replace(request, to=rewinding.name(point, found))
    if mode.yes or mode.preview:
        with workspace.rewind(request) as rewind:
            return _show_or_do(workspace, rewind, mode, kept=request.keep_mine)
    return _settle(workspace, rewinding.questions(workspace, point, request), mode)


def _settle(workspace: Workspace, request: RewindRequest, mode: Mode) -> int:
    """Ask about a person's own edits, show what will be, and do it when they agree."""
    with workspace.rewind(request) as rewind:
        asks = bool(rewind.view.yours) and not request.keep_mine
        if not (asks and rewinding.wants_to_keep(rewind)):
            return _agree(workspace, rewind, mode, kept=request.keep_mine)
    with workspace.rewind(replace(request, keep_mine=True)) as merged:
        return _agree(workspace, merged, mode, kept=True)


def _agree(workspace: Workspace, rewind: Rewind, mode: Mode, *, kept: bool) -> int:
    if not rewinding.is_wanted(rewind, workspace.pager, kept=kept):
        return _left(mode)
    return _carry_out(rewind, mode, kept=kept)


def _left(mode: Mode) -> int:
    text.write([_UNCHANGED], sys.stderr if mode.as_json else sys.stdout)
    return 0


def _show_or_do(workspace: Workspace, rewind: Rewind, mode: Mode, *, kept: bool) -> int:
    return _preview(workspace, rewind, mode, kept=kept) if mode.preview else _carry_out(rewind, mode, kept=kept)


def _carry_out(rewind: Rewind, mode: Mode, *, kept: bool = False) -> int:
    done: views.RewindView = rewind.carry_out()
    if mode.as_json:
        text.write(form.dumps(done))
    else:
        text.write(points.summary(done, text.style_for(sys.stdout), done=True, kept=kept))
    return 0


def _preview(workspace: Workspace, rewind: Rewind, mode: Mode, *, kept: bool = False) -> int:
    """Show what would change; a program or a file gets the diff byte for byte."""
    if mode.as_json:
        text.write(form.dumps(rewind.view))
        return 0
    style = text.style_for(sys.stdout)
    summary = list(points.summary(rewind.view, style, kept=kept))
    data = rewind.diff(colour=False)
    if diffs.is_paged():
        pager.show([*summary, "", *diffs.coloured(data, style)], workspace.pager)
        return 0
    text.write([*summary, *([""] if data else [])])
    sys.stdout.flush()
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None or sys.stdout.isatty():
        text.write(diffs.coloured(data, style))
    else:
        stream.write(data)
        stream.flush()
    return 0
