"""Records snapshots of the worktree in its journal, together with the step of a turn that changed files."""

from __future__ import annotations

import os

from entire import files, layout
from entire.model.session import Entry
from entire.model.turns import NO_MARK, NO_TURN, STASH_MARK, RunningTurn, TurnMark
from entire.model.value import Value, replace
from entire.snapshots import worktree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from entire.model.session import Session
    from entire.model.turns import Owner, TurnKey, Unreported
    from entire.recording.context import Context
    from entire.snapshots.snapshot_writer import Step
    from entire.snapshots.worktree import TakenSnapshot
    from entire.store.journal import Snapshot

# In the reflog, where HEAD moves to copies.
_COPYING = (b"\tam", b"\tcherry-pick", b"\tcommit (amend)", b"\tpull", b"\trebase")
_MERGING = frozenset(
    ("AUTO_MERGE", "CHERRY_PICK_HEAD", "MERGE_HEAD", "MERGE_MSG", "SQUASH_MSG", "rebase-apply", "rebase-merge")
)  # in the git directory, while git may bring something without moving HEAD
MAX_PATHS = 5000  # that a snapshot records as changed; later ones are dropped


class Cause(Value):
    """What may have changed the worktree since the previous snapshot: the turns, and what their tools reported."""

    by: TurnKey = NO_TURN  # the turn that the event belongs to
    running: tuple[RunningTurn, ...] = ()
    reported: Mapping[TurnKey, Sequence[str]] = {}
    mark: TurnMark = NO_MARK  # of a rewind or an undo
    moment: float = 0.0  # when it happened, if not at the snapshot's own time


class SnapshotChange(Value):
    """How a snapshot differs from the previous one. ``tree`` is '' until it is written.

    ``paths`` are those that somebody changed, ``returned`` those that git brought as they are, from one of the trees
    ``brought``.
    """

    taken: TakenSnapshot
    paths: tuple[str, ...]
    returned: tuple[str, ...] = ()
    brought: tuple[str, ...] = ()
    tree: str = ""
    is_new: bool = True  # False: nothing changed, not even HEAD


def take(context: Context) -> TakenSnapshot:
    journal, place = context.journal, context.place
    limit = context.settings.max_untracked_bytes
    return worktree.take(place, journal.snapshot, context.objects, limit, journal.caches.trees)


def start_at_head(context: Context, taken: TakenSnapshot) -> None:
    """Start an empty journal with HEAD's tree, for a turn whose start no hook recorded."""
    snapshot, journal = taken.snapshot, context.journal
    if journal.attribution.tree or not snapshot.head_tree:
        return
    journal.snapshot = replace(snapshot, tree=snapshot.head_tree, files={}, left_out=(), untracked=())
    journal.attribution.note(Entry(tree=snapshot.head_tree, time=snapshot.time, head=snapshot.head))


def start_at(context: Context, commit: str) -> None:
    """Start an empty journal with an earlier commit's tree, for commits that no hook saw."""
    tree, journal = context.objects.tree_id(commit), context.journal
    if tree and not journal.attribution.tree:
        journal.attribution.note(Entry(tree=tree, time=context.now(), head=commit))


def compare(context: Context, taken: TakenSnapshot) -> SnapshotChange:
    """Return what changed since the last snapshot. If HEAD moved or git brought something, the tree is written, and
    the trees are compared.
    """
    journal = context.journal
    before = journal.snapshot
    paths = worktree.changed_paths(before, taken.snapshot)
    if paths == [] and before.tree:
        trees = _brought(context, taken) if taken.snapshot.stashes != before.stashes else ()
        return SnapshotChange(taken=taken, paths=(), brought=trees, tree=before.tree, is_new=False)
    trees = _brought(context, taken)
    if paths is not None and not trees:
        return SnapshotChange(taken=taken, paths=tuple(paths))
    is_clean = not taken.changes and bool(taken.base_tree)  # then the tree is HEAD's
    tree = taken.base_tree if is_clean else _written(context, taken, None, keep=True)[0]
    last = journal.attribution.tree
    if not last or last == tree:
        return SnapshotChange(taken=taken, paths=(), tree=tree)
    from entire.git import diff

    changed = [change.path for change in diff.changes(context.place.top, last, tree)]
    own = _own_paths(context, changed, tree, trees)
    returned = frozenset(changed).difference(own)
    return SnapshotChange(taken=taken, paths=tuple(own), returned=tuple(returned), brought=trees, tree=tree)


def _own_paths(context: Context, paths: Sequence[str], tree: str, brought: Sequence[str]) -> list[str]:
    """Return the paths that are in a tree as none of the trees that git brought has them."""
    from entire.git import diff

    own = list(paths)
    for other in brought if own else ():
        differing = {change.path for change in diff.changes(context.place.top, other, tree)}
        own = [path for path in own if path in differing]
    return own


def _brought(context: Context, taken: TakenSnapshot) -> tuple[str, ...]:
    """Return the trees that git brought since the last snapshot. Usually nothing hints at any: nothing is loaded."""
    before, after = context.journal.snapshot, taken.snapshot
    is_quiet = (before.head, before.reflog[0], before.stashes) == (after.head, after.reflog[0], after.stashes)
    if not context.journal.attribution.tree or (is_quiet and _MERGING.isdisjoint(os.listdir(context.place.git_dir))):
        return ()
    from entire.snapshots import brought

    return brought.trees(context, after.head)


def record(context: Context, change: SnapshotChange, cause: Cause, step: Step | None = None) -> None:
    """Record a snapshot in the journal, with what may have caused its changes, and save the step."""
    journal, snapshot = context.journal, change.taken.snapshot
    before = journal.snapshot
    attribution = journal.attribution
    attribution.oversized_paths.update(dict.fromkeys(snapshot.left_out))
    attribution.reports.update({turn: list(paths) for turn, paths in cause.reported.items()})
    entry = Entry(
        tree=change.tree,
        time=cause.moment or snapshot.time,
        by=cause.by,
        running=cause.running,
        paths=change.paths[:MAX_PATHS],
        head=snapshot.head,
        brought=change.brought,
        unreported=_unreported(context, change.paths, cause),
    )
    if not change.is_new:
        _follow(context, replace(snapshot, tree=change.tree))
        _note_stashes(context, before, entry)
        close_files(context)
        return
    tree, step_id = change.tree, ""
    if not tree:
        tree, step_id = _written(context, change.taken, step, keep=True)
    elif step is not None:
        _, step_id = _written(context, change.taken, step, keep=False)
    _follow(context, replace(snapshot, tree=tree))
    _note_stashed(context, before.time, [*change.paths, *change.returned])
    _note_stashes(context, before, entry)
    if tree != attribution.tree:
        entry = replace(entry, tree=tree, mark=TurnMark(step_id) or cause.mark)
        attribution.note(entry)
        _attribute(context, entry)
        if cause.mark == NO_MARK:  # a rewind says itself what is open
            _attribute_to_people(context, [*entry.paths, *change.returned], entry, before)
            _reopen_stashed(context, [*entry.paths, *change.returned], before)
    close_files(context)


def _note_stashes(context: Context, before: Snapshot, entry: Entry) -> None:
    """Note the stashes that were made since the last snapshot: when they come back, their lines are their writers'."""
    for stash in context.journal.snapshot.stashes if entry.turns() else ():
        if stash not in before.stashes:
            _note_stash(context, stash, entry)


def _note_stash(context: Context, stash: str, entry: Entry) -> None:
    """Note a stash; until it comes back, the files that sessions changed in it are open."""
    from entire.git import diff
    from entire.snapshots import brought

    attribution = context.journal.attribution
    for commit in brought.of_stash(context, stash):
        tree, last = context.objects.tree_id(commit), attribution.tree
        changes = diff.changes(context.place.top, last, tree) if last else []
        paths = [change.path for change in changes if change.status != "D"]  # untracked files have their own tree
        own = _own_paths(context, paths, tree, entry.brought)
        attribution.stashed_paths.update(dict.fromkeys(own))
        _attribute(context, replace(entry, paths=tuple(own), unreported={}))
        attribution.note(replace(entry, tree=tree, commit=commit, paths=(), mark=STASH_MARK, unreported={}))


def _unreported(context: Context, paths: Sequence[str], cause: Cause) -> Unreported:
    """Return whose the changes are that no tool reported; usually there are none, and nothing is loaded."""
    reports = context.journal.attribution.reports
    known = {path for turn in cause.running for path in reports.get(turn.key, ())}
    left = [path for path in paths[:MAX_PATHS] if path not in known]
    if not left or not any(not turn.is_background for turn in cause.running):
        return {}
    from entire.snapshots import unreported_changes

    return unreported_changes.find(context, cause.running, left, is_quick=True)


def record_now(context: Context, cause: Cause) -> TakenSnapshot:
    taken = take(context)
    record(context, compare(context, taken), cause)
    return taken


def _follow(context: Context, snapshot: Snapshot) -> None:
    """Replace the journal's snapshot, and follow HEAD to it; not during a rebase."""
    journal = context.journal
    before = journal.followed
    is_first = not journal.attribution.tree
    journal.snapshot = snapshot
    if is_first:
        journal.caches.reflog = layout.head_log_end(context.place)
        _follow_copies(context)
    elif before and before != snapshot.head:
        from entire.snapshots import followed_commits

        if followed_commits.must_wait(context):
            journal.caches.followed = before
        else:
            followed_commits.head_moved(context, before, snapshot.head)


def _follow_copies(context: Context) -> None:
    """Follow the copies of commits that were made before the first snapshot; usually there are none, and nothing is
    loaded.
    """
    log = files.read(os.path.join(context.place.git_dir, "logs", "HEAD")) or b""
    if any(word in log for word in _COPYING):
        from entire.snapshots import followed_commits

        followed_commits.follow_copies(context)


def _note_stashed(context: Context, since: float, changed: Sequence[str]) -> None:
    """Record files that went into a stash: their lines may come back, unlike those of discarded files.

    ``git stash drop`` and ``pop`` remove the entry from the stash's log, so the log is read when the changes vanish.
    """
    unchanged = [path for path in changed if not context.journal.snapshot.has(path)]
    if unchanged:
        from entire.git import reflog

        stashed = reflog.last_stash(context.place)
        if stashed and stashed >= int(since):
            context.journal.attribution.stashed_paths.update(dict.fromkeys(unchanged))


# ---------------------------------------------------------------- uncommitted work


def attribute_again(context: Context, key: TurnKey) -> None:
    """Attribute again the paths that a turn may have changed, now that its tools have reported everything.

    This includes paths that only this turn can have changed: a hook may have been killed after recording the snapshot.
    """
    entries = context.journal.attribution.entries
    committed = {path: at for at, entry in enumerate(entries) if entry.commit for path in entry.paths}
    for at, entry in enumerate(entries):
        if not {RunningTurn(key), RunningTurn.background(key)}.intersection(entry.running):
            continue
        if entry.unreported and RunningTurn(key) in entry.running:
            from entire.snapshots import unreported_changes

            entries[at] = unreported_changes.find_again(context, key, entry)
        # A commit changes no file: it may hold a person's work too.
        if not entry.commit:
            _attribute(context, entries[at], {path for path in entry.paths if committed.get(path, at) > at})
    close_files(context)


def _attribute(context: Context, entry: Entry, committed: Container[str] = ()) -> None:
    """Record a snapshot's changed paths as uncommitted work of the sessions that made them. What was ``committed``
    since is open only if the commit left some of it.
    """
    attribution = context.journal.attribution
    owner = entry.owner(attribution.reports)
    candidates = _sessions_of(context, entry)
    by_sessions = {path: maker for path in entry.paths if path not in committed and (maker := owner(path)).is_turn}
    attribution.note_agent_paths(by_sessions)
    for session in candidates if by_sessions else ():
        turns = [session.turn_key, *(key for key in entry.turns() if key.session_id == session.session_id)]
        reported = {path for key in turns for path in attribution.reports.get(key, ())}
        session.work = replace(session.work, open_files=_open_files(session, by_sessions, reported))
        context.touch(session)


def _sessions_of(context: Context, entry: Entry) -> list[Session]:
    """Return the sessions of this worktree whose turns may have caused a snapshot's changes."""
    sessions = map(context.session, {turn.session_id for turn in entry.turns()})
    return [session for session in sessions if session is not None and context.in_this_worktree(session)]


def _open_files(session: Session, makers: Mapping[str, Owner], reported: Container[str]) -> list[str]:
    """Return a session's open files: with the paths that it made, without those that only another session made. Of a
    path that several report nobody knows who wrote it last, so it is open for each of them.
    """
    own = [path for path, maker in makers.items() if maker.session_id == session.session_id or path in reported]
    others = makers.keys() - set(own)
    return [path for path in dict.fromkeys([*session.work.open_files, *own]) if path not in others]


def _attribute_to_people(context: Context, paths: Sequence[str], entry: Entry, before: Snapshot) -> None:
    """Close the open files that a person rewrote or moved, if they hold no line of the session any more."""
    owner = entry.owner(context.journal.attribution.reports)
    own = frozenset(entry.paths)
    by_people = [path for path in paths if path not in own or not owner(path).is_turn]
    open_paths = {path for session in _with_open_files(context) for path in session.work.open_files}
    if open_paths.isdisjoint(by_people):
        return
    from entire.snapshots import open_files

    open_files.decide(context, [path for path in by_people if path in open_paths or path not in before.files])


def _reopen_stashed(context: Context, paths: Sequence[str], before: Snapshot) -> None:
    """Open the files of sessions that came back out of the stash."""
    if not before.stashes or set(before.stashes) <= set(context.journal.snapshot.stashes):
        return
    if stashed := [path for path in paths if path in context.journal.attribution.stashed_paths]:
        from entire.snapshots import open_files

        open_files.reopen(context, stashed)


def close_files(context: Context) -> None:
    """Close the open files that are as in HEAD: committed, or thrown away. Those that a stash or a rebase removed may
    come back.
    """
    for session in _with_open_files(context):
        if len(still_open := _still_open(context, session.work.open_files)) < len(session.work.open_files):
            uncommitted = session.work.uncommitted if still_open else ""
            session.work = replace(session.work, open_files=still_open, uncommitted=uncommitted)
            context.touch(session)
    visiting = context.journal.attribution.visiting_sessions
    for session_id, paths in list(visiting.items()):
        visiting[session_id] = _still_open(context, paths)
        if not visiting[session_id]:
            del visiting[session_id]


def _still_open(context: Context, paths: list[str]) -> list[str]:
    snapshot, in_stash = context.journal.snapshot, context.journal.attribution.stashed_paths
    if all(map(snapshot.has, paths)):
        return paths
    from entire.git import operation, reflog

    if operation.is_rebasing(context.place):
        return paths
    stashed = in_stash if any(path in in_stash for path in paths) and reflog.last_stash(context.place) else {}
    return [path for path in paths if snapshot.has(path) or path in stashed]


def _with_open_files(context: Context) -> list[Session]:
    sessions = context.relevant_sessions()
    return [session for session in sessions if session.work.open_files and context.in_this_worktree(session)]


def _written(context: Context, taken: TakenSnapshot, step: Step | None, *, keep: bool) -> tuple[str, str]:
    from entire.snapshots import snapshot_writer  # seldom: most prompts find the worktree as it was

    return snapshot_writer.write(context, taken, step, keep=keep)
