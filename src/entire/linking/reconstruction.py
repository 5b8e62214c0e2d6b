"""What was known when a commit was made: the journal as of then, from which its lines are attributed."""

from __future__ import annotations

from entire.commits import existing_commit, missed_commits
from entire.git import bulk, diff, reflog
from entire.maintenance.repository import Repository
from entire.model.session import Entry
from entire.model.turns import RunningTurn
from entire.model.value import Value
from entire.recording.context import Context
from entire.store import journal as journals
from entire.store import sessions, turnlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.history import Logged
    from entire.layout import Place
    from entire.model.session import Session
    from entire.model.turns import TurnKey
    from entire.recording.pending import Pending
    from entire.store.journal import Reports


class Reconstruction(Value):
    """What the journal tells about a commit. ``decided``: what would have been decided before it."""

    decided: Pending
    touching: tuple[str, ...]  # sessions whose turns changed paths of the commit before it
    present: tuple[str, ...]  # sessions with a turn in progress when it was made


def find(context: Context, commit: Logged) -> Reconstruction:
    """Decide about a commit as it would have been decided when it was made, in the worktree whose journal knows it.
    Writes nothing.
    """
    place = _made_in(context.place, commit)
    if place is context.place:
        return _find(context, commit)
    other = context.beside(place, context.settings)
    try:
        return _find(other, commit)
    finally:
        other.objects.close()


def _made_in(place: Place, commit: Logged) -> Place:
    """Return the worktree whose journal knows a commit; this one if none does."""
    if _knows(place, commit):
        return place
    others = Repository(place, 0.0).places.values()
    return next((other for other in others if _knows(other, commit)), place)


def _knows(place: Place, commit: Logged) -> bool:
    journal = journals.Journal(place)
    noted = [*(entry.commit for entry in journal.attribution.entries), *journal.caches.trees, journal.followed]
    return commit.oid in noted or any(reason.get("commit") == commit.oid for reason in journal.reasons)


def _find(context: Context, commit: Logged) -> Reconstruction:
    paths = _changed(context, commit)
    entries, later, reports = _entries(context, commit)
    running = _running(context, commit, later)
    then = context.beside(context.place, context.settings)
    try:
        _set_journal(then, commit, entries, reports, paths)
        move = next((move for move in reversed(reflog.moves(context.place)) if move.makes(commit)), None)
        maker = missed_commits.maker(context, commit)
        running = [RunningTurn(turn.key) if turn.key.session_id == maker else turn for turn in running]
        made = existing_commit.MadeCommit(commit=commit, move=move, running=tuple(running), maker=maker)
        decided = existing_commit.decide(then, made)
    finally:
        then.objects.close()
    touching = [turn.session_id for entry in entries if set(entry.paths) & set(paths) for turn in entry.turns()]
    touching += [turn.session_id for turn, reported in reports.items() if set(reported) & set(paths)]
    present = [turn.key.session_id for turn in running]
    return Reconstruction(
        decided=decided, touching=tuple(dict.fromkeys(touching)), present=tuple(dict.fromkeys(present))
    )


def turn_at(context: Context, session: Session, moment: float) -> str:
    """Return the id of the session's last turn that began by a moment; '' if none did."""
    if session.turn is not None and session.turn.started <= moment:
        return session.turn.id
    notes = [note for note in turnlog.read(context.place, session.session_id) if note.time <= moment]
    return notes[-1].turn if notes else ""


def _changed(context: Context, commit: Logged) -> list[str]:
    return [change.path for change in diff.changes(context.place.top, _parent_tree(context, commit),
                                                   context.objects.tree_id(commit.oid))]  # fmt: skip


def _parent_tree(context: Context, commit: Logged) -> str:
    parent = context.objects.commit(commit.parents[0]) if commit.parents else None
    return parent.tree if parent is not None else diff.EMPTY_TREE[len(commit.oid)]


def _entries(context: Context, commit: Logged) -> tuple[list[Entry], list[Entry], Reports]:
    """Return the snapshots before a commit whose trees still exist, those from it on, and the tools' reports."""
    journal = context.journal.attribution
    known = {(entry.time, entry.tree, entry.commit) for entry in journal.entries}
    past = [row for row in journals.past(context.place) if (row[0].time, row[0].tree, row[0].commit) not in known]
    entries = [*(entry for entry, _ in past), *journal.entries]
    reports: Reports = {}
    for _, of_entry in past:
        for turn, paths in of_entry.items():
            reports[turn] = list(dict.fromkeys([*reports.get(turn, ()), *paths]))
    reports.update(journal.reports)
    at = next((n for n, entry in enumerate(entries) if entry.commit == commit.oid), -1)
    if at < 0:
        at = next((n for n, entry in enumerate(entries) if entry.time > commit.made_by), len(entries))
    before = _with_trees(context, entries[:at])
    turns = {turn for entry in before for turn in entry.turns()}
    later = entries[at:]
    now = {turn for entry in later[:2] for turn in entry.turns()}
    return before, later, {turn: paths for turn, paths in reports.items() if turn in turns | now}


def _with_trees(context: Context, entries: Sequence[Entry]) -> list[Entry]:
    """Return the last of these entries that all have their trees: git may have collected older ones."""
    gone = set(bulk.missing(context.place.top, list(dict.fromkeys(entry.tree for entry in entries))))
    last = next((n for n in range(len(entries) - 1, -1, -1) if entries[n].tree in gone), -1)
    usable = list(entries[last + 1 :])
    while usable and usable[0].commit:  # what the others build on is a snapshot
        del usable[0]
    return usable


def _running(context: Context, commit: Logged, later: Sequence[Entry]) -> list[RunningTurn]:
    """Return the turns in progress when a commit was made. Of what no snapshot before it has, only what tools reported
    is theirs, unless the commit itself was recorded.
    """
    if later and later[0].commit == commit.oid:
        return list(later[0].running)
    keys: dict[TurnKey, None] = {}
    for entry in later[:1]:
        keys.update(dict.fromkeys(sorted(entry.turns())))
    keys_at_work = [key for key in keys if _ran_at(context, key, commit)]
    keys_at_work += [
        turn.key
        for turn in context.running_turns()
        if turn.key not in keys_at_work and _ran_at(context, turn.key, commit)
    ]
    return [RunningTurn.background(key) for key in keys_at_work]


def _ran_at(context: Context, key: TurnKey, commit: Logged) -> bool:
    session = sessions.find(context.place, key.session_id)
    if session is not None and session.turn is not None and session.turn_key == key:
        turn = session.turn
        return turn.started <= commit.made_by and (session.is_running or turn.ended >= commit.committed)
    notes = [note for note in turnlog.read(context.place, key.session_id) if note.turn == key.turn_id]
    return any(note.time <= commit.made_by and note.ended >= commit.committed for note in notes)


def _set_journal(
    then: Context, commit: Logged, entries: Sequence[Entry], reports: Reports, paths: Sequence[str]
) -> None:
    """Give a context the journal as it was before a commit. It is never saved."""
    journal = then.journal
    base = Entry(tree=_parent_tree(then, commit), time=commit.time)
    journal.attribution.entries = list(entries) or [base]
    journal.attribution.reports = dict(reports)
    journal.attribution.note_agent_paths(paths)  # so that its lines are attributed, if only to people
    journal.reasons = [reason for reason in journal.reasons if reason.get("commit") != commit.oid]
