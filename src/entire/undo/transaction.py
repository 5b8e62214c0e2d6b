"""Atomic changes of worktree files, private files, the index, refs and HEAD, and commands, which can be undone.

A transaction is in ``<git dir>/entire/undo/<id>/``: ``plan.json``, the worktree's files before (``a/``) and after
(``b/``), private files likewise (``pa/``, ``pb/``), the index before (``index``), what commands read
(``undo.commands``), and the transcripts that they change (``undo.noted``). Its state is the suffix of an
empty file beside that folder, so a change of state is a rename, which needs no disk space: ``<id>.draft`` (nothing
is changed yet; the file names the process that prepares it), ``<id>.applying`` (it will be carried out, if not now then
by the next ``complete``), ``<id>.back`` (it is being rolled back), ``<id>.failed`` (it was rolled back); no file when
it is done. So a listing of the folder shows whether anything is left to do.

The caller holds the repository's lock, except to prepare a draft.
"""

from __future__ import annotations

import os

from entire import files
from entire.errors import CorruptError
from entire.model.value import Value
from entire.undo import apply, backups
from entire.undo.folder import APPLYING, BACK, DRAFT, FAILED, PROBLEM, forget, names, root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from entire.layout import Place
    from entire.undo.apply import ChangePlan

_STATES = {APPLYING: "applying", BACK: "rolling back", FAILED: "rolled back", "": "done"}


class Transaction(Value):
    """A transaction that was started: its title, time and state, and what it changes."""

    id: str
    command: str
    title: str
    time: float
    state: str  # "applying" | "rolling back" | "done" | "rolled back"
    notes: dict[str, Any]
    paths: tuple[str, ...]  # of the worktree
    private: tuple[str, ...]  # files elsewhere and noted transcripts, as the caller gave them
    refs: tuple[str, ...]
    undoes: str = ""  # the id of the transaction that this one undid
    moves: tuple[tuple[str, str, str], ...] = ()  # refs with their old and new commits

    @property
    def is_settled(self) -> bool:
        """Tell whether it is done or was rolled back."""
        return self.state in ("done", "rolled back")


def of_plan(identity: str, plan: ChangePlan, ending: str) -> Transaction:
    """Return the transaction of a plan; ``ending`` is the suffix of its state."""
    return Transaction(
        id=identity, command=plan.command, title=plan.title, time=plan.time, state=_STATES[ending], notes=plan.notes,
        paths=tuple(item.path for item in plan.items if not item.given),
        private=(*(item.given for item in plan.items if item.given), *(note.ref for note in plan.transcripts)),
        refs=tuple(ref for ref, _, _ in plan.refs), undoes=str(plan.notes.get("undoes", "")),
        moves=plan.refs,
    )  # fmt: skip


def count(place: Place) -> int:
    """Return the number of transactions in any state, without reading them."""
    return sum("." not in name for name in names(place))


def find_all(place: Place) -> list[Transaction]:
    """Return the transactions, newest first, without drafts and unreadable ones."""
    return [of_plan(identity, plan, ending) for identity, ending, plan in _plans(place)]


def _plans(place: Place) -> Iterator[tuple[str, str, ChangePlan]]:
    """Yield the id, the suffix of the state and the plan of each transaction, newest first."""
    existing = names(place)
    for identity in sorted((name for name in existing if "." not in name), reverse=True):
        endings = [ending for ending in (DRAFT, APPLYING, BACK, FAILED) if identity + ending in existing]
        if DRAFT in endings:
            continue
        try:
            plan = apply.read_plan(os.path.join(root(place), identity))
        except (CorruptError, OSError):
            continue
        if plan is not None:
            yield identity, endings[0] if endings else "", plan


def copies(place: Place, *paths: str) -> Iterator[tuple[str, ...]]:
    """Yield the copies that each transaction, newest first, keeps of these private files or noted transcripts from
    before it; '' for those that it did not change or that did not exist.
    """
    real_paths = [(os.path.realpath(path), path) for path in paths]
    for identity, _, plan in _plans(place):
        folder = os.path.join(root(place), identity)
        copied = {item.path: os.path.join(folder, item.was.copy) for item in plan.items if item.given and item.was}
        copied.update({note.ref: os.path.join(folder, note.was) for note in plan.transcripts})
        yield tuple(copied.get(real) or copied.get(path, "") for real, path in real_paths)


def done(place: Place, command: str) -> list[Transaction]:
    """Return the transactions of a command that are done, newest first."""
    known = find_all(place)
    return [transaction for transaction in known if transaction.command == command and transaction.state == "done"]


def latest(place: Place, command: str) -> Transaction | None:
    """Return the newest transaction of a command that is done, or None."""
    return next(iter(done(place, command)), None)


def remove(place: Place, transaction_id: str) -> None:
    """Delete a transaction that is done or was rolled back; it can no longer be undone."""
    forget(place, transaction_id)


def prune(place: Place, *, now: float, seconds: float, max_count: int, max_bytes: int) -> list[str]:
    """Delete transactions that are too old, too many or too large, oldest first; return their ids.

    The newest stays, whatever its size, until it is too old.
    """
    removed = []
    count = size = 0
    for transaction in find_all(place):
        if not transaction.is_settled:
            continue
        count += 1
        size += backups.size_of_tree(os.path.join(root(place), transaction.id))
        if now - transaction.time > seconds or (count > 1 and (count > max_count or size > max_bytes)):
            remove(place, transaction.id)
            removed.append(transaction.id)
    return removed


def problem(place: Place, transaction_id: str) -> str:
    """Return what could not be rolled back of a transaction, '' for nothing: not every command shows messages."""
    return (files.read(os.path.join(root(place), transaction_id, PROBLEM)) or b"").decode("utf-8", "replace")
