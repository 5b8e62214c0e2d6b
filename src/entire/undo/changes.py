"""The changes that commands made and that can be undone, of all commands in one list."""

from __future__ import annotations

from entire.model.views.changes import ChangeView
from entire.undo import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place

_TOGGLES = ("rewind", "resume")
"""Commands whose undo can be undone too."""


def of(place: Place) -> list[ChangeView]:
    """Return the changes that are done, newest first, also those that were undone. Of each command, only the last one
    can be undone: what it changed may stand on those before. An undo that cannot itself be undone is left out.
    """
    done = [change for change in transaction.find_all(place) if change.state == "done"]
    undone = {change.undoes for change in done}
    seen: set[str] = set()
    changes = []
    for change in done:
        if change.undoes and change.command not in _TOGGLES:
            continue
        is_open = change.command in _TOGGLES or change.id not in undone
        changes.append(ChangeView(id=change.id, command=change.command, title=change.title, time=change.time,
                                  is_undone=change.id in undone,
                                  can_undo=is_open and change.command not in seen))  # fmt: skip
        if is_open:
            seen.add(change.command)
    return changes
