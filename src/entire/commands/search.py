"""``entire search``."""

from __future__ import annotations

import re
import sys
import time

import click

from entire.model.findings import KINDS, SearchRequest
from entire.ui.console import completion, group, json_output, pager, text
from entire.ui.screens import findings
from entire.workspace import Workspace

_EXCLUDED = re.compile(r"-[^-\d]")
_DASH = "\0"


class _SearchCommand(group.Command):
    """A command whose words may start with one dash: there it excludes them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        hidden = [_DASH + arg if _EXCLUDED.match(arg) and arg != "-h" else arg for arg in args[:end]]
        return super().parse_args(ctx, [*hidden, *args[end:]])


@click.command("search", cls=_SearchCommand)
@click.argument("words", nargs=-1, required=True, metavar="QUERY")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only these texts; may be repeated.")
@click.option(
    "--session",
    default="",
    metavar="ID",
    shell_complete=completion.sessions,
    help="Only this session (id or id prefix).",
)
@click.option(
    "--agent", default="", metavar="NAME", shell_complete=completion.agents, help="Only sessions of this agent."
)
@click.option("--author", default="", metavar="NAME", help="Only checkpoints of commits by this author.")
@click.option(
    "--branch",
    default="",
    metavar="NAME",
    shell_complete=completion.branches,
    help="Only checkpoints made on this branch.",
)
@click.option(
    "--file",
    default="",
    metavar="PATH",
    shell_complete=completion.files,
    help="Only checkpoints with this file, folder or pattern.",
)
@click.option("--tool", default="", metavar="NAME", help="Only calls of this tool, and their outputs.")
@click.option("--failed", is_flag=True, help="Only tool calls that failed, and their outputs.")
@click.option(
    "--since",
    default="",
    metavar="TIME",
    help="Only what was said since then: 7d, 12h, 2w, or a time as git understands it.",
)
@click.option("--until", default="", metavar="TIME", help="Only what was said until then.")
@group.limit(20, "findings")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    words: tuple[str, ...], kinds: tuple[str, ...], session: str, agent: str, author: str, branch: str, file: str,
    tool: str, failed: bool, since: str, until: str, limit: int, as_json: bool,
) -> int:  # fmt: skip
    """Search all prompts, answers, tool calls and outputs.

    Every word must be there. "a phrase" finds words in this order, -word excludes, prefix* finds the beginning of
    words, and OR between two words finds either.

    Example: entire search "retry logic" -tests --since yesterday
    """
    query = " ".join(word.replace(_DASH, "") for word in words)
    return run(SearchRequest(query=query, kinds=kinds, session=session, agent=agent, author=author, branch=branch,
                             file=file, tool=tool, failed=failed, since=since, until=until, limit=limit),
               as_json=as_json)  # fmt: skip


def run(request: SearchRequest, *, as_json: bool = False) -> int:
    view = Workspace.find().history.search(request, text.progress)
    for note in view.notes:
        text.write([f"Note: {text.plain(note)}."], sys.stderr)
    if as_json:
        text.write(json_output.dumps(view))
    else:
        text.write(findings.lines(view, text.style_for(sys.stdout), time.time(), pager.width()))
    return 0
