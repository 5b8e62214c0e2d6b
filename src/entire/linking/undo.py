"""Undoes the last link or unlinking by hand: exactly, or only its own entries if more was written since."""

from __future__ import annotations

from entire.errors import EntireError
from entire.git import history
from entire.linking import repair
from entire.maintenance import undo_notes
from entire.model.ids import CheckpointId
from entire.model.linking import LinkUndoneView
from entire.store import checkpoint_writer, links
from entire.store.checkpoints import LOCAL_REF
from entire.store.links import Links
from entire.undo import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.read import Commit
    from entire.lifecycle.context import Context
    from entire.undo.transaction import Draft, Transaction


def undo(context: Context, command: str) -> LinkUndoneView:
    """Undo the last link or unlinking that was not undone yet; raises EntireError if there is none."""
    repair.prepare(context)
    with context.lock():
        repair.check(context)
        last = undo_notes.latest(context.place, command)
        commit = context.objects.commit(str(last.notes["commit"]))
        if commit is None:
            raise EntireError(f"{last.title} cannot be undone: git has no such commit any more; nothing was changed",
                              hint="its entries do no harm")  # fmt: skip
        before = context.links.of(commit)
        is_exact = _is_last(context, last)
        draft = _exact(context, last, commit) if is_exact else _opposite(context, last, commit)
        try:
            done = draft.carry_out()
        finally:
            draft.discard()
        context.forget()
        return LinkUndoneView(undo_id=done.id, undoes=last.id, commit=commit.oid, before=tuple(before),
                              after=tuple(context.links.of(commit)), is_exact=is_exact)  # fmt: skip


def _is_last(context: Context, last: Transaction) -> bool:
    """Tell whether nothing was written since: the branch is where it was left and no remote has it, and the sessions
    did not continue.
    """
    tip = str(last.notes["tip"])
    present = context.objects.commit(LOCAL_REF)
    if present is None or present.oid != tip:
        return False
    others = [name for name in context.tips if name != LOCAL_REF]
    if any(not history.outside(context.place.top, other, [tip]) for other in others):
        return False
    states: dict[str, str] = last.notes["states"]
    return all(undo_notes.digest(context.place, name) == left for name, left in states.items())


def _exact(context: Context, last: Transaction, commit: Commit) -> Draft:
    """Return a draft that restores the branch and the sessions; of the journal, which changes all the time, only the
    commit's reason.
    """
    draft = transaction.inverse(context.place, last, now=context.now())
    _restore_reason(context, draft, last, commit)
    return draft


def _opposite(context: Context, last: Transaction, commit: Commit) -> Draft:
    """Return a draft that takes back the entries of a transaction that still count; nothing else changes."""
    known = Links(context.place.top, context.objects, context.tips)
    left: dict[str, int] = last.notes["counts"]
    counts = known.counts(commit.oid)
    wanted = [CheckpointId(name) for name, count in left.items() if counts.get(CheckpointId(name), 0) == count]
    if not wanted:
        raise EntireError(f"{last.title} cannot be undone: its links have changed since; nothing was changed",
                          hint=f"run `entire explain {commit.oid[:7]}` to see what it is linked to")  # fmt: skip
    draft = transaction.Draft(context.place, last.command, f"undo of {last.title}", now=context.now(),
                              notes={"undoes": last.id})  # fmt: skip
    try:
        base, old = checkpoint_writer.find_base(context.place.top, context.objects)
        changes = links.toggled(known, commit.oid, wanted)
        message = f"Undo {last.title}\n".encode()
        tip = checkpoint_writer.store(context.place.top, base, changes, message=message, author=context.author())
        draft.move_ref(LOCAL_REF, tip, old)
        _restore_reason(context, draft, last, commit)
    except BaseException:
        draft.discard()
        raise
    return draft


def _restore_reason(context: Context, draft: Draft, last: Transaction, commit: Commit) -> None:
    was = last.notes["reason"]
    if was:
        repair.set_reason(context, draft, commit.oid, str(was["reason"]), float(was["time"]))
