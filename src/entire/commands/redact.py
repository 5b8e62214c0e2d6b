"""``entire redact``."""

from __future__ import annotations

import sys

import click

from entire.errors import EntireError, UsageError
from entire.model.redaction_previews import PreviewRequest
from entire.ui.console import completion, group, json_output, pager, text
from entire.ui.console.bar import Bar
from entire.ui.screens import redaction_previews
from entire.workspace import Workspace
from entire.workspace.rules import Rules

CLEAN, FOUND, FAILED = 0, 1, 2
TRUST = "trust"


class _RedactCommand(group.Command):
    exit_codes = ("Exit codes: 0 done, 1 secrets found (with --check only), 2 a file could not be read, "
                  ".entire/redact.toml is broken, no such session, or usage, 130 interrupted.")  # fmt: skip


@click.command("redact", cls=_RedactCommand)
@click.option("--test", "tested", multiple=True, metavar="FILE", shell_complete=completion.files,
              help="Show what would be replaced in a file; - is standard input.")  # fmt: skip
@click.option("--session", default="", metavar="ID", shell_complete=completion.sessions,
              help="Show what would be replaced in a session's transcript (id or id prefix).")  # fmt: skip
@click.option("--check", is_flag=True, help="Exit with 1 if something would be replaced.")
@click.option("--rules", "with_rules", is_flag=True, help="List all rules, with an example of what each finds.")
@click.option("--no-pager", is_flag=True, help="Print straight to the terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.argument("files", nargs=-1, metavar="[trust | FILE...]", shell_complete=completion.files)
def command(
    tested: tuple[str, ...], session: str, check: bool, with_rules: bool, no_pager: bool, as_json: bool,
    files: tuple[str, ...],
) -> int:  # fmt: skip
    """Show what redaction would replace, and by which rule. Values are masked; nothing is changed or remembered.

    `entire redact trust` agrees to the exceptions in .entire/redact.toml as they are now, until they change. Those that
    a commit brought do not count before.

    In a repository its .entire/redact.toml applies, and what it remembers; elsewhere the built-in rules. HASH names a
    value in the list of exceptions. Further FILEs can follow the first one.

    Example: entire redact --test notes.txt
    """
    if files == (TRUST,) and not (tested or session or check or with_rules):
        return trust()
    named = (*tested, *files)
    if sum(map(bool, (named, session, with_rules))) != 1 or (files and not (tested or check)):
        raise UsageError("name what to try: --test FILE or --session ID; or ask for --rules",
                         hint="run `entire redact --test FILE`")  # fmt: skip
    if with_rules:
        return show_rules(as_json=as_json, paged=not no_pager)
    return run(PreviewRequest(files=named, session=session), check=check, as_json=as_json)


def run(request: PreviewRequest, *, check: bool = False, as_json: bool = False) -> int:
    bar = Bar("Reading")
    try:
        view = Rules.find().test(request, bar)
    except EntireError as error:
        error.exit_code = max(error.exit_code, FAILED)
        raise
    finally:
        bar.clear()
    if as_json:
        text.write(json_output.dumps(view))
    else:
        text.write_wrapped(redaction_previews.preview(view))
    if view.unread or view.problems:
        return FAILED
    return FOUND if check and view.hits else CLEAN


def trust() -> int:
    exceptions = Workspace.find().secrets.trust_exceptions()
    if exceptions:
        text.write([f"The exceptions of .entire/redact.toml count in this clone until they change: {exceptions}."])
    else:
        text.write(["There are no exceptions in .entire/redact.toml."])
    return CLEAN


def show_rules(*, as_json: bool = False, paged: bool = True) -> int:
    rules = Rules.find()
    listed = rules.listing()
    if as_json:
        text.write(json_output.dumps({"rules": listed}))
    else:
        pager.write(redaction_previews.rules(listed, text.style_for(sys.stdout)), lambda: rules.pager, is_paged=paged)
    return CLEAN
