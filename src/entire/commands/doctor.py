"""``entire doctor``."""

from __future__ import annotations

import sys

import click

from entire.errors import UsageError
from entire.model.requests import DoctorRequest
from entire.ui import form, group, prompts, text
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.views import DoctorView, FindingView
    from entire.ui.text import Style

_COLOURS = {"error": "red", "warning": "yellow", "note": "dim", "fixed": "green"}


@click.command("doctor", cls=group.Command)
@click.option("--fix", is_flag=True, help="Repair what can be repaired; ask first.")
@click.option("-f", "--force", is_flag=True, help="The same without asking: --fix --yes.")
@click.option("--yes", is_flag=True, help="With --fix: do not ask.")
@click.option("-n", "--dry-run", is_flag=True, help="Only look, also with --fix.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(fix: bool, force: bool, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Look for what is wrong here, and repair it with --fix.

    Hooks, settings, stuck sessions, files that cannot be read, commits without their checkpoint. Without --fix nothing
    is written. The exit code is 0 if all is well (or was repaired), 1 if a problem is left.

    Example: entire doctor --fix
    """
    workspace = Workspace.find()
    if yes and not fix:
        raise UsageError("--yes goes with --fix", hint="`entire doctor` alone only looks")
    return run(workspace, fix=(fix or force) and not dry_run, yes=yes or force, as_json=as_json)


def run(workspace: Workspace, *, fix: bool = False, yes: bool = False, as_json: bool = False) -> int:
    """Examine the repository, repair it where asked, and tell what is left."""
    view = workspace.doctor(DoctorRequest(fix=fix and yes))
    if fix and not yes and view.fixable:
        _confirm(view, quiet=as_json)
        view = workspace.doctor(DoctorRequest(fix=True))
    if as_json:
        text.write(form.dumps({"healthy": view.is_healthy, "findings": [_as_json(one) for one in view.findings]}))
    else:
        text.write(_page(view, text.style_for(sys.stdout), fixed=fix))
    return 0 if view.is_healthy else 1


def _confirm(view: DoctorView, *, quiet: bool) -> None:
    """Show what would be repaired, and ask."""
    if quiet or not prompts.can_ask():
        raise UsageError("this repairs what is wrong, so it asks first", hint="add --yes; --dry-run shows what it does")
    text.write(["To be repaired:", *_lines(view.fixable, text.style_for(sys.stdout))])
    if not prompts.confirm("Repair this?", default=True):
        raise click.Abort


def _as_json(one: FindingView) -> dict[str, object]:
    names = ("check", "severity", "message", "hint", "fixable", "fixed")
    return {name: getattr(one, name) for name in names}


def _page(view: DoctorView, style: Style, *, fixed: bool) -> list[str]:
    lines = _lines(view.findings, style)
    lines += [f"could not be repaired: {text.plain(one)}" for one in view.failed]
    left = [one for one in view.findings if not one.fixed and one.severity != "note"]
    if not left:
        return [*lines, "Everything is well now." if any(one.fixed for one in view.findings) else "Everything is well."]
    number, able = text.count(len(left), "problem"), sum(one.fixable for one in left)
    if fixed:
        return [*lines, f"{number} left."]
    which = "" if not able else "all of them" if able == len(left) else f"{able} of them"
    return [*lines, f"{number}." + (f" `entire doctor --fix` repairs {which}." if which else "")]


def _lines(findings: Sequence[FindingView], style: Style) -> list[str]:
    lines = []
    for one in findings:
        word = "fixed" if one.fixed else one.severity
        lines.append(f"{style(word.ljust(7), _COLOURS[word])}  {one.check}: {text.plain(one.message)}")
        if one.hint and not one.fixed:
            lines.append(f"         {text.plain(one.hint)}")
    return lines
