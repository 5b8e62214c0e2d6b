"""``entire rewind``."""

from __future__ import annotations

import os
import sys

import click

from entire.errors import EntireError, UsageError
from entire.model.requests import BEFORE_LAST_PROMPT, RewindRequest
from entire.model.value import Value, replace
from entire.ui.console import completion, diffs, group, json_output, pager, prompts, text
from entire.ui.screens import points, rewinding
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from entire.model.views.points import RewindView
    from entire.workspace.points import Rewind

_UNCHANGED = "Nothing was changed."
_NAMES = {
    "as_json": "--json", "files_only": "--files-only", "keep_mine": "--keep-mine", "listing": "--list",
    "logs_only": "--logs-only", "paths": "--file", "preview": "--preview", "reset": "--reset",
    "session_id": "--session", "to": "--to", "undo": "--undo", "yes": "--yes",
    "before_last_prompt": "--before-last-prompt", "take_back": "--take-back",
}  # fmt: skip
_ALONE = {
    "before_last_prompt": (("to", "listing", "undo", "reset", "take_back"),
                           "--before-last-prompt chooses the point, which is no commit's"),
    "listing": (("to", "preview", "paths", "logs_only", "files_only", "keep_mine", "reset", "take_back"),
                "--list only prints points; combine it with --json, --limit or --session"),
    "undo": (("paths", "session_id", "logs_only", "files_only", "keep_mine", "reset", "take_back"),
             "--undo restores everything a rewind changed; combine it with --to, --list, --preview, --json or --yes"),
    "logs_only": (("files_only", "paths", "keep_mine", "reset", "take_back"), "--logs-only changes no file"),
    "reset": (("take_back", "paths", "session_id"),
              "--reset moves the whole branch; leave it out to restore single files"),
    "take_back": (("paths", "session_id"),
                  "--take-back takes back whole commits; leave it out to restore single files"),
}  # fmt: skip
"""What an option cannot be combined with, and why."""


class Mode(Value):
    """How to answer: what to show, in which form, and whether to ask."""

    listing: bool = False
    undo: bool = False
    preview: bool = False
    yes: bool = False
    as_json: bool = False
    limit: int = 100


@click.command("rewind", cls=group.Command)
@click.option("--list", "listing", is_flag=True, help="Print the points, newest first, as JSON.")
@click.option("--to", metavar="POINT", shell_complete=completion.points, help="Rewind to this point without asking.")
@click.option(
    "--before-last-prompt", is_flag=True, help="Rewind to before the last prompt (of --session) without asking."
)
@click.option(
    "--undo",
    is_flag=True,
    help="Revert the last rewind (or undo); with --to, everything back to that undo point;"
    " with --list, print the undo points.",
)
@click.option("--file", "paths", metavar="PATH", multiple=True, shell_complete=completion.files,
              help="Rewind only this file or folder; repeatable.")  # fmt: skip
@click.option("--session", "session_id", metavar="ID", default="", shell_complete=completion.sessions,
              help="Rewind only what this session did (id or id prefix).")  # fmt: skip
@click.option("--logs-only", is_flag=True, help="Rewind only the conversation; leave files unchanged.")
@click.option("--files-only", is_flag=True, help="Rewind only the files; leave the conversation unchanged.")
@click.option("--keep-mine", is_flag=True, help="Merge your own later edits into the restored files.")
@click.option("--reset", is_flag=True, help="Move the branch back too; a backup ref keeps its old commit.")
@click.option("--take-back", is_flag=True, help="Keep later commits; add one that takes back those of sessions.")
@click.option("--preview", is_flag=True, help="Show what would change, with the full diff, and change nothing.")
@click.option("-f", "--force", is_flag=True, help="Rewind also a conversation that its agent has open.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@group.limit(100, "points")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(**given: Any) -> int:
    """Restore files and conversation to a point: the end of a turn, a subagent's task, a commit, the start of a turn.

    Without --list, --to, --before-last-prompt or --undo you choose a point from a list. The current state is saved
    before anything changes: `entire rewind --undo` restores it.

    Example: entire rewind --to 1f3a9c0 --preview
    """
    _check(given)
    if given.pop("before_last_prompt"):
        given["to"] = BEFORE_LAST_PROMPT
    mode = Mode(**{name: given.pop(name) for name in Mode._fields})
    return run(RewindRequest(**{**given, "to": given["to"] or ""}), mode)


def run(request: RewindRequest, mode: Mode) -> int:
    workspace = Workspace.find()
    request = replace(
        request,
        paths=tuple(dict.fromkeys(_inside(workspace.place.top, path) for path in request.paths)),
        session_id=workspace.sessions.find_id(request.session_id) if request.session_id else "",
    )
    if mode.listing and mode.undo:
        text.write(json_output.dumps(workspace.undo.points()))
        return 0
    if mode.listing:
        return _list(workspace, mode.limit, request.session_id)
    if mode.undo:
        return _undo(workspace, request, mode)
    if not request.to:
        return _choose(workspace, request, mode)
    with workspace.points.rewind(request) as rewind:
        text.write(rewind.recovered, sys.stderr)
        return _preview_or_carry_out(workspace, rewind, mode, keep_mine=request.keep_mine)


def _check(given: Mapping[str, Any]) -> None:
    """Refuse contradictory options before anything is read."""
    for name, (others, why) in _ALONE.items():
        wrong = [other for other in others if given[other] not in (None, False, "", ())]
        if given[name] and wrong:
            raise UsageError(f"{_NAMES[name]} cannot be combined with {_NAMES[wrong[0]]}", hint=why)
    point, undo = given["to"], given["undo"]
    if point is not None and not point.strip():
        raise UsageError("--to needs the id of a point", hint="run `entire rewind --list` to list points")
    has_point = given["before_last_prompt"] or (point is not None and not undo)
    if given["listing"] or has_point or given["yes"] or prompts.can_ask():
        return
    if undo and not given["preview"]:
        raise UsageError("undo needs your confirmation", hint="add --yes, or --preview to see what would change")
    if not undo:
        raise _cannot_choose()


def _cannot_choose() -> UsageError:
    return UsageError(
        "choosing a point needs a terminal",
        hint="run `entire rewind --list` to list points, and `entire rewind --to POINT` to rewind to one",
    )


def _inside(top: str, path: str) -> str:
    """Make a path relative to the top of the worktree; if the path itself is a symbolic link, keep the link."""
    whole = os.path.join(os.getcwd(), path)
    folder, name = os.path.split(whole.rstrip("/"))
    real = os.path.realpath(whole) if name in ("", ".", "..") else os.path.join(os.path.realpath(folder), name)
    if not path or not (real + "/").startswith(top.rstrip("/") + "/"):
        raise UsageError(f"not a path of this worktree: {path!r}", hint=f"give a path below {top}")
    return os.path.relpath(real, top)


def _list(workspace: Workspace, limit: int, session_id: str) -> int:
    listed = workspace.points.listing(limit, session_id=session_id)
    newest_first = sorted(listed, key=lambda point: -point.time)  # stable: a task stays below its step
    text.write(json_output.dumps([points.entry(point) for point in newest_first]))
    text.write(points.forgotten(workspace.points.forgotten(limit)), sys.stderr)
    return 0


def _undo(workspace: Workspace, request: RewindRequest, mode: Mode) -> int:
    with workspace.undo.rewind(request.to) as rewind:
        rewind.is_forced = request.force
        text.write(rewind.recovered, sys.stderr)
        if mode.preview:
            return _preview(workspace, rewind, mode)
        if not mode.yes and not rewinding.is_wanted(rewind, workspace.pager):
            return _decline(mode)
        return _carry_out(rewind, mode)


def _choose(workspace: Workspace, request: RewindRequest, mode: Mode) -> int:
    if not prompts.can_ask():  # --yes answers questions, but it cannot choose
        raise _cannot_choose()
    listed = workspace.points.listing(mode.limit, session_id=request.session_id)
    if not listed:
        raise EntireError(
            "there is no point to rewind to", hint="points are saved when an agent's turn ends and when you commit"
        )
    listed = rewinding.with_last_start(listed)
    point = rewinding.choose(workspace, listed, request)
    if point is None:
        return _decline(mode)
    request = replace(request, to=rewinding.name(point, listed))
    if mode.yes or mode.preview:
        with workspace.points.rewind(request) as rewind:
            return _preview_or_carry_out(workspace, rewind, mode, keep_mine=request.keep_mine)
    return _ask(workspace, rewinding.questions(workspace, point, request), mode)


def _ask(workspace: Workspace, request: RewindRequest, mode: Mode) -> int:
    """Ask about the user's own edits, show the plan, and carry it out if confirmed."""
    with workspace.points.rewind(request) as rewind:
        is_open = bool(rewind.view.yours) and not request.keep_mine
        if not (is_open and rewinding.wants_to_keep(rewind)):
            return _confirm(workspace, rewind, mode, keep_mine=request.keep_mine)
    with workspace.points.rewind(replace(request, keep_mine=True)) as merged:
        return _confirm(workspace, merged, mode, keep_mine=True)


def _confirm(workspace: Workspace, rewind: Rewind, mode: Mode, *, keep_mine: bool) -> int:
    if not rewinding.is_wanted(rewind, workspace.pager, keep_mine=keep_mine):
        return _decline(mode)
    return _carry_out(rewind, mode, keep_mine=keep_mine)


def _decline(mode: Mode) -> int:
    text.write([_UNCHANGED], sys.stderr if mode.as_json else sys.stdout)
    return 0


def _preview_or_carry_out(workspace: Workspace, rewind: Rewind, mode: Mode, *, keep_mine: bool) -> int:
    if mode.preview:
        return _preview(workspace, rewind, mode, keep_mine=keep_mine)
    _check_conversations(rewind.view, mode)
    return _carry_out(rewind, mode, keep_mine=keep_mine)


def _check_conversations(view: RewindView, mode: Mode) -> None:
    """Tell which conversations cannot be put back. Raises EntireError if nothing else would go back, or if the user has
    not agreed to restore only the rest.
    """
    problems = [text.plain(f"session {change.session_id} {change.problem}") for change in view.conversations
                if change.problem]  # fmt: skip
    is_rest = not points.is_nothing(view)
    if problems and not (mode.yes and is_rest):
        hint = "add --yes to restore everything else, or --preview to see what that is" if is_rest else ""
        raise EntireError(f"{'; '.join(problems)}; nothing was changed", hint=hint)
    text.write(problems, sys.stderr)


def _carry_out(rewind: Rewind, mode: Mode, *, keep_mine: bool = False) -> int:
    rewind.progress = text.progress
    done: RewindView = rewind.carry_out()
    if mode.as_json:
        text.write(json_output.dumps(done))
    else:
        text.write_wrapped(points.summary(done, text.style_for(sys.stdout), done=True, keep_mine=keep_mine))
    return 0


def _preview(workspace: Workspace, rewind: Rewind, mode: Mode, *, keep_mine: bool = False) -> int:
    """Show what would change; a pipe or file gets the diff byte for byte."""
    if mode.as_json:
        text.write(json_output.dumps(rewind.view))
        return 0
    style = text.style_for(sys.stdout)
    summary = list(points.summary(rewind.view, style, keep_mine=keep_mine))
    data = rewind.diff(colour=False)
    if diffs.is_paged():
        pager.show([*summary, "", *diffs.coloured(data, style)], workspace.pager)
        return 0
    text.write([*summary, *([""] if data else [])])
    if sys.stdout.isatty():
        text.write(diffs.coloured(data, style))
    else:
        text.write_bytes([data])
    return 0
