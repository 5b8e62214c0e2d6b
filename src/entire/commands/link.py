"""``entire link``."""

from __future__ import annotations

import click

from entire.errors import UsageError
from entire.model.linking import LinkRequest
from entire.model.value import replace
from entire.ui.console import completion, group, json_output, prompts, text
from entire.ui.screens import linking
from entire.workspace import Workspace


@click.command("link", cls=group.Command)
@click.argument("commit", required=False, default="", shell_complete=completion.commits)
@click.option("--session", default="", metavar="ID", shell_complete=completion.sessions,
              help="Link it to this session (id or id prefix).")  # fmt: skip
@click.option("--checkpoint", default="", metavar="ID", shell_complete=completion.checkpoints,
              help="Link it to this stored checkpoint (id or id prefix).")  # fmt: skip
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--undo", "undoing", is_flag=True, help="Undo the last link that was made by hand.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(commit: str, session: str, checkpoint: str, yes: bool, dry_run: bool, undoing: bool, as_json: bool) -> int:
    """Link a commit to the session that made it, although it has no trailer.

    The link is recorded by the commit's id; history is not rewritten. A checkpoint is written from what is stored of
    the session. Only lines that are proved to be the agent's count as the agent's. Without --session, the session with
    content in the commit is taken, or the only one that was at work.

    Example: entire link HEAD --dry-run
    """
    if undoing:
        if commit or session or checkpoint or dry_run or yes:
            raise UsageError("--undo cannot be combined with other options", hint="run `entire link --undo`")
        return undo(as_json=as_json)
    if not commit:
        raise UsageError("no commit is given", hint="run `entire link HEAD`, or name another commit")
    if session and checkpoint:
        raise UsageError("--session and --checkpoint cannot be combined",
                         hint="choose a session, or a checkpoint that exists")  # fmt: skip
    return run(LinkRequest(commit=commit, session=session, checkpoint=checkpoint, dry_run=dry_run), yes, as_json)


def run(request: LinkRequest, yes: bool = False, as_json: bool = False) -> int:
    workspace = Workspace.find()
    view = workspace.links.link(replace(request, dry_run=True))
    if view.is_change and not request.dry_run:
        if not yes:
            _confirm(list(linking.linking(view)), quiet=as_json)
        view = workspace.links.link(request)
    if as_json:
        text.write(json_output.dumps({"dry_run": request.dry_run, **view.__dict__}))
    elif not view.is_change:
        text.write_wrapped([linking.unchanged(view, unlink=False)])
    elif request.dry_run:
        text.write_wrapped([*linking.linking(view), "Nothing was changed."])
    else:
        text.write_wrapped(linking.linked(view))
    return 0


def _confirm(lines: list[str], *, quiet: bool) -> None:
    if quiet or not prompts.can_ask():
        raise UsageError("linking a commit needs your confirmation",
                         hint="add --yes, or --dry-run to see what would change")  # fmt: skip
    text.write_wrapped(lines)
    if not prompts.confirm("Link this commit?"):
        raise click.Abort


def undo(*, as_json: bool = False) -> int:
    done = Workspace.find().undo.link()
    if as_json:
        text.write(json_output.dumps(done))
    else:
        text.write_wrapped(linking.undone(done))
    return 0
