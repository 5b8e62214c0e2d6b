"""Undoes transactions."""

from __future__ import annotations

from entire.errors import EntireError
from entire.undo import kinds, transaction
from entire.undo.draft import Draft
from entire.undo.notes import Notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from entire.layout import Place
    from entire.undo.transaction import Transaction

    N = TypeVar("N", bound=Notes)


def of(place: Place, *undone: Transaction, now: float, notes: Notes | None = None) -> Draft:
    """Return a draft that undoes some transactions, newest first: it restores the state before the last of them."""
    last = undone[-1]
    draft = Draft(place, last.command, f"undo of {last.title}", now=now, notes=notes or Notes(undoes=last.id))
    try:
        draft.revert(*undone)
    except BaseException:
        draft.discard()
        raise
    return draft


def undo_last(
    place: Place,
    kind: type[N],
    undo: Callable[[Draft, N], None],
    progress: Callable[[str], None] = lambda _: None,
    *,
    now: float,
) -> Transaction:
    """Undo the last change of a kind that was not undone yet; raises EntireError if there is none.

    ``undo`` checks whether that can be, and adds to a draft what has to change. The caller holds the lock, and has
    finished interrupted changes.
    """
    last = not_undone(place, kind.command)
    notes = kind.of(last)
    draft = Draft(place, kind.command, f"undo of {last.title}", now=now, notes=notes.of_undo(last), undone=last)
    try:
        undo(draft, notes)
        return draft.carry_out(progress)
    finally:
        draft.discard()


def not_undone(place: Place, command: str) -> Transaction:
    """Return the last change of a command that was not undone, or of one whose undo can be undone, the last of both;
    raises EntireError if there is none.
    """
    transactions = transaction.done(place, command)
    if kinds.can_redo(command) and transactions:
        return transactions[0]
    undone = {done.undoes for done in transactions}
    last = next((done for done in transactions if not done.undoes and done.id not in undone), None)
    if last is None:
        raise EntireError(f"no `entire {command}` to undo", hint="undo points expire after two weeks")
    return last
