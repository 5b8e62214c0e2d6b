"""Examines whose content a commit has: which paths the journal's snapshots are replayed for, between which trees."""

from __future__ import annotations

import os

from entire import layout, process
from entire.attribution import content
from entire.attribution.content import CommitTrees, Recorded
from entire.git import diff, index, operation
from entire.model.value import replace
from entire.snapshots import brought as snapshots
from entire.snapshots import unreported_changes
from entire.store.journal import Journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.attribution.content import Content
    from entire.commits.replaced_commits import Replaced
    from entire.commits.upcoming_commit import UpcomingCommit
    from entire.git.diff import FileChange
    from entire.recording.context import Context


def examine(
    context: Context,
    upcoming: UpcomingCommit,
    changes: Sequence[FileChange],
    replaced: Replaced,
    trees: tuple[str, ...],
) -> Content | None:
    """Attribute the commit's content from the journal; None if no session can have any. ``trees``: those that git has
    brought since the last snapshot.
    """
    journal = context.journal
    if not journal.attribution.tree or not (changes or replaced.commit):
        return None
    paths = [
        *both_names(changes),
        *_moved_away(context, changes),
        *_dropped_by_amend(context, upcoming, changes, replaced),
    ]
    if not upcoming.running and not any(path in journal.attribution.agent_paths for path in paths):
        return None
    entries = journal.attribution.entries_without_commits(replaced.commit, *abandoned(context, upcoming.parent))
    recorded = Recorded(
        entries=tuple(snapshots.present(context, entries)),
        reports={
            **journal.attribution.reports,
            **(unreported_changes.reports_so_far(context) if upcoming.running else {}),
        },
        running=upcoming.running,
        unreported=unreported_changes.find(context, upcoming.running, paths, maker=upcoming.maker),
    )
    parent = context.objects.commit(upcoming.parent) if upcoming.parent else None
    parent_tree = parent.tree if parent is not None else diff.EMPTY_TREE[len(upcoming.tree)]
    compared = CommitTrees(
        tree=upcoming.tree,
        parent_tree=parent_tree,
        moved_from=snapshots.parted_from(context, parent_tree, trees),
        covered=replaced.covered,
        staged=_staged(context, upcoming, changes),
        brought=trees,
    )
    return content.examine(context.place.top, recorded, compared, paths, journal.attribution.stashed_paths)


def popped(context: Context, trees: CommitTrees, paths: Sequence[str], where: str = "") -> Content | None:
    """Attribute content from the journal of another worktree, whose session's work came in with a stash; None without
    any. ``where``: the repository that has the trees, if not the worktree's.

    Git says that it merged something. It does not for a stash of new files alone: those are gone where they were.
    """
    if not layout.other_head_logs(context.place):
        return None
    from entire.snapshots import other_worktrees

    is_merged = bool(operation.merged_tree(context.place))
    for place in other_worktrees.live(context.place):
        if not is_merged and all(os.path.lexists(os.path.join(place.top, path)) for path in paths):
            continue  # most commits: the other journal is not read for them
        attribution = Journal(place).attribution
        came = {
            path
            for path in paths
            if path in attribution.agent_paths and (is_merged or not os.path.lexists(os.path.join(place.top, path)))
        }
        if attribution.tree and came:
            entries = snapshots.present(context, attribution.entries)
            recorded = Recorded(entries=tuple(entries), reports=attribution.reports)
            examined = content.only(content.examine(where or context.place.top, recorded, trees, paths, paths), came)
            if examined.sessions():
                return replace(examined, left={})  # what it left there is not in this worktree
    return None


def abandoned(context: Context, parent: str) -> set[str]:
    """Return unlinked commits that are not in the history of a commit on ``parent``: no checkpoint has them."""
    unlinked = {str(reason["commit"]) for reason in context.journal.reasons}
    noted = [entry.commit for entry in context.journal.attribution.entries if entry.commit in unlinked]
    if not noted or not parent:
        return set(noted)
    from entire.git import history

    return history.outside(context.place.top, parent, noted)


def _staged(context: Context, upcoming: UpcomingCommit, changes: Sequence[FileChange]) -> str:
    """Return the tree that was staged when git started; '' if the commit's own hooks staged nothing since."""
    from entire.git import staged

    index_file = index.path(context.place, upcoming.event.environment)
    commit = staged.Commit(tree=upcoming.tree, changes=changes, index=index_file,
                           started=process.start_time(upcoming.git.started))  # fmt: skip
    known = [entry.tree for entry in context.journal.attribution.entries]
    return staged.before_hooks(context.place, context.objects, commit, known)


def brought(context: Context, upcoming: UpcomingCommit) -> tuple[str, ...]:
    """Return the trees that git has brought since the last snapshot, up to the commit."""
    if not context.journal.attribution.tree:
        return ()
    return snapshots.trees(context, upcoming.head.oid if upcoming.head is not None else "", upcoming.commit)


def _moved_away(context: Context, changes: Sequence[FileChange]) -> list[str]:
    """Return paths of sessions that are gone from the worktree: a person may have moved them to paths that the commit
    adds, now or when a snapshot recorded both.
    """
    added = {change.path for change in changes if change.status == "A"}
    if not added:
        return []
    attribution, known = context.journal.attribution, {change.path for change in changes}
    paths = [path for session in context.relevant_sessions() for path in session.work.open_files]
    for entry in attribution.entries:
        if not added.isdisjoint(entry.paths):
            paths += [path for path in entry.paths if path in attribution.agent_paths]
    gone = dict.fromkeys(path for path in paths if path not in known)
    return [path for path in gone if not os.path.lexists(os.path.join(context.place.top, path))]


def _dropped_by_amend(
    context: Context, upcoming: UpcomingCommit, changes: Sequence[FileChange], replaced: Replaced
) -> list[str]:
    """Return the paths that an amend removes from the commit: their content may be uncommitted again."""
    known = {change.path for change in changes}
    return [
        change.path
        for tree in replaced.covered
        if replaced.commit
        for change in diff.changes(context.place.top, tree, upcoming.tree)
        if change.path not in known
    ]


def both_names(changes: Sequence[FileChange]) -> list[str]:
    """Return the changed paths, then those that moved files had before."""
    return list(dict.fromkeys([*(change.path for change in changes), *(change.old_path for change in changes)]))
