"""``entire plugin new``."""

from __future__ import annotations

import shlex

import click

from entire.ui.console import group, json_output, text
from entire_plugin_kit import template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from entire_plugin_kit.template import NewPlugin


@click.command("new", cls=group.Command)
@click.argument("name")
@click.option("--shell", "is_shell", is_flag=True, help="Write a POSIX shell script instead of a Python program.")
@click.option("--into", metavar="FOLDER", default="", help="The folder to create (default: NAME).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(name: str, is_shell: bool, into: str, as_json: bool) -> int:
    """Write a new plugin for the agent NAME.

    The folder has a program that works and passes `entire plugin check`, for an imaginary agent: the places to change
    are marked REPLACE. An existing folder is never changed.

    Example: entire plugin new myagent
    """
    return run(name, language=template.SHELL if is_shell else template.PYTHON, into=into, as_json=as_json)


def run(name: str, *, language: str = template.PYTHON, into: str = "", as_json: bool = False) -> int:
    written = template.write(name, language, into)
    text.write(json_output.dumps(vars(written)) if as_json else _summary(written))
    return 0


def _summary(written: NewPlugin) -> Iterator[str]:
    folder, program = shlex.quote(written.folder), written.files[0]
    yield f"Written: {text.plain(written.folder)} ({text.count(len(written.files), 'file')})"
    yield "Next:"
    steps = (
        (f"cd {text.plain(folder)}", "replace what is true of the imaginary agent only: search for REPLACE"),
        (f"entire plugin check ./{program} --fixtures fixtures", "after each change"),
        (f"cp {program} ~/.local/bin/", "or any other folder on your PATH, outside of the repository"),
        (f"entire plugin allow {written.name}", "again after each change"),
        (f"entire enable --agent {written.name}", "in each repository"),
    )
    yield from text.table(steps, lead="  ")
