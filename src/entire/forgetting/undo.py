"""Undoes the last ``forget``, while git still has the old objects; or gives that up at once."""

from __future__ import annotations

import functools
import re

from entire import files
from entire.audit import own_files
from entire.errors import EntireError
from entire.forgetting.planning import COMMAND, ForgetNotes
from entire.git import history, refs
from entire.git.pack import Pack
from entire.maintenance import undo_notes
from entire.model.audits import PrunedView
from entire.model.digest import sha256
from entire.store import forgotten
from entire.store.checkpoints import LOCAL_REF
from entire.store.rebase import Rebaser
from entire.undo import completion, inverse, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from entire.layout import Place
    from entire.model.views.changes import UndoneView
    from entire.recording.context import Context
    from entire.undo.draft import Draft
    from entire.undo.transaction import Transaction

_ID = re.compile(rb"(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f])")


def undo(context: Context, _progress: object = None) -> UndoneView:
    """Restore what the last ``forget`` removed; with what was stored since. Raises EntireError if git has
    deleted it, or the checkpoints branch was moved off what the forgetting left.
    """
    place = context.place
    with context.lock():
        _check_worktree(place)
        done = inverse.undo_last(place, ForgetNotes, functools.partial(_undo, context), now=context.now())
        context.forget()
    return undo_notes.view(done)


def _undo(context: Context, draft: Draft, notes: ForgetNotes) -> None:
    place, last = context.place, draft.undone
    lost = [ref for ref, old, _ in last.moves if old and not history.is_complete(place.top, old)]
    if lost:
        raise EntireError(f"{last.title} cannot be restored: git has deleted the old objects; nothing was changed",
                          hint="a fetch from a clone or remote that still has them is the only way")  # fmt: skip
    names = {new: old for _, old, new in last.moves if old and new}
    newer = _replayed(context, names)
    draft.revert(instead=_instead(place, last, newer))
    for ref, (tip, new) in newer.items():
        draft.move_ref(ref, new, tip)
        names[tip] = new
    _keep_newer(place, draft, notes, {**_replaced(place, draft), **names})


def _check_worktree(place: Place) -> None:
    """Raise EntireError if the last ``forget`` was in another worktree, whose undo points are its own."""
    ids = {other.top: max((done.id for done in transaction.done(other, COMMAND)), default="")
           for other in own_files.places(place)}  # fmt: skip
    top = max(ids, key=lambda top: ids[top])
    if ids[top] > ids[place.top]:
        raise EntireError("the last `entire forget` was run in another worktree; nothing was changed",
                          hint=f"run `entire forget --undo` in {top}")  # fmt: skip


def _replayed(context: Context, bases: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the refs of ours with newer commits on what the forgetting left: their tip, and these commits on what the
    undo restores.
    """
    where = context.place.top
    tips = {ref: tip for ref, tip in refs.find(where, "refs/heads/entire", "refs/entire").items() if tip not in bases}
    rebaser = Rebaser(context.objects, Pack(where, history.oid_size(where)), bases)
    rebaser.rebase(where, list(tips.values()))
    return {ref: (tip, rebaser.commits[tip]) for ref, tip in tips.items() if tip in rebaser.commits}


def _replaced(place: Place, draft: Draft) -> dict[str, str]:
    """Return the commits and blobs that take the place of others because of what is undone: back to these."""
    path = forgotten.path(place.common_dir)
    now, before = forgotten.read(place.common_dir), forgotten.parse(draft.planned(path))
    replaced = {old: new for old, new in now.commits.items() if old not in before.commits}
    replaced.update({old: new for old, new in now.blobs.items() if old not in before.blobs})
    return {new: old for old, new in replaced.items() if new}


def _instead(place: Place, last: Transaction, newer: Collection[str]) -> dict[str, str]:
    """Return the refs that were moved since and where they are: one with newer commits is moved by these; one that is
    gone, or that began again without what the forgetting left, stays as it is.
    """
    present = refs.read(place.top, *(ref for ref, _, _ in last.moves))
    moved = {ref: present.get(ref, "") for ref, old, new in last.moves if present.get(ref, "") not in (old, new)}
    return {ref: tip for ref, tip in moved.items() if ref in newer or ref != LOCAL_REF}


def _keep_newer(place: Place, draft: Draft, notes: ForgetNotes, names: Mapping[str, str]) -> None:
    """Leave what files have become since, with the ids of the objects that the undo brings back."""
    left = notes.left
    known = {new.encode(): old.encode() for new, old in names.items()}
    for kind, path in own_files.find(place):
        if kind in (own_files.LOG, own_files.UNDO) or path in _own(place):
            continue
        data = files.read(path)
        is_restored = path in left and data is not None and sha256(data).hexdigest() == left[path]
        if data is None or is_restored:
            continue
        new = _ID.sub(lambda found: known.get(found[0], found[0]), data)
        if path in left or new != data:
            draft.write_private(path, new)


def _own(place: Place) -> tuple[str, ...]:
    return forgotten.path(place.common_dir), place.forgotten_secrets


def prune(context: Context) -> PrunedView:
    """Delete the undo points of ``forget``, which hold what was forgotten, in all worktrees."""
    removed = []
    with context.lock():
        for place in own_files.places(context.place):
            completion.complete(place)
            for point in transaction.find_all(place):
                if point.command == COMMAND and point.is_settled:
                    transaction.remove(place, point.id)
                    removed.append(point.title)
    return PrunedView(removed=tuple(removed))
