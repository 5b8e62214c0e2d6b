"""Who changed which path, and when: the history of a worktree's snapshots, including those dropped from the journal.

It tells a rewind which paths sessions changed, who created a path, and what a person has changed in it since.
"""

from __future__ import annotations

from entire.git import bulk, diff
from entire.model.turns import PERSON, MarkKind
from entire.model.value import Value, replace
from entire.snapshots.recorder import MAX_PATHS
from entire.store import journal as journals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from entire.model.session import Entry
    from entire.model.turns import Owner, TurnKey, TurnMark
    from entire.recording.context import Context


class PathEdit(Value):
    """One path's change between two snapshots. ``time`` is that of the later one."""

    path: str
    old_tree: str
    new_tree: str
    time: float
    owner: Owner
    is_shared: bool = False  # tools of several sessions reported the path between the two

    @property
    def session_id(self) -> str:
        """The session that made the change, '' for a person."""
        return self.owner.session_id


class SnapshotHistory:
    """The snapshots of a worktree, oldest first, without the entries that hold a commit's tree."""

    def __init__(self, context: Context) -> None:
        self._top = context.place.top
        self._agent_paths = context.journal.attribution.agent_paths
        journal = context.journal
        rows: list[journals.Dropped] = [*journals.past(context.place)]
        known = {(entry.time, entry.tree) for entry in journal.attribution.entries}
        rows = [row for row in rows if (row[0].time, row[0].tree) not in known]
        rows += [(entry, journal.attribution.reports) for entry in journal.attribution.entries]
        self._rows = [(entry, reports) for entry, reports in rows if not entry.commit]
        self._oldest = min((entry.time for entry, _ in self._rows), default=float("inf"))
        self._commits = {entry.commit: entry for entry, _ in rows if entry.commit}

    def at_step(self, commit: str) -> Entry | None:
        """Return the snapshot that a step was written with."""
        return next((entry for entry, _ in reversed(self._rows) if commit and entry.mark == commit), None)

    def at(self, moment: float) -> Entry | None:
        """Return the last snapshot at or before a moment."""
        return next((entry for entry, _ in reversed(self._rows) if entry.time <= moment), None)

    def reaches(self, moment: float) -> bool:
        """Return whether there is a snapshot at or before a moment."""
        return self._oldest <= moment

    def committed(self, commit: str) -> float:
        """Return when a commit was made according to the journal, 0.0 if it is not recorded."""
        return self._commits[commit].time if commit in self._commits else 0.0

    def step_committed(self, commit: str, sessions: Collection[str]) -> Entry | None:
        """Return the last step of these sessions before a commit, if the commit was made in its turn and nothing that
        the commit contains changed in between.
        """
        made = self._commits.get(commit)
        earlier = [entry for entry, _ in self._rows if made is not None and entry.time <= made.time]
        steps = [entry for entry in earlier if entry.mark.kind is MarkKind.STEP and entry.by.session_id in sessions]
        if made is None or not steps or steps[-1].by not in made.turns():
            return None
        later = {path for entry in earlier[earlier.index(steps[-1]) + 1 :] for path in entry.paths}
        return steps[-1] if later.isdisjoint(made.paths) else None

    def before(self, snapshot: Entry) -> Entry | None:
        at = next((index for index, (entry, _) in enumerate(self._rows) if entry == snapshot), 0)
        return self._rows[at - 1][0] if at else None

    def turns_with_steps(self, but: Collection[str] = ()) -> set[str]:
        """Return the turns (``session/turn``) that wrote a step, ignoring the steps in ``but``."""
        return {
            entry.by
            for entry, _ in self._rows
            if entry.by and entry.mark.kind is MarkKind.STEP and entry.mark not in but
        }

    def of_turn(self, turn: str) -> Entry | None:
        """Return the snapshot at the end of a turn (``session/turn``), if it changed a file."""
        return next((entry for entry, _ in reversed(self._rows) if entry.by == turn), None)

    def since(self, moment: float, paths: Iterable[str] | None = None) -> list[PathEdit]:
        """Return what changed after a moment, in order; with ``paths``, only these.

        Restored content does not count as a change: in the paths that a rewind touched, the changes are again those of
        its point, plus the ones that it did not take back according to its mark, until it is undone.
        """
        edits: list[PathEdit] = []
        before: dict[str, list[PathEdit]] = {}
        states: list[tuple[float, list[PathEdit]]] = []
        for entry, changes in self._row(moment, paths):
            mark, touched = entry.mark, {change.path for change in changes}
            before[mark.transaction] = edits
            if mark.kind is MarkKind.REWIND:
                of_point = next((state for time, state in reversed(states) if time <= mark.moment), [])
                if mark.moment > moment:
                    of_point = [*of_point, *self._until_commit(mark.moment, touched)]
                edits = _after_rewind(mark, touched, edits, of_point)
            elif mark.kind is MarkKind.UNDO:
                edits = _with_paths_of(touched, edits, before.get(mark.undone, []))
            else:
                edits = [*edits, *changes]
            states.append((entry.time, edits))
        return edits

    def _until_commit(self, moment: float, paths: Collection[str]) -> list[PathEdit]:
        """Return the changes since the last snapshot that the commit made at this moment contains."""
        commit = next((commit for commit, entry in self._commits.items() if entry.time == moment), "")
        last = self.at(moment)
        if not commit or last is None:
            return []
        entry, changes = next(self._row(moment, paths), (last, []))
        if _is_rewind(entry):
            return []
        names = [f"{tree}:{change.path}" for change in changes for tree in (change.old_tree, commit)]
        ids = bulk.ids(self._top, names, "blob")
        return [
            replace(change, new_tree=commit, time=moment)
            for change, old, new in zip(changes, ids[::2], ids[1::2], strict=True)
            if new not in ("", old)
        ]

    def _row(self, moment: float, paths: Iterable[str] | None = None) -> Iterator[tuple[Entry, list[PathEdit]]]:
        """Yield each snapshot after a moment, with its changes from the one before."""
        wanted = None if paths is None else frozenset(paths)
        for (before, _), (entry, reports) in zip(self._rows, self._rows[1:], strict=False):
            if entry.time <= moment:
                continue
            owner = _owner(entry, reports)
            shared = _reported_twice(entry, reports)
            touched = [path for path in self._paths(before, entry) if wanted is None or path in wanted]
            yield entry, [
                PathEdit(path=path, old_tree=before.tree, new_tree=entry.tree, time=entry.time, owner=owner(path),
                       is_shared=path in shared)
                for path in touched
            ]  # fmt: skip

    def _paths(self, before: Entry, entry: Entry) -> Sequence[str]:
        if len(entry.paths) < MAX_PATHS and not entry.brought:
            return entry.paths
        return [change.path for change in diff.changes(self._top, before.tree, entry.tree)]

    def made(self) -> set[str]:
        """Return the paths that sessions changed in this worktree, as far back as snapshots are kept."""
        return {
            *self._agent_paths,
            *(change.path for _, changes in self._row(0.0) for change in changes if change.session_id),
        }

    def creations(self, moment: float, paths: Sequence[str]) -> dict[str, PathEdit]:
        """Return the last change after a moment that created each path; paths without one are left out.

        A file that a rewind or its undo restored was created earlier.
        """
        rows = self._row(moment, paths)
        changes = [change for entry, changed in rows if not _is_rewind(entry) for change in changed]
        names = [f"{tree}:{change.path}" for change in changes for tree in (change.old_tree, change.new_tree)]
        ids = bulk.ids(self._top, names, "blob")  # '' where a folder was
        pairs = zip(changes, ids[::2], ids[1::2], strict=True)
        return {change.path: change for change, old, new in pairs if not old and new}


def _owner(entry: Entry, reports: Mapping[TurnKey, Sequence[str]]) -> Callable[[str], Owner]:
    """Return who changed a path before a snapshot; what git brought as it is, nobody did."""
    owner, own = entry.owner(reports), frozenset(entry.paths)
    return lambda path: PERSON if entry.brought and path not in own else owner(path)


def _is_rewind(entry: Entry) -> bool:
    return entry.mark.kind in (MarkKind.REWIND, MarkKind.UNDO)


def _after_rewind(
    mark: TurnMark, touched: Collection[str], edits: Sequence[PathEdit], of_point: Sequence[PathEdit]
) -> list[PathEdit]:
    """Return the changes after a rewind: in the paths it touched, those of its point and those it kept."""
    known = {(change.path, change.time) for change in of_point}
    merged = [change for change in edits if change.path in touched and mark.keeps(change.session_id)]
    kept = [change for change in merged if (change.path, change.time) not in known]
    if mark.is_of_one_session:
        paths = {change.path for change in kept}
        still = {(change.path, change.time) for change in edits}
        of_point = [change for change in of_point if change.path not in paths or (change.path, change.time) in still]
    return _with_paths_of(touched, edits, [*of_point, *kept])


def _with_paths_of(paths: Collection[str], edits: Sequence[PathEdit], others: Sequence[PathEdit]) -> list[PathEdit]:
    """Return ``edits`` with the changes of ``paths`` replaced by those in ``others``."""
    changes = [change for change in edits if change.path not in paths]
    changes += [change for change in others if change.path in paths]
    return sorted(changes, key=lambda change: (change.time, change.path))


def _reported_twice(entry: Entry, reports: Mapping[TurnKey, Sequence[str]]) -> set[str]:
    """Return the paths that tools of several sessions reported before a snapshot."""
    taken: dict[str, str] = {}
    twice = set()
    for turn in entry.turns():
        for path in reports.get(turn, ()):
            if taken.setdefault(path, turn.session_id) != turn.session_id:
                twice.add(path)
    return twice
