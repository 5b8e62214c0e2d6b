"""``entire reset``."""

from __future__ import annotations

import click

from entire.errors import UsageError
from entire.model.requests import ResetRequest
from entire.model.value import replace
from entire.ui import form, group, prompts, text
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.views import ForgottenView, ResetView, StepsView


@click.command("reset", cls=group.Command)
@click.option("--session", default="", metavar="ID", help="Forget only this session (id or the beginning of it).")
@click.option("-f", "--force", "--yes", "force", is_flag=True, help="Do not ask, also while a turn is in progress.")
@click.option("-n", "--dry-run", is_flag=True, help="Only show what would be forgotten.")
@click.option("--undo", "undoing", is_flag=True, help="Bring back what the last reset forgot.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(session: str, force: bool, dry_run: bool, undoing: bool, as_json: bool) -> int:
    """Forget the steps on the present commit in this work tree, and the sessions that stand on them.

    No later commit is linked to what they did so far. Work tree, commits and checkpoints stay as they are, and what a
    session has in checkpoints stays counted. A session with a turn in progress goes on, from nothing.

    Example: entire reset --dry-run
    """
    if undoing and (dry_run or force or session):
        raise UsageError("--undo stands alone", hint="`entire reset --undo`")
    if undoing:
        return undo(as_json=as_json)
    return run(ResetRequest(session=session, force=force, dry_run=dry_run), as_json=as_json)


def run(request: ResetRequest, *, as_json: bool = False) -> int:
    """Show what a reset forgets, ask, and forget it."""
    workspace = Workspace.find()
    view = workspace.reset(replace(request, dry_run=True))
    if not view.is_empty and not request.dry_run:
        if not request.force and not view.at_work:  # near a turn in progress the workspace refuses
            _confirm(view, quiet=as_json)
        view = workspace.reset(request)
    if as_json:
        text.write(form.dumps({"dry_run": request.dry_run, "head": view.head, "sessions": view.sessions,
                               "branches": view.branches, "undo_id": view.undo_id or None}))  # fmt: skip
    elif view.is_empty:
        text.write([f"Nothing to forget on {view.head[:7] or 'this branch'}."])
    elif request.dry_run:
        text.write([*_told(view, "To be forgotten:"), "Nothing was changed."])
    else:
        text.write([*_told(view, "Forgotten:"), "`entire reset --undo` brings this back."])
    return 0


def _confirm(view: ResetView, *, quiet: bool) -> None:
    if quiet or not prompts.can_ask():
        raise UsageError("this forgets steps, so it asks first", hint="add --force; --dry-run shows what would go")
    text.write(_told(view, "To be forgotten:"))
    if not prompts.confirm("Forget this?"):
        raise click.Abort


def undo(*, as_json: bool = False) -> int:
    """Bring back what the last reset forgot."""
    done = Workspace.find().undo_reset()
    if as_json:
        text.write(form.dumps({"undo_id": done.undo_id, "refs": done.refs, "files": done.files}))
    else:
        text.write([f"Brought back: {done.title}."])
    return 0


def _told(view: ResetView, head: str) -> list[str]:
    rows = [["session", one.session_id, _session(one)] for one in view.sessions]
    rows += [["steps", one.name, _branch(one)] for one in view.branches]
    return [head, *text.table(rows, lead="  "), "Files, commits and checkpoints stay as they are."]


def _session(one: ForgottenView) -> str:
    parts = [one.agent, text.count(one.steps, "step"), text.count(len(one.open_files), "open file")]
    parts += ["a turn is in progress"] if one.is_at_work else []
    parts += ["what is in its checkpoints stays counted"] if one.stays and not one.is_at_work else []
    return text.plain(", ".join(part for part in parts if part))


def _branch(one: StepsView) -> str:
    others = f"stays: {', '.join(one.others)} stands on it too" if one.others else "the branch is deleted"
    return f"{text.count(one.steps, 'step')}, {others}"
