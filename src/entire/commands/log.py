"""``entire log``."""

from __future__ import annotations

import contextlib
import os
import sys
import time

import click

from entire.model.histories import LogRequest
from entire.ui.console import completion, group, pager, text
from entire.ui.screens import history
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class _LogCommand(group.Command):
    """A command whose arguments after ``--`` are paths."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index("--") if "--" in args else len(args)
        ctx.meta["paths"] = tuple(args[at + 1 :])
        ctx.meta["has_paths"] = at < len(args)
        return super().parse_args(ctx, args[:at])


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    complete = completion.files if ctx.meta["has_paths"] else completion.ranges
    return complete(ctx, param, incomplete)


@click.command("log", cls=_LogCommand, options_metavar="[OPTIONS]")
@click.argument("range", nargs=-1, metavar="[RANGE] [-- PATH...]", shell_complete=_complete)
@click.option("--all", "everywhere", is_flag=True, help="List the commits of all branches and tags.")
@click.option("--author", metavar="NAME", default="", help="Only commits of this author: a part of name or address.")
@click.option("--agent", metavar="NAME", default="", shell_complete=completion.agents,
              help="Only commits with a session of this agent.")  # fmt: skip
@click.option("--session", metavar="ID", default="", shell_complete=completion.sessions,
              help="Only commits with this session (id or id prefix).")  # fmt: skip
@click.option(
    "--since", metavar="TIME", default="", help="Only commits since then: 7d, 12h, 2w, or a time as git understands it."
)
@click.option("--until", metavar="TIME", default="", help="Only commits until then.")
@group.limit(0, "commits")
@click.option("-p", "--lines", "with_lines", is_flag=True, help="Add who wrote the lines of each file.")
@click.option("--no-pager", is_flag=True, help="Print straight to the terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list with one commit per line.")
@click.pass_context
def command(
    ctx: click.Context, range: tuple[str, ...], everywhere: bool, author: str, agent: str, session: str, since: str,  # noqa: A002
    until: str, limit: int, with_lines: bool, no_pager: bool, as_json: bool,
) -> int:  # fmt: skip
    """List commits with their sessions: prompt, agent, author, files, lines and tokens.

    RANGE is anything that git understands: a branch, main..HEAD, v1...v2. Without it, the current branch is listed. A
    commit without a session shows its subject, and why it was not linked if that is recorded.

    Example: entire log main..HEAD -- src
    """
    request = LogRequest(
        revisions=range, everywhere=everywhere, paths=ctx.meta["paths"], folder=os.getcwd(), author=author, agent=agent,
        session_id=session, since=since, until=until, limit=limit, with_lines=with_lines,
    )  # fmt: skip
    return run(request, as_json=as_json, paged=not no_pager)


def run(request: LogRequest, *, as_json: bool = False, paged: bool = True) -> int:
    """Print the commits of a request as they are found."""
    workspace = Workspace.find()
    with contextlib.closing(workspace.history.log(request)) as rows:
        if as_json:
            from entire.ui.console import stream

            stream.json_list(rows)
        else:
            style = text.style_for(sys.stdout)
            lines = history.lines(rows, pager.width() or None, time.time(), style)
            pager.write(lines, lambda: workspace.pager, is_paged=paged)
    return 0
