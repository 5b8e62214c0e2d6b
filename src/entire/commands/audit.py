"""``entire audit``."""

from __future__ import annotations

import time

import click

from entire.errors import EntireError, UsageError
from entire.model.audits import AuditRequest
from entire.ui.console import group, json_output, text
from entire.ui.console.bar import Bar
from entire.ui.screens import audits
from entire.workspace import Workspace

CLEAN, FOUND, UNREAD = 0, 1, 2


class _AuditCommand(group.Command):
    exit_codes = ("Exit codes: 0 nothing found, 1 secrets found, 2 something could not be scanned, or usage, "
                  "3 not a repository, 130 interrupted.")  # fmt: skip


@click.command("audit", cls=_AuditCommand)
@click.option("--pushed", is_flag=True, help="Scan what remotes hold, as far as that is known here.")
@click.option("--fetch", is_flag=True, help="With --pushed, ask the remotes first (over the network).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(pushed: bool, fetch: bool, as_json: bool) -> int:
    """Scan everything that is stored for secrets, with today's rules.

    Checkpoints with their whole history, steps, session states, logs, undo points and the search index are scanned.
    Secrets are shown masked. Your own files in steps are stored as they are and are not scanned; they stay on this
    machine. What an earlier audit has read is not read again unless the rules have changed.

    Example: entire audit --pushed
    """
    if fetch and not pushed:
        raise UsageError("--fetch needs --pushed", hint="run `entire audit --pushed --fetch`")
    return run(AuditRequest(pushed=pushed, fetch=fetch), as_json=as_json)


def run(request: AuditRequest, *, as_json: bool = False) -> int:
    workspace, bar = Workspace.find(), Bar("Scanning")
    try:
        view = workspace.secrets.audit(request, bar)
    except EntireError as error:
        error.exit_code = UNREAD
        raise
    finally:
        bar.clear()
    if as_json:
        text.write(json_output.dumps(view))
    else:
        text.write_wrapped(audits.audit(view, time.time()))
    if view.unread:
        return UNREAD
    return FOUND if view.secrets else CLEAN
