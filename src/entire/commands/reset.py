"""``entire reset``."""

from __future__ import annotations

import click

from entire.errors import UsageError
from entire.model.requests import ResetRequest
from entire.model.value import replace
from entire.ui.console import completion, group, json_output, prompts, text
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.views.maintenance import ForgottenView, ResetView, StepsView


@click.command("reset", cls=group.Command)
@click.option("--session", default="", metavar="ID", shell_complete=completion.sessions,
              help="Discard only this session (id or id prefix).")  # fmt: skip
@click.option("-f", "--force", "--yes", "force", is_flag=True, help="Do not ask, even while a turn is running.")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would be discarded, and change nothing.")
@click.option("--undo", "undoing", is_flag=True, help="Restore what the last reset discarded.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(session: str, force: bool, dry_run: bool, undoing: bool, as_json: bool) -> int:
    """Discard the steps on the current commit in this worktree, and the sessions that made them.

    Later commits are not linked to the discarded work. Files, commits and checkpoints are unchanged, and checkpoints
    keep counting as a session's work. A session with a running turn starts over as if it were new.

    Example: entire reset --dry-run
    """
    if undoing and (dry_run or force or session):
        raise UsageError("--undo cannot be combined with other options", hint="run `entire reset --undo`")
    if undoing:
        return undo(as_json=as_json)
    return run(ResetRequest(session=session, force=force, dry_run=dry_run), as_json=as_json)


def run(request: ResetRequest, *, as_json: bool = False) -> int:
    workspace = Workspace.find()
    view = workspace.maintenance.reset(replace(request, dry_run=True))
    if not view.is_empty and not request.dry_run:
        if not request.force and not view.at_work:  # during a turn the workspace refuses
            _confirm(view, quiet=as_json)
        view = workspace.maintenance.reset(request)
    if as_json:
        text.write(json_output.dumps({"dry_run": request.dry_run, "head": view.head, "sessions": view.sessions,
                               "branches": view.branches, "undo_id": view.undo_id or None}))  # fmt: skip
    elif view.is_empty:
        text.write_wrapped([f"Nothing to discard on {view.head[:7] or 'this branch'}."])
    elif request.dry_run:
        text.write_wrapped([*_listed(view, "Would be discarded:"), "Nothing was changed."])
    else:
        text.write_wrapped([*_listed(view, "Discarded:"), "Run `entire reset --undo` to restore this."])
    return 0


def _confirm(view: ResetView, *, quiet: bool) -> None:
    if quiet or not prompts.can_ask():
        raise UsageError(
            "discarding steps needs your confirmation", hint="add --force, or --dry-run to see what would be discarded"
        )
    text.write_wrapped(_listed(view, "To be discarded:"))
    if not prompts.confirm("Discard this?"):
        raise click.Abort


def undo(*, as_json: bool = False) -> int:
    done = Workspace.find().undo.reset()
    if as_json:
        text.write(json_output.dumps({"undo_id": done.undo_id, "refs": done.refs, "files": done.files}))
    else:
        text.write_wrapped([f"Restored: {done.title}."])
    return 0


def _listed(view: ResetView, heading: str) -> list[str]:
    rows = [["session", session.session_id, _session(session)] for session in view.sessions]
    rows += [["steps", branch.name, _branch(branch)] for branch in view.branches]
    return [heading, *text.table(rows, lead="  "), "Files, commits and checkpoints are unchanged."]


def _session(session: ForgottenView) -> str:
    parts = [session.agent, text.count(session.steps, "step"), text.count(len(session.open_files), "uncommitted file")]
    parts += ["a turn is running"] if session.is_at_work else []
    parts += ["its checkpoints still count"] if session.stays and not session.is_at_work else []
    return text.plain(", ".join(part for part in parts if part))


def _branch(branch: StepsView) -> str:
    outcome = f"kept: {', '.join(branch.others)} uses it too" if branch.others else "the branch is deleted"
    return f"{text.count(branch.steps, 'step')}, {outcome}"
