"""Undoes the last link or unlinking by hand: exactly, or only its own entries if more was written since."""

from __future__ import annotations

import functools

from entire.errors import EntireError
from entire.git import history
from entire.linking import repair
from entire.linking.repair import LinkNotes, UnlinkNotes
from entire.maintenance import undo_notes
from entire.model.ids import CheckpointId
from entire.model.linking import LinkUndoneView
from entire.store import checkpoint_writer, links
from entire.store.checkpoints import LOCAL_REF
from entire.store.links import CheckpointLinks
from entire.undo import inverse
from entire.undo.draft import Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.recording.context import Context


def link(context: Context, _progress: object = None) -> LinkUndoneView:
    """Undo the last link that was not undone yet; raises EntireError if there is none."""
    return _undo(context, LinkNotes)


def unlink(context: Context, _progress: object = None) -> LinkUndoneView:
    """Undo the last unlinking that was not undone yet; raises EntireError if there is none."""
    return _undo(context, UnlinkNotes)


def _undo(context: Context, kind: type[LinkNotes]) -> LinkUndoneView:
    repair.prepare(context)
    with context.lock():
        repair.check(context)
        last = inverse.not_undone(context.place, kind.command)
        notes = kind.of(last)
        commit = context.objects.commit(notes.commit)
        if commit is None:
            raise EntireError(f"{last.title} cannot be undone: git has no such commit any more; nothing was changed",
                              hint="its entries do no harm")  # fmt: skip
        before = context.links.of(commit)
        is_exact = _is_last(context, notes)
        restore = functools.partial(_exactly if is_exact else _by_opposite, context)
        done = inverse.undo_last(context.place, kind, restore, now=context.now())
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


def _exactly(context: Context, draft: Draft, notes: LinkNotes) -> None:
    """Restore the branch and the sessions; of the journal, which changes all the time, only the commit's reason."""
    draft.revert()
    _restore_reason(context, draft, notes)


def _by_opposite(context: Context, draft: Draft, notes: LinkNotes) -> None:
    """Take back the entries that still count; nothing else changes."""
    last, known = draft.undone, CheckpointLinks(context.place.top, context.objects, context.tips)
    counts = known.counts(notes.commit)
    wanted = [CheckpointId(name) for name, count in notes.counts.items() if counts.get(CheckpointId(name), 0) == count]
    if not wanted:
        raise EntireError(f"{last.title} cannot be undone: its links have changed since; nothing was changed",
                          hint=f"run `entire explain {notes.commit[:7]}` to see what it is linked to")  # fmt: skip
    base, old = checkpoint_writer.find_base(context.place.top, context.objects)
    changes = links.toggled(known, notes.commit, wanted)
    message = f"Undo {last.title}\n".encode()
    tip = checkpoint_writer.store(context.place.top, base, changes, message=message, author=context.author())
    draft.move_ref(LOCAL_REF, tip, old)
    _restore_reason(context, draft, notes)


def _restore_reason(context: Context, draft: Draft, notes: LinkNotes) -> None:
    if notes.reason:
        repair.set_reason(context, draft, notes.commit, str(notes.reason["reason"]), float(notes.reason["time"]))
