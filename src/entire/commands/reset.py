"""``entire reset``."""

from __future__ import annotations

import time

import click

from entire import layout
from entire.errors import EntireError, UsageError
from entire.maintenance import reset
from entire.ui import form, group, prompts, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place
    from entire.maintenance.reset import Branch, Forgotten, Plan


@click.command("reset", cls=group.Command)
@click.option("--session", default="", metavar="ID", help="Forget only this session (id or the beginning of it).")
@click.option("-f", "--force", "--yes", "force", is_flag=True, help="Do not ask, also while a turn is in progress.")
@click.option("-n", "--dry-run", is_flag=True, help="Only show what would be forgotten.")
@click.option("--undo", "undoing", is_flag=True, help="Bring back what the last reset forgot.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(session: str, force: bool, dry_run: bool, undoing: bool, as_json: bool) -> int:
    """Forget the steps on the present commit in this work tree, and the sessions that stand on them.

    No later commit is linked to what they did so far. Work tree, commits and checkpoints stay as they are, and what a
    session has in checkpoints stays counted. A session with a turn in progress goes on, from nothing.

    Example: entire reset --dry-run
    """
    if undoing and (dry_run or force or session):
        raise UsageError("--undo stands alone", hint="`entire reset --undo`")
    place = layout.here()
    if undoing:
        return undo(place, as_json=as_json)
    return run(place, session=session, force=force, dry_run=dry_run, as_json=as_json)


def run(
    place: Place, *, session: str = "", force: bool = False, dry_run: bool = False, as_json: bool = False
) -> int:  # fmt: skip
    """Show what a reset forgets, ask, and forget it."""
    now = time.time()
    plan = reset.plan(place, now=now, session=session)
    if not plan.is_empty and not dry_run:
        _agree(plan, force=force, quiet=as_json)
        plan = reset.forget(place, now=now, session=session, force=force)
    if as_json:
        text.write(form.dumps({"dry_run": dry_run, "head": plan.head, "sessions": plan.sessions,
                               "branches": plan.branches, "undo_id": plan.undo_id or None}))  # fmt: skip
    elif plan.is_empty:
        text.write([f"Nothing to forget on {plan.head[:7] or 'this branch'}."])
    elif dry_run:
        text.write([*_told(plan, "To be forgotten:"), "Nothing was changed."])
    else:
        text.write([*_told(plan, "Forgotten:"), "`entire reset --undo` brings this back."])
    return 0


def _agree(plan: Plan, *, force: bool, quiet: bool) -> None:
    """Refuse or ask, unless told not to."""
    if force:
        return
    if plan.at_work:
        raise EntireError(f"a turn is in progress in session {plan.at_work[0]}",
                          hint="wait for its end, or add --force")  # fmt: skip
    if quiet or not prompts.can_ask():
        raise UsageError("this forgets steps, so it asks first", hint="add --force; --dry-run shows what would go")
    text.write(_told(plan, "To be forgotten:"))
    if not prompts.confirm("Forget this?"):
        raise click.Abort


def undo(place: Place, *, as_json: bool = False) -> int:
    """Bring back what the last reset forgot."""
    last = reset.undo(place, now=time.time())
    if as_json:
        text.write(form.dumps({"undo_id": last.id, "refs": last.refs, "files": last.private}))
    else:
        text.write([f"Brought back: {last.title.removeprefix('undo of ')}."])
    return 0


def _told(plan: Plan, head: str) -> list[str]:
    rows = [["session", one.session_id, _session(one)] for one in plan.sessions]
    rows += [["steps", one.name, _branch(one)] for one in plan.branches]
    return [head, *text.table(rows, lead="  "), "Files, commits and checkpoints stay as they are."]


def _session(one: Forgotten) -> str:
    parts = [one.agent, text.count(one.steps, "step"), text.count(len(one.open_files), "open file")]
    parts += ["a turn is in progress"] if one.is_at_work else []
    parts += ["what is in its checkpoints stays counted"] if one.stays and not one.is_at_work else []
    return text.plain(", ".join(part for part in parts if part))


def _branch(one: Branch) -> str:
    others = f"stays: {', '.join(one.others)} stands on it too" if one.others else "the branch is deleted"
    return f"{text.count(one.steps, 'step')}, {others}"
