"""``entire show``."""

from __future__ import annotations

import sys

import click

from entire.errors import UsageError
from entire.model.conversations import ShowRequest
from entire.ui.console import completion, group, json_output, pager, text
from entire.ui.screens import shown
from entire.ui.screens.shown import Form, Printer
from entire.workspace import Workspace

FORMS = {
    "folded": Form(has_prompts=False),
    "short": Form(has_conversation=False),
    "full": Form(has_prompts=False, is_full=True),
}


@click.command("show", cls=group.Command)
@click.argument("target", required=False, shell_complete=completion.shown)
@click.option("--uncommitted", is_flag=True, help="Show the work of the sessions here that is not committed yet.")
@click.option("-s", "--short", "form_name", flag_value="short", help="Leave out the conversation.")
@click.option("--full", "form_name", flag_value="full", help="Show all that tools were asked and answered.")
@click.option("--no-pager", is_flag=True, help="Print straight to the terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; with --full, with the conversation.")
def command(
    target: str | None, uncommitted: bool, form_name: str | None, no_pager: bool, as_json: bool
) -> int:  # fmt: skip
    """Show the conversation behind a commit, checkpoint, session or turn.

    TARGET (HEAD by default) is a commit, a checkpoint or a session. SESSION/N is the session's N-th prompt, SESSION/ID
    a turn or a subagent. Checkpoints, sessions and ids can be given by their first characters.

    Tool calls are folded to a line each: ✗ marks those that failed, (+3 -1) the lines they edited.

    Example: entire show HEAD~2
    """
    if target is not None and uncommitted:
        raise UsageError("--uncommitted takes no TARGET", hint="give only one of them")
    return run(target or "HEAD", is_uncommitted=uncommitted, form_name=form_name or "folded", as_json=as_json,
               paged=not no_pager)  # fmt: skip


def run(
    target: str, *, is_uncommitted: bool = False, form_name: str = "folded", as_json: bool = False, paged: bool = True
) -> int:
    """Show a target in one form: ``folded``, ``short`` or ``full``."""
    workspace = Workspace.find()
    is_full = form_name == "full"
    view = workspace.history.show(
        ShowRequest(
            name=target,
            is_uncommitted=is_uncommitted,
            has_messages=form_name != "short" and (is_full or not as_json),
            has_subagents=is_full,
            has_records=is_full,
            has_digest=True,
        )
    )
    if as_json:
        text.write(json_output.dumps(view))
        return 0
    printer = Printer(FORMS[form_name], text.style_for(sys.stdout), pager.width())
    pager.write(printer.lines(view), lambda: workspace.pager, is_paged=paged)
    if FORMS[form_name].has_conversation:
        shown.check(view)
    return 0
