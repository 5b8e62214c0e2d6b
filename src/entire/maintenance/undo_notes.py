"""What ``clean``, ``reset``, ``forget`` and ``link`` note for their undo about sessions and journals.

The transaction (``entire.undo``) restores files and refs. Two things need more. A journal changes between a command
and its undo, so what was removed from it is noted and merged into the journal as it is then. And a session that
continued has a newer state, which an undo must not overwrite.
"""

from __future__ import annotations

import os

from entire import files
from entire.errors import EntireError
from entire.model.digest import sha256
from entire.model.turns import RunningTurn, TurnKey, TurnMark
from entire.model.value import Value, replace
from entire.model.views.changes import UndoneView
from entire.store import sessions, turnlog
from entire.store.journal import retained_from_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from entire.layout import Place
    from entire.store.journal import Journal
    from entire.undo.draft import Draft
    from entire.undo.transaction import Transaction


def view(done: Transaction) -> UndoneView:
    """Return what an undo restored."""
    title = done.title.removeprefix("undo of ")
    return UndoneView(undo_id=done.id, undoes=done.undoes, title=title, refs=done.refs, files=done.private)


# ---------------------------------------------------------------- sessions' states


def state_paths(place: Place, session_id: str) -> tuple[str, ...]:
    """Return the files that hold a session's state, whether they exist or not."""
    return (
        sessions.own_path(place, session_id),
        sessions.go_path(place, session_id),
        turnlog.path(place, session_id),
    )


def delete_state(place: Place, draft: Draft, session_id: str) -> None:
    """Add the deletion of a session's state to a draft."""
    for path in state_paths(place, session_id):
        if os.path.lexists(path):
            draft.write_private(path, None)


def digest(place: Place, session_id: str) -> str:
    """Return the digest of a session's state; '' if there is none."""
    data = files.read(sessions.own_path(place, session_id))
    data = files.read(sessions.go_path(place, session_id)) if data is None else data
    return digest_of(data) if data is not None else ""


def digest_of(data: bytes) -> str:
    """Return the digest of a session's state as it is stored."""
    return sha256(data).hexdigest()


def deleted_states(place: Place, undone: Transaction) -> dict[str, str]:
    """Return the sessions whose state a transaction deleted and that have one again, for ``check_states``."""
    return {name: "" for name in sessions.ids(place) if not set(state_paths(place, name)).isdisjoint(undone.private)}


def check_states(place: Place, left: Mapping[str, str]) -> None:
    """Raise EntireError if a session continued: if its state differs from the digest that a transaction left."""
    for session_id, expected in left.items():
        if digest(place, session_id) != expected:
            raise EntireError(f"session {session_id} has continued since, so its old state cannot be restored",
                              hint="nothing was changed")  # fmt: skip


# ---------------------------------------------------------------- the journal


def forget_refs(journal: Journal, gone: Collection[str]) -> list[list[Any]]:
    """Remove refs from a journal, which caches their tips; return the lines of retained steps that went with them."""
    retention = journal.retention
    lines = [steps.to_json() for steps in retention.steps if steps.ref in gone]
    retention.steps = [steps for steps in retention.steps if steps.ref not in gone]
    tips = retention.shadow_tips
    retention.shadow_tips = {name: tip for name, tip in tips.items() if f"refs/heads/{name}" not in gone}
    return lines


def recall_refs(journal: Journal, lines: Collection[list[Any]], present: Collection[str]) -> bool:
    """Add the lines of retained steps whose refs exist again; tell whether any was missing."""
    known = {steps.ref for steps in journal.retention.steps}
    retained = [retained_from_json(line) for line in lines]
    missing = [steps for steps in retained if steps.ref in present and steps.ref not in known]
    journal.retention.steps += missing
    return bool(missing)


class EntryMemory(Value):
    """By whom an entry of a journal was, which its tree, time and commit name."""

    tree: str
    time: float
    commit: str
    by: TurnKey
    running: tuple[RunningTurn, ...]
    mark: TurnMark

    def to_json(self) -> list[Any]:
        return [self.tree, self.time, self.commit, self.by, list(self.running), self.mark]


class JournalMemory(Value):
    """What ``forget_sessions`` removed from a journal."""

    entries: tuple[EntryMemory, ...]
    reports: Mapping[TurnKey, Any]
    made: tuple[str, ...]  # paths
    sessions: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {"entries": [entry.to_json() for entry in self.entries], "reports": dict(self.reports),
                "made": list(self.made), "sessions": list(self.sessions)}  # fmt: skip


def memory_from_json(value: Mapping[str, Any]) -> JournalMemory:
    """Return what ``JournalMemory.to_json`` wrote; raises ValueError, TypeError or KeyError for anything else."""
    entries = (
        EntryMemory(tree=tree, time=time, commit=commit, by=TurnKey(by), running=tuple(map(RunningTurn, running)),
                    mark=TurnMark(mark))
        for tree, time, commit, by, running, mark in value["entries"]
    )  # fmt: skip
    reports = {TurnKey(turn): paths for turn, paths in value["reports"].items()}
    return JournalMemory(entries=tuple(entries), reports=reports, made=tuple(value["made"]),
                         sessions=tuple(value["sessions"]))  # fmt: skip


def forget_sessions(journal: Journal, gone: Collection[str]) -> JournalMemory:
    """Attribute these sessions' work to the user in a journal; return what ``recall_sessions`` needs."""
    attribution = journal.attribution
    memory = JournalMemory(
        entries=tuple(
            EntryMemory(tree=entry.tree, time=entry.time, commit=entry.commit, by=entry.by, running=entry.running,
                        mark=entry.mark)
            for entry in attribution.entries
            if not {turn.session_id for turn in entry.turns()}.isdisjoint(gone)
        ),
        reports={turn: paths for turn, paths in attribution.reports.items() if turn.session_id in gone},
        made=tuple(attribution.agent_paths),
        sessions=tuple(name for name in journal.sessions if name in gone),
    )  # fmt: skip
    attribution.forget_sessions(gone)
    return memory


def recall_sessions(journal: Journal, memory: JournalMemory) -> None:
    """Restore what ``forget_sessions`` removed, for the entries that the journal still has."""
    attribution = journal.attribution
    known = {(entry.tree, entry.time, entry.commit): entry for entry in memory.entries}
    entries = []
    for entry in attribution.entries:
        was = known.get((entry.tree, entry.time, entry.commit))
        entries.append(replace(entry, by=was.by, running=was.running, mark=was.mark) if was is not None else entry)
    attribution.entries = entries
    attribution.reports = {**memory.reports, **attribution.reports}
    attribution.note_agent_paths([path for path in memory.made if path not in attribution.agent_paths])
    journal.sessions += [name for name in memory.sessions if name not in journal.sessions]
