"""``entire doctor``."""

from __future__ import annotations

import sys
import time

import click

from entire import layout
from entire.errors import UsageError
from entire.maintenance import doctor
from entire.ui import form, group, prompts, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.layout import Place
    from entire.maintenance.checks import Finding
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
    place = layout.here()
    if yes and not fix:
        raise UsageError("--yes goes with --fix", hint="`entire doctor` alone only looks")
    return run(place, fix=fix or force, yes=yes or force, dry_run=dry_run, as_json=as_json)


def run(place: Place, *, fix: bool = False, yes: bool = False, dry_run: bool = False, as_json: bool = False) -> int:
    """Examine the repository, repair it where asked, and tell what is left."""
    findings = doctor.examine(place, now=time.time())
    failed: list[str] = []
    if fix and not dry_run and any(one.fixable for one in findings):
        if not yes:
            _agree(findings, quiet=as_json)
        failed = doctor.repair(place, findings, now=time.time())
        findings = doctor.compare(findings, doctor.examine(place, now=time.time()))
    healthy = doctor.is_healthy(findings)
    if as_json:
        text.write(form.dumps({"healthy": healthy, "findings": [_as_json(one) for one in findings]}))
    else:
        text.write(_page(findings, failed, text.style_for(sys.stdout), fixed=fix and not dry_run))
    return 0 if healthy else 1


def _agree(findings: Sequence[Finding], *, quiet: bool) -> None:
    """Show what would be repaired, and ask."""
    if quiet or not prompts.can_ask():
        raise UsageError("this repairs what is wrong, so it asks first", hint="add --yes; --dry-run shows what it does")
    text.write(["To be repaired:", *_lines([one for one in findings if one.fixable], text.style_for(sys.stdout))])
    if not prompts.confirm("Repair this?", default=True):
        raise click.Abort


def _as_json(one: Finding) -> dict[str, object]:
    names = ("check", "severity", "message", "hint", "fixable", "fixed")
    return {name: getattr(one, name) for name in names}


def _page(findings: Sequence[Finding], failed: Sequence[str], style: Style, *, fixed: bool) -> list[str]:
    lines = _lines(findings, style)
    lines += [f"could not be repaired: {text.plain(one)}" for one in failed]
    left = [one for one in findings if not one.fixed and one.severity != "note"]
    if not left:
        return [*lines, "Everything is well now." if any(one.fixed for one in findings) else "Everything is well."]
    number, able = text.count(len(left), "problem"), sum(one.fixable for one in left)
    if fixed:
        return [*lines, f"{number} left."]
    which = "" if not able else "all of them" if able == len(left) else f"{able} of them"
    return [*lines, f"{number}." + (f" `entire doctor --fix` repairs {which}." if which else "")]


def _lines(findings: Sequence[Finding], style: Style) -> list[str]:
    lines = []
    for one in findings:
        word = "fixed" if one.fixed else one.severity
        lines.append(f"{style(word.ljust(7), _COLOURS[word])}  {one.check}: {text.plain(one.message)}")
        if one.hint and not one.fixed:
            lines.append(f"         {text.plain(one.hint)}")
    return lines
