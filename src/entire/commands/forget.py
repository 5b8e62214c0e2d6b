"""``entire forget``."""

from __future__ import annotations

import sys
import time

import click

from entire.errors import UsageError
from entire.model.audits import ForgetRequest
from entire.model.value import replace
from entire.ui.console import completion, group, json_output, prompts, text
from entire.ui.screens import forgetting
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.audits import ForgetView

_STDIN = "-"


@click.command("forget", cls=group.Command)
@click.option("--secret", is_flag=False, flag_value="", default=None, metavar="[-]",
              help="Forget a value. It is asked for, or read from standard input (-).")  # fmt: skip
@click.option("--finding", default="", metavar="FINDING", help="Forget a secret that `entire audit` found.",
              shell_complete=completion.findings)  # fmt: skip
@click.option("--session", default="", metavar="ID", shell_complete=completion.sessions,
              help="Forget a session: its conversation in all steps and checkpoints (id or id prefix).")  # fmt: skip
@click.option("--checkpoint", default="", metavar="ID", shell_complete=completion.checkpoints,
              help="Forget a checkpoint (id or id prefix).")  # fmt: skip
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--undo", "undoing", is_flag=True, help="Restore what the last forget removed.")
@click.option("--prune", "pruning", is_flag=True, help="Delete the undo points of forget, with the data it removed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    secret: str | None, finding: str, session: str, checkpoint: str, yes: bool, dry_run: bool, undoing: bool,
    pruning: bool, as_json: bool,
) -> int:  # fmt: skip
    """Remove a secret, a session or a checkpoint from everything that is stored.

    Checkpoints with their whole history, steps, session states, logs, undo points and the search index change; your
    commits, with their trailers, and your files do not. It says which remotes still have it, and the commands that
    change that.

    Example: entire forget --secret --dry-run
    """
    named = [word for word in (finding, session, checkpoint) if word] + ([] if secret is None else ["secret"])
    if undoing or pruning:
        if named or dry_run or (undoing and pruning):
            raise UsageError("--undo and --prune cannot be combined with other options",
                             hint="run `entire forget --undo`")  # fmt: skip
        return undo(as_json=as_json) if undoing else prune(as_json=as_json)
    if len(named) != 1:
        raise UsageError("name what to forget: one of --secret, --finding, --session and --checkpoint",
                         hint="run `entire audit` to find secrets, `entire log` to list checkpoints")  # fmt: skip
    value = "" if secret is None else _value(secret)
    return run(ForgetRequest(secret=value, finding=finding, session=session, checkpoint=checkpoint, dry_run=dry_run),
               yes=yes, as_json=as_json)  # fmt: skip


def _value(given: str) -> str:
    """Return the secret: from standard input, from a prompt that shows nothing, or as it was given."""
    if given == _STDIN:
        value = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        value = value[:-1] if value.endswith("\n") else value
    elif given:
        text.write(["Note: a value on the command line stays in your shell's history; `--secret` alone asks for it."],
                   sys.stderr)  # fmt: skip
        value = given
    elif prompts.can_ask():
        value = click.prompt("Secret to forget", hide_input=True, err=True, prompt_suffix=": ")
    else:
        raise UsageError("there is no terminal to ask for the secret", hint="give it on standard input: --secret -")
    if not value:
        raise UsageError("the secret is empty", hint="give it on standard input: --secret -")
    return value


def run(request: ForgetRequest, *, yes: bool = False, as_json: bool = False) -> int:
    workspace = Workspace.find()
    view = workspace.secrets.forget(replace(request, dry_run=True))
    if not view.is_empty and not request.dry_run:
        if not yes:
            _confirm(view, quiet=as_json)
        view = workspace.secrets.forget(request)
    if as_json:
        text.write(json_output.dumps({"dry_run": request.dry_run, **view.__dict__}))
    elif view.is_empty:
        text.write_wrapped([f"Nothing to forget: {forgetting.name(view)} is not stored here.",
                            *forgetting.elsewhere(view, time.time())])  # fmt: skip
    elif request.dry_run:
        text.write_wrapped([*forgetting.changes(view, time.time()), "Nothing was changed."])
    else:
        text.write_wrapped(forgetting.forgotten(view, time.time()))
    return 0


def _confirm(view: ForgetView, *, quiet: bool) -> None:
    if quiet or not prompts.can_ask():
        raise UsageError("forgetting needs your confirmation", hint="add --yes, or --dry-run to see what would change")
    text.write_wrapped(forgetting.changes(view, time.time()))
    if not prompts.confirm("Forget this?"):
        raise click.Abort


def undo(*, as_json: bool = False) -> int:
    done = Workspace.find().undo.forget()
    if as_json:
        text.write(json_output.dumps({"undo_id": done.undo_id, "refs": done.refs, "files": done.files}))
    else:
        text.write_wrapped([f"Restored: {done.title}."])
    return 0


def prune(*, as_json: bool = False) -> int:
    done = Workspace.find().secrets.prune()
    if as_json:
        text.write(json_output.dumps(done))
    elif not done.removed:
        text.write_wrapped(["There is no undo point of `entire forget`."])
    else:
        removed = text.count(len(done.removed), "undo point")
        text.write_wrapped([f"Deleted {removed}. Run `{forgetting.PRUNE}` to delete git's old objects at once."])
    return 0
