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
    done = [found for found in transaction.find_all(place) if found.state == "done"]
    undone = {found.undoes for found in done}
    seen: set[str] = set()
    changes = []
    for found in done:
        if found.undoes and found.command not in _TOGGLES:
            continue
        is_open = found.command in _TOGGLES or found.id not in undone
        changes.append(ChangeView(id=found.id, command=found.command, title=found.title, time=found.time,
                                  is_undone=found.id in undone,
                                  can_undo=is_open and found.command not in seen))  # fmt: skip
        if is_open:
            seen.add(found.command)
    return changes
