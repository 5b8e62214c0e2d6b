"""``entire doctor``."""

from __future__ import annotations

import sys

import click

from entire.errors import UsageError
from entire.model.requests import DoctorRequest
from entire.ui.console import group, json_output, prompts, text
from entire.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.model.views.maintenance import DoctorView, FindingView
    from entire.ui.console.text import Style

_WORD = 7  # cells of a finding's first word
_COLOURS = {"error": "red", "warning": "yellow", "note": "dim", "fixed": "green", "dropped": "green"}


@click.command("doctor", cls=group.Command)
@click.option("--fix", is_flag=True, help="Repair what can be repaired, after asking.")
@click.option("-f", "--force", is_flag=True, help="Repair without asking; the same as --fix --yes.")
@click.option("--yes", is_flag=True, help="With --fix: repair without asking.")
@click.option("-n", "--dry-run", is_flag=True, help="Change nothing, even with --fix.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(fix: bool, force: bool, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Find problems; with --fix, repair them.

    Checks hooks, settings, stuck sessions, unreadable files, commits whose checkpoint is missing, and locks that a
    killed git left. A lock that is not Entire's own is only named, with what to do. Without --fix nothing is written.
    The exit code is 0 if there is no problem (or all were repaired), 1 if one is left.

    Example: entire doctor --fix
    """
    workspace = Workspace.find()
    if yes and not fix:
        raise UsageError("--yes needs --fix", hint="run `entire doctor --fix --yes`")
    return run(workspace, fix=(fix or force) and not dry_run, yes=yes or force, as_json=as_json)


def run(workspace: Workspace, *, fix: bool = False, yes: bool = False, as_json: bool = False) -> int:
    view = workspace.maintenance.doctor(DoctorRequest(fix=fix and yes))
    if fix and not yes and view.fixable:
        _confirm(view, quiet=as_json)
        view = workspace.maintenance.doctor(DoctorRequest(fix=True))
    if as_json:
        text.write(
            json_output.dumps(
                {"healthy": view.is_healthy, "findings": [_as_json(finding) for finding in view.findings]}
            )
        )
    else:
        text.write_wrapped(_page(view, text.style_for(sys.stdout), fixed=fix))
    return 0 if view.is_healthy else 1


def _confirm(view: DoctorView, *, quiet: bool) -> None:
    if quiet or not prompts.can_ask():
        raise UsageError("repairing needs your confirmation", hint="add --yes; run `entire doctor` to see the problems")
    text.write_wrapped(["To be repaired:", *_lines(view.fixable, text.style_for(sys.stdout))])
    if not prompts.confirm("Repair this?", default=True):
        raise click.Abort


def _as_json(finding: FindingView) -> dict[str, object]:
    names = ("check", "severity", "message", "hint", "fixable", "fixed")
    return {name: getattr(finding, name) for name in names}


def _page(view: DoctorView, style: Style, *, fixed: bool) -> list[str]:
    lines = _lines(view.findings, style)
    lines += [f"could not be repaired: {text.plain(failure)}" for failure in view.failed]
    left = [finding for finding in view.findings if not finding.fixed and finding.severity != "note"]
    if not left:
        remedies = {finding.remedy for finding in view.findings if finding.fixed}
        if not remedies:
            return [*lines, "No problems found."]
        return [*lines, "All problems are repaired." if remedies == {"fixed"} else "No problems are left."]
    number, fixable = text.count(len(left), "problem"), sum(finding.fixable for finding in left)
    if fixed:
        return [*lines, f"{number} left."]
    which = f"{fixable} of them" if fixable < len(left) else "it" if fixable == 1 else "all of them"
    return [*lines, f"{number}." + (f" Run `entire doctor --fix` to repair {which}." if fixable else "")]


def _lines(findings: Sequence[FindingView], style: Style) -> list[str]:
    lines: list[str] = []
    width = text.terminal_width(sys.stdout)
    for finding in findings:
        word = finding.remedy if finding.fixed else finding.severity
        blanks = " " * (_WORD + 2)
        first, *more = text.broken([f"{blanks}{finding.check}: {text.plain(finding.message)}"], width)
        lines += [style(word.ljust(_WORD), _COLOURS[word]) + first[_WORD:], *more]
        if finding.hint and not finding.fixed:
            lines.append(f"{blanks}{text.plain(finding.hint)}")
    return lines
