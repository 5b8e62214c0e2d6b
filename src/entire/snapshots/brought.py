"""Finds the trees that git brought into the worktree since the last snapshot, whoever ran it (linking.md section 1).

HEAD's reflog names the commits that HEAD was moved to without making one. A merge, pick, rebase or squash in progress
names its own, and git keeps the tree that it merged (``AUTO_MERGE``). A stash that is gone was popped. Where nothing of
this happened, only files are looked at, and no git runs.
"""

from __future__ import annotations

import os

from entire import files, layout
from entire.git import bulk, operation, reflog
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.model.session import Entry
    from entire.recording.context import Context

_HEADS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD")
_MOST = 10  # trees: those that came last
_STASHES = 3


def trees(context: Context, head: str, until: str = "") -> tuple[str, ...]:
    """Return the trees that git brought since the last snapshot, the newest last. ``head``: where HEAD is now;
    ``until``: only those that it brought before HEAD moved to that commit.
    """
    commits = [*_popped(context), *_moved_to(context, head, until)]
    if not until:
        commits += _in_progress(context)
    brought = dict.fromkeys(filter(None, map(context.objects.tree_id, commits[-_MOST:])))
    brought.pop(context.journal.attribution.tree, None)
    return tuple(brought)


def parted_from(context: Context, parent_tree: str, brought: Sequence[str]) -> str:
    """Return the tree of HEAD at the last snapshot, if git has since put ``parent_tree``, which is one of the trees
    ``brought``, in its place; '' if not, or if a reset may have left the files as they were.
    """
    snapshot = context.journal.snapshot
    moves = reflog.moves_after(context.place, snapshot.reflog) if parent_tree in brought else []
    return snapshot.head_tree if moves and not any(move.is_reset for move in moves) else ""


def present(context: Context, entries: Sequence[Entry]) -> list[Entry]:
    """Return a journal's entries without what git brought, or stashed, and has collected since."""
    asked = {tree for entry in entries for tree in (*entry.brought, *([entry.tree] if entry.is_stash else []))}
    gone = set(bulk.missing(context.place.top, sorted(asked))) if asked else set()
    if not gone:
        return list(entries)
    return [
        replace(entry, brought=tuple(tree for tree in entry.brought if tree not in gone))
        for entry in entries
        if not (entry.is_stash and entry.tree in gone)
    ]


def _moved_to(context: Context, head: str, until: str) -> Iterator[str]:
    """Yield the commits that HEAD was moved to without making one, and those that were merged here. Without a reflog
    HEAD's own is one, unless our hooks saw it being made.
    """
    journal, place = context.journal, context.place
    is_quiet = layout.head_log_size(place) == journal.snapshot.reflog[0]
    moves = [] if is_quiet else reflog.moves_after(place, journal.snapshot.reflog)
    if until:
        del moves[next((at for at, move in enumerate(moves) if move.new == until), 0) :]  # a rebase names it twice
    made = {move.new for move in moves if move.is_new}  # what was written since is in them
    for move in moves:
        if not move.is_new and move.new not in made:
            yield move.new
        elif move.is_new and move.subject.startswith("commit (merge)"):
            merge = context.objects.commit(move.new)
            yield from merge.parents[1:] if merge is not None else ()
    noted = (entry.commit for entry in journal.attribution.entries)
    if head and head not in {journal.snapshot.head, *journal.caches.trees, *noted, *(move.new for move in moves)}:
        yield head


def _in_progress(context: Context) -> Iterator[str]:
    """Yield what a merge, pick, rebase or squash in progress has brought; a revert brings nothing."""
    git_dir = context.place.git_dir
    if os.path.exists(os.path.join(git_dir, "REVERT_HEAD")):
        return  # what a revert writes is written here
    if operation.in_progress(context.place) or os.path.exists(os.path.join(git_dir, "MERGE_MSG")):  # as after pick -n
        for name in (*_HEADS, "AUTO_MERGE"):
            if name != "REBASE_HEAD" or operation.is_rebasing(context.place):  # it stays after the rebase
                yield from (files.read(os.path.join(git_dir, name)) or b"").decode("ascii", "replace").split()


def _popped(context: Context) -> Iterator[str]:
    """Yield the stashes of the last snapshot that were popped since, or that a conflict has kept."""
    known, git_dir = context.journal.snapshot.stashes, context.place.git_dir
    if not known:
        return
    now = reflog.stashes(context.place)
    gone = [oid for oid in known if oid not in now]
    if not gone and os.path.exists(os.path.join(git_dir, "AUTO_MERGE")) and not operation.in_progress(context.place):
        gone = list(known)
    for oid in gone[-_STASHES:]:
        yield from of_stash(context, oid)


def of_stash(context: Context, oid: str) -> list[str]:
    """Return the commits with the files of a stash: the tracked ones, and the untracked ones if it has any."""
    commit = context.objects.commit(oid)
    return [oid, *commit.parents[2:3]] if commit is not None else []
