"""Finishes transactions that were interrupted, forward or back, and rolls back those that fail."""

from __future__ import annotations

import os

from entire import files
from entire.errors import CorruptError, EntireError
from entire.undo import apply
from entire.undo.apply import ChangePlan, PlanRunner
from entire.undo.backups import shown
from entire.undo.commands import CommandError
from entire.undo.folder import APPLYING, BACK, FAILED, PROBLEM, names, renamed, root, tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place


def complete(place: Place) -> list[str]:
    """Finish interrupted transactions and remove abandoned drafts; return messages about what was found.

    A transaction is carried out, unless it was being rolled back: then that is finished. What another program changed
    meanwhile is left unchanged.
    """
    messages: list[str] = []
    for name in sorted(names(place)):
        identity, dot, ending = name.partition(".")
        if dot + ending in (APPLYING, BACK):
            messages += _finish(place, identity, back=dot + ending == BACK)
        elif dot:
            tidy(place, name)
    return messages


def roll_back(place: Place, identity: str, plan: ChangePlan, error: BaseException) -> EntireError:
    """Restore everything after an error; return the error to raise."""
    path = os.path.join(root(place), identity)
    reason = f"{error.strerror} ({shown(str(error.filename))})" if isinstance(error, OSError) else str(error)
    marker = path + (BACK if renamed(path + APPLYING, path + BACK) else APPLYING)
    try:
        left = PlanRunner(place, path, plan, back=True).carry_out()
    except (OSError, EntireError) as second:
        safe, hint = "rolling it back failed too:", "check disk space and permissions"
        if isinstance(second, CommandError):
            safe, hint = "the files are as before, but", second.hint
        outcome = "rolls it back" if marker.endswith(BACK) else "finishes it"
        return EntireError(
            f"{plan.title} was interrupted: {reason}; {safe} {second}",
            hint=f"{hint}; the next `entire` command {outcome}",
        )
    if not renamed(marker, path + FAILED) and marker.endswith(APPLYING):
        return EntireError(
            f"{plan.title} failed: {reason}; everything is as before, but that could not be recorded in {root(place)}",
            hint="check the permissions of that folder; the next `entire` command carries the change out",
        )
    state = "; ".join(("everything else is as before", *left)) if left else "everything is as before"
    return EntireError(f"{plan.title} failed: {reason}; {state}", hint=getattr(error, "hint", ""))


def _finish(place: Place, identity: str, *, back: bool) -> list[str]:
    """Finish a transaction, forward or back; it keeps its state if that fails again."""
    path = os.path.join(root(place), identity)
    ending = BACK if back else APPLYING
    try:
        plan = apply.read_plan(path)
        if plan is None:
            raise CorruptError(f"{path} has no plan")
    except (CorruptError, OSError) as error:
        return [f"an interrupted change cannot be finished: {error}; the original files are in {path}/a"]
    try:
        left = PlanRunner(place, path, plan, back=back).carry_out()
        if back:
            os.rename(path + ending, path + FAILED)
        else:
            os.unlink(path + ending)
    except CommandError as error:
        return _give_up(place, identity, plan, error, back=back)
    except (OSError, EntireError) as error:
        return [f"{plan.title} was interrupted and cannot be finished yet: {error}"]
    return [f"{plan.title} was interrupted and has now been {'rolled back' if back else 'finished'}", *left]


def _give_up(place: Place, identity: str, plan: ChangePlan, error: CommandError, *, back: bool) -> list[str]:
    """Roll back a transaction that a command keeps from being finished; settle one that it keeps from that, too."""
    path = os.path.join(root(place), identity)
    unfinished = f"{plan.title} was interrupted and cannot be finished"
    if not back:
        if not renamed(path + APPLYING, path + BACK):
            return [f"{unfinished} yet: {error}"]
        return [f"{unfinished}: {error}", *_finish(place, identity, back=True)]
    message = f"{plan.title} was interrupted and rolled back, but {error}"
    try:
        files.write(os.path.join(path, PROBLEM), message.encode("utf-8", "replace"), mode=0o600)
        os.rename(path + BACK, path + FAILED)
    except (OSError, EntireError):
        return [f"{unfinished} yet: {error}"]
    return [f"{message}; {error.hint}"]
