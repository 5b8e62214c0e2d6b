"""The changes that commands made and that can be undone, of all commands in one list."""

from __future__ import annotations

from entire.model.views.changes import ChangeView
from entire.undo import kinds, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place


def of(place: Place) -> list[ChangeView]:
    """Return the changes that are done, newest first, also those that were undone. Of each command, only the last one
    can be undone: what it changed may stand on those before. An undo that cannot itself be undone is left out.
    """
    done = [change for change in transaction.find_all(place) if change.state == "done"]
    undone = {change.undoes for change in done}
    seen: set[str] = set()
    changes = []
    for change in done:
        is_toggle = kinds.can_redo(change.command)
        if change.undoes and not is_toggle:
            continue
        is_open = is_toggle or change.id not in undone
        changes.append(ChangeView(id=change.id, command=change.command, title=change.title, time=change.time,
                                  is_undone=change.id in undone,
                                  can_undo=is_open and change.command not in seen))  # fmt: skip
        if is_open:
            seen.add(change.command)
    return changes
