"""Who changed which path since when: the looks at a work tree as one row, those of the past included.

A rewind asks: which paths did sessions make, who made this one, and what did a person change in it since.
"""

from __future__ import annotations

from entire.attribution import replay
from entire.attribution.content import interval_owner, session_of
from entire.git import bulk, diff
from entire.lifecycle.snapshots.recorder import MAX_PATHS
from entire.model.session import WEAK
from entire.model.value import Value
from entire.store import journal as journals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from entire.lifecycle.context import Context
    from entire.model.session import Entry

REWIND = "rewind"
UNDO = "undo"


class Change(Value):
    """One path between two looks: the trees around the change, when it was seen, and who made it."""

    path: str
    old_tree: str
    new_tree: str
    time: float
    owner: str  # session/turn, or ``strategies.lineage.PERSON``
    is_shared: bool = False  # tools of several sessions reported the path between these two looks

    @property
    def session_id(self) -> str:
        """The session that made it, '' for a person."""
        return session_of(self.owner) if replay.is_turn(self.owner) else ""


def rewound(back_to: float, transaction: str) -> str:
    """Return the mark of the look after a rewind to what was there at a moment."""
    return f"{REWIND} {back_to!r} {transaction}"


def undone(earlier: str, transaction: str) -> str:
    """Return the mark of the look after a transaction that brought back what was there before an earlier one."""
    return f"{UNDO} {earlier} {transaction}"


class _Mark(Value):
    """What a mark tells of a rewind: the moment, or the transaction before which, it went back to. Others: empty."""

    kind: str = ""
    moment: float = 0.0
    earlier: str = ""
    transaction: str = ""


def _read_mark(mark: str) -> _Mark:
    words = mark.split(" ")
    if len(words) != 3 or words[0] not in (REWIND, UNDO):
        return _Mark()
    if words[0] == UNDO:
        return _Mark(kind=UNDO, earlier=words[1], transaction=words[2])
    try:
        return _Mark(kind=REWIND, moment=float(words[1]), transaction=words[2])
    except ValueError:
        return _Mark()


class SnapshotHistory:
    """The row of looks at a work tree, oldest first; commits' own trees are not part of it."""

    def __init__(self, context: Context) -> None:
        self._where = context.place.top
        self._made = context.journal.made
        journal = context.journal
        rows: list[tuple[Entry, Mapping[str, Sequence[str]]]] = [*journals.past(context.place)]
        known = {(entry.time, entry.tree) for entry in journal.entries}
        rows = [row for row in rows if (row[0].time, row[0].tree) not in known]
        rows += [(entry, journal.reports) for entry in journal.entries]
        self._rows = [(entry, reports) for entry, reports in rows if not entry.commit]
        self._commits = {entry.commit: entry.time for entry, _ in rows if entry.commit}

    def at_step(self, commit: str) -> Entry | None:
        """Return the look that a step was written with."""
        return next((entry for entry, _ in reversed(self._rows) if commit and entry.mark == commit), None)

    def at(self, moment: float) -> Entry | None:
        """Return the last look before or at a moment; what it found was there then, as far as anybody knows."""
        return next((entry for entry, _ in reversed(self._rows) if entry.time <= moment), None)

    def committed(self, commit: str) -> float:
        """Return when a commit was made, as the journal has it; 0.0 if it does not."""
        return self._commits.get(commit, 0.0)

    def before(self, look: Entry) -> Entry | None:
        """Return the look before another one."""
        at = next((n for n, (entry, _) in enumerate(self._rows) if entry == look), 0)
        return self._rows[at - 1][0] if at else None

    def turns_with_steps(self, but: Collection[str] = ()) -> set[str]:
        """Return ``session/turn`` of the turns that wrote a step other than these."""
        return {entry.by for entry, _ in self._rows if entry.by and _is_step(entry) and entry.mark not in but}

    def of_turn(self, turn: str) -> Entry | None:
        """Return the look at the end of a turn (``session/turn``), if it changed a file."""
        return next((entry for entry, _ in reversed(self._rows) if entry.by == turn), None)

    def since(self, moment: float, paths: Iterable[str] | None = None) -> list[Change]:
        """Return what changed after a moment, in order; with ``paths``, only these.

        What a rewind put back is no change of its own: it takes back the changes that it undid, until it is undone.
        """
        found: list[Change] = []
        before: dict[str, list[Change]] = {}
        for text, changes in self._row(moment, paths):
            mark, touched = _read_mark(text), {one.path for one in changes}
            before[mark.transaction] = found
            if mark.kind == REWIND:
                found = [one for one in found if one.path not in touched or one.time <= mark.moment]
            elif mark.kind == UNDO:
                back = [one for one in before.get(mark.earlier, ()) if one.path in touched]
                rest = (one for one in found if one.path not in touched)
                found = sorted([*rest, *back], key=lambda one: (one.time, one.path))
            else:
                found = [*found, *changes]
        return found

    def _row(self, moment: float, paths: Iterable[str] | None = None) -> Iterator[tuple[str, list[Change]]]:
        """Yield the changes of each look after a moment, with its mark."""
        wanted = None if paths is None else frozenset(paths)
        for (before, _), (entry, reports) in zip(self._rows, self._rows[1:], strict=False):
            if entry.time <= moment:
                continue
            owner = interval_owner(entry.by, entry.running, reports)
            shared = _reported_twice(entry, reports)
            touched = [path for path in self._paths(before, entry) if wanted is None or path in wanted]
            yield entry.mark, [
                Change(path=path, old_tree=before.tree, new_tree=entry.tree, time=entry.time, owner=owner(path),
                       is_shared=path in shared)
                for path in touched
            ]  # fmt: skip

    def _paths(self, before: Entry, entry: Entry) -> Sequence[str]:
        if len(entry.paths) < MAX_PATHS:
            return entry.paths
        return [one.path for one in diff.changes(self._where, before.tree, entry.tree)]

    def made(self) -> set[str]:
        """Return the paths that sessions of this work tree made or changed, as far back as anybody knows."""
        return {*self._made, *(one.path for _, changes in self._row(0.0) for one in changes if one.session_id)}

    def creations(self, moment: float, paths: Sequence[str]) -> dict[str, Change]:
        """Return how each path came about last after a moment; paths that did not, or of which nobody knows, are
        left out. What a rewind or its undo brought back came about before.
        """
        changes = [one for mark, some in self._row(moment, paths) if not _read_mark(mark).kind for one in some]
        names = [f"{tree}:{one.path}" for one in changes for tree in (one.old_tree, one.new_tree)]
        ids = bulk.ids(self._where, names, "blob")  # where a folder was, there was no such file
        pairs = zip(changes, ids[::2], ids[1::2], strict=True)
        return {one.path: one for one, old, new in pairs if not old and new}


def _reported_twice(entry: Entry, reports: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the paths that tools of several sessions reported among those that ran before a look."""
    taken: dict[str, str] = {}
    twice = set()
    for turn in {one.removeprefix(WEAK) for one in (entry.by, *entry.running) if one}:
        for path in reports.get(turn, ()):
            if taken.setdefault(path, session_of(turn)) != session_of(turn):
                twice.add(path)
    return twice


def _is_step(entry: Entry) -> bool:
    return bool(entry.mark) and not _read_mark(entry.mark).kind
