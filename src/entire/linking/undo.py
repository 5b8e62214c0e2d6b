"""Undoes the last link or unlinking by hand: exactly, or only its own entries if more was written since."""

from __future__ import annotations

from entire.errors import EntireError
from entire.git import history
from entire.linking import repair
from entire.linking.repair import LinkNotes
from entire.maintenance import undo_notes
from entire.model.ids import CheckpointId
from entire.model.linking import LinkUndoneView
from entire.store import checkpoint_writer, links
from entire.store.checkpoints import LOCAL_REF
from entire.store.links import CheckpointLinks
from entire.undo import inverse
from entire.undo.draft import Draft
from entire.undo.notes import Notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.recording.context import Context
    from entire.undo.transaction import Transaction


def undo(context: Context, command: str) -> LinkUndoneView:
    """Undo the last link or unlinking that was not undone yet; raises EntireError if there is none."""
    repair.prepare(context)
    with context.lock():
        repair.check(context)
        last = inverse.not_undone(context.place, command)
        notes = LinkNotes.of(last)
        commit = context.objects.commit(notes.commit)
        if commit is None:
            raise EntireError(f"{last.title} cannot be undone: git has no such commit any more; nothing was changed",
                              hint="its entries do no harm")  # fmt: skip
        before = context.links.of(commit)
        is_exact = _is_last(context, notes)
        draft = _exact(context, last, notes) if is_exact else _opposite(context, last, notes)
        try:
            done = draft.carry_out()
        finally:
            draft.discard()
        context.forget()
        return LinkUndoneView(undo_id=done.id, undoes=last.id, commit=commit.oid, before=tuple(before),
                              after=tuple(context.links.of(commit)), is_exact=is_exact)  # fmt: skip


def _is_last(context: Context, notes: LinkNotes) -> bool:
    """Tell whether nothing was written since: the branch is where it was left and no remote has it, and the sessions
    did not continue.
    """
    present = context.objects.commit(LOCAL_REF)
    if present is None or present.oid != notes.tip:
        return False
    others = [name for name in context.tips if name != LOCAL_REF]
    if any(not history.outside(context.place.top, other, [notes.tip]) for other in others):
        return False
    return all(undo_notes.digest(context.place, name) == left for name, left in notes.states.items())


def _exact(context: Context, last: Transaction, notes: LinkNotes) -> Draft:
    """Return a draft that restores the branch and the sessions; of the journal, which changes all the time, only the
    commit's reason.
    """
    draft = inverse.of(context.place, last, now=context.now())
    _restore_reason(context, draft, notes)
    return draft


def _opposite(context: Context, last: Transaction, notes: LinkNotes) -> Draft:
    """Return a draft that takes back the entries of a transaction that still count; nothing else changes."""
    known = CheckpointLinks(context.place.top, context.objects, context.tips)
    counts = known.counts(notes.commit)
    wanted = [CheckpointId(name) for name, count in notes.counts.items() if counts.get(CheckpointId(name), 0) == count]
    if not wanted:
        raise EntireError(f"{last.title} cannot be undone: its links have changed since; nothing was changed",
                          hint=f"run `entire explain {notes.commit[:7]}` to see what it is linked to")  # fmt: skip
    draft = Draft(context.place, last.command, f"undo of {last.title}", now=context.now(), notes=Notes(undoes=last.id))
    try:
        base, old = checkpoint_writer.find_base(context.place.top, context.objects)
        changes = links.toggled(known, notes.commit, wanted)
        message = f"Undo {last.title}\n".encode()
        tip = checkpoint_writer.store(context.place.top, base, changes, message=message, author=context.author())
        draft.move_ref(LOCAL_REF, tip, old)
        _restore_reason(context, draft, notes)
    except BaseException:
        draft.discard()
        raise
    return draft


def _restore_reason(context: Context, draft: Draft, notes: LinkNotes) -> None:
    if notes.reason:
        repair.set_reason(context, draft, notes.commit, str(notes.reason["reason"]), float(notes.reason["time"]))
