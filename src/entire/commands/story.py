"""``entire story``."""

from __future__ import annotations

import click

from entire.errors import EntireError
from entire.ui.console import completion, group, json_output, text
from entire.ui.screens import stories
from entire.workspace import Workspace


@click.command("story", cls=group.Command)
@click.argument("range", metavar="[BASE..HEAD]", required=False, shell_complete=completion.ranges)
@click.option("-o", "--output", metavar="FILE", default="-", shell_complete=completion.files,
              help="Write to this file instead of standard output.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of Markdown.")
def command(range: str | None, output: str, as_json: bool) -> int:  # noqa: A002
    """Write the story of a range of commits as Markdown, for a pull request.

    It says what was asked for, what changed and who wrote it, which commands failed and what fixed them, and which
    tests ran; with the sessions, their tokens and the checkpoints of each commit. Without a range, it is about the
    commits since this branch left the default one.

    Example: entire story main..HEAD -o story.md
    """
    return run(range or "", output=output, as_json=as_json)


def run(name: str = "", *, output: str = "-", as_json: bool = False) -> int:
    """Write the story of a range, '' for the current branch's."""
    view = Workspace.find().history.story(name)
    document = json_output.dumps(view) if as_json else "".join(line + "\n" for line in stories.markdown(view))
    if output == "-":
        text.write(document)
        return 0
    try:
        with open(output, "w", encoding="utf-8", errors="replace") as file:
            file.write(document)
    except OSError as error:
        raise EntireError(f"cannot write {text.plain(output)}: {error.strerror}", hint="choose another file") from error
    return 0
