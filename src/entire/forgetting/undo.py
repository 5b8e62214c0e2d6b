"""Undoes the last ``forget``, while git still has the old objects; or gives that up at once."""

from __future__ import annotations

import re

from entire import files
from entire.errors import EntireError
from entire.forgetting.planning import COMMAND
from entire.git import history
from entire.maintenance import undo_notes
from entire.model.audits import PrunedView
from entire.model.digest import sha256
from entire.store import forgotten
from entire.undo import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.lifecycle.context import Context
    from entire.model.views import UndoneView
    from entire.undo.transaction import Draft, Transaction

_ID = re.compile(rb"(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f])")


def undo(context: Context) -> UndoneView:
    """Restore what the last ``forget`` removed; raises EntireError if git has deleted it, or more was stored since."""
    place = context.place
    with context.lock():
        last = undo_notes.latest(place, COMMAND)
        lost = [ref for ref, old, _ in last.moves if old and not history.is_complete(place.top, old)]
        if lost:
            raise EntireError(f"{last.title} cannot be restored: git has deleted the old objects; nothing was changed",
                              hint="a fetch from a clone or remote that still has them is the only way")  # fmt: skip
        names = {new: old for ref, old, new in last.moves if old}
        names.update({new: old for old, new in forgotten.read(place.common_dir).commits.items()})
        draft = transaction.inverse(place, last, now=context.now())
        try:
            _keep_newer(draft, last, names)
            done = draft.carry_out()
        finally:
            draft.discard()
        context.forget()
    return undo_notes.view(done)


def _keep_newer(draft: Draft, last: Transaction, names: dict[str, str]) -> None:
    """Leave what a file has become since, with the ids of the objects that the undo brings back."""
    left: dict[str, str] = last.notes.get("left", {})
    known = {new.encode(): old.encode() for new, old in names.items()}
    for path, digest in left.items():
        data = files.read(path)
        if data is None or sha256(data).hexdigest() == digest:
            continue
        draft.write_private(path, _ID.sub(lambda found: known.get(found[0], found[0]), data))


def prune(context: Context) -> PrunedView:
    """Delete the undo points of ``forget``, which hold what was forgotten."""
    place = context.place
    with context.lock():
        transaction.complete(place)
        found = [point for point in transaction.find_all(place) if point.command == COMMAND and point.is_settled]
        for point in found:
            transaction.remove(place, point.id)
    return PrunedView(removed=tuple(point.title for point in found))
