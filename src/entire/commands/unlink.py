"""``entire unlink``."""

from __future__ import annotations

import click

from entire.errors import UsageError
from entire.model.linking import UnlinkRequest
from entire.model.value import replace
from entire.ui.console import completion, group, json_output, prompts, text
from entire.ui.screens import linking
from entire.workspace import Workspace


@click.command("unlink", cls=group.Command)
@click.argument("commit", required=False, default="", shell_complete=completion.commits)
@click.option("--checkpoint", default="", metavar="ID", shell_complete=completion.checkpoints,
              help="Unlink it from this checkpoint only (id or id prefix).")  # fmt: skip
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--undo", "undoing", is_flag=True, help="Undo the last unlinking.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(commit: str, checkpoint: str, yes: bool, dry_run: bool, undoing: bool, as_json: bool) -> int:
    """Record that a commit does not belong to its checkpoints.

    History is not rewritten: the message may keep its trailer, which Entire then ignores. The checkpoints stay stored.
    Amended, rebased and picked copies of the commit stay unlinked too. A push takes the record to other clones.

    Example: entire unlink HEAD --dry-run
    """
    if undoing:
        if commit or checkpoint or dry_run or yes:
            raise UsageError("--undo cannot be combined with other options", hint="run `entire unlink --undo`")
        return undo(as_json=as_json)
    if not commit:
        raise UsageError("no commit is given", hint="run `entire unlink HEAD`, or name another commit")
    return run(UnlinkRequest(commit=commit, checkpoint=checkpoint, dry_run=dry_run), yes, as_json)


def run(request: UnlinkRequest, yes: bool = False, as_json: bool = False) -> int:
    workspace = Workspace.find()
    view = workspace.links.unlink(replace(request, dry_run=True))
    if view.is_change and not request.dry_run:
        if not yes:
            _confirm(list(linking.unlinking(view)), quiet=as_json)
        view = workspace.links.unlink(request)
    if as_json:
        text.write(json_output.dumps({"dry_run": request.dry_run, **view.__dict__}))
    elif not view.is_change:
        text.write_wrapped([linking.unchanged(view, unlink=True)])
    elif request.dry_run:
        text.write_wrapped([*linking.unlinking(view), "Nothing was changed."])
    else:
        text.write_wrapped(linking.unlinked(view))
    return 0


def _confirm(lines: list[str], *, quiet: bool) -> None:
    if quiet or not prompts.can_ask():
        raise UsageError("unlinking a commit needs your confirmation",
                         hint="add --yes, or --dry-run to see what would change")  # fmt: skip
    text.write_wrapped(lines)
    if not prompts.confirm("Unlink this commit?"):
        raise click.Abort


def undo(*, as_json: bool = False) -> int:
    done = Workspace.find().undo.link(unlinking=True)
    if as_json:
        text.write(json_output.dumps(done))
    else:
        text.write_wrapped(linking.undone(done))
    return 0
