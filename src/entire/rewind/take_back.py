"""A commit on top of HEAD that takes back what sessions committed since a point: history stays, for whoever has it."""

from __future__ import annotations

import os

from entire.commits import complete
from entire.errors import EntireError
from entire.git import head, new_commit, partial_commit
from entire.git.write import ImportStream
from entire.model import reasons
from entire.model.value import Value, replace
from entire.recording.pending import CommitKind, Pending
from entire.rewind import branch
from entire.snapshots import open_files, snapshot_writer
from entire.undo import backups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entire.git.history import Logged
    from entire.model.views.points import PointView, RewindView
    from entire.recording.context import Context
    from entire.rewind.files import Restoring
    from entire.undo.draft import Draft

    Entries = Mapping[str, tuple[str, str] | None]

_MAX_SUBJECT = 50


class TakeBack(Value):
    """A commit to make: HEAD's tree with ``entries`` (mode and blob id by path, None to delete)."""

    ref: str  # of HEAD, '' if it is detached
    head: str
    message: str
    taken: tuple[str, ...]  # the commits that it takes back, newest first
    entries: Entries
    uncommitted: tuple[str, ...]  # paths that leave the branch and stay in the worktree


def plan(context: Context, point: PointView, restoring: Restoring) -> TakeBack | None:
    """Return the commit that takes back what sessions committed since a point; None if nothing is to be committed.
    Raises EntireError if it cannot be made now.
    """
    branch.refuse_operation(context, "--take-back")
    ref, oid = head.read(context.place.top)
    if unmerged := partial_commit.staged(context.place.top, oid, len(oid)).unmerged:
        names = ", ".join(map(backups.shown, unmerged))
        raise EntireError(f"conflicts in {names} are not resolved; nothing was changed",
                          hint="resolve them first, or omit --take-back")  # fmt: skip
    entries, gone = restoring.taken_back(), restoring.gone
    if not entries or gone is None:
        return None
    return TakeBack(ref=ref, head=oid, message=message(gone.commits, point.message), entries=entries,
                    taken=tuple(commit.oid for commit in gone.commits),
                    uncommitted=tuple(restoring.uncommitted))  # fmt: skip


def shown(view: RewindView, planned: TakeBack | None) -> RewindView:
    """Return a view of the rewind with this commit."""
    if planned is None:
        return view
    return replace(view, branch=planned.ref.removeprefix("refs/heads/"), taken_back=planned.taken)


def message(taken: Sequence[Logged], subject: str) -> str:
    """Return the message of a commit that takes back commits (newest first) made since the one with this subject."""
    count = "1 commit" if len(taken) == 1 else f"{len(taken)} commits"
    reverted = "".join(f'This reverts commit {commit.oid}\n("{commit.subject}").\n' for commit in taken)
    return f'Take back {count} since "{_cut(subject)}"\n\n{reverted}'


def _cut(subject: str) -> str:
    return subject if len(subject) <= _MAX_SUBJECT else subject[: _MAX_SUBJECT - 3].rstrip() + "..."


def make(context: Context, draft: Draft, planned: TakeBack) -> str:
    """Write the commit, and add to the draft that HEAD's branch moves to it; return its id."""
    top = context.place.top
    if head.read(top) != (planned.ref, planned.head):
        raise EntireError("HEAD was moved in the meantime; nothing was done", hint="try again")
    tree = _tree(context, planned.head, planned.entries)
    message = planned.message.encode("utf-8", "surrogateescape")
    oid = new_commit.write(context.place, draft.folder, tree=tree, parent=planned.head, message=message)
    if planned.ref:
        draft.move_ref(planned.ref, oid, planned.head)
    else:
        draft.set_head("", oid)
    return oid


def stage(context: Context, draft: Draft, planned: TakeBack) -> None:
    """Add to the draft that the index has the commit's entries, except where something is staged."""
    place = context.place
    if not os.path.exists(os.path.join(place.git_dir, "index")):
        return
    staged = set(partial_commit.staged(place.top, planned.head, len(planned.head)).changes)
    held = staged.union(*map(backups.parents, staged))  # a folder of staged files takes no file
    entries = {
        path: entry
        for path, entry in planned.entries.items()
        if path not in held and staged.isdisjoint(backups.parents(path))
    }
    target = os.path.join(draft.folder, "index.new")
    partial_commit.copy_with(place, target, entries, len(planned.head))
    draft.replace_index(target)


def _tree(context: Context, commit: str, entries: Entries) -> str:
    """Write a commit's tree with other entries, deletions first: a file may take a folder's place."""
    stream = ImportStream(context.place.top)
    ordered = dict(sorted(entries.items(), key=lambda pair: pair[1] is not None))
    tree = context.objects.tree_id(commit)
    key = stream.tree_of(
        stream.commit(message=snapshot_writer.MESSAGE, author=context.author(), tree=tree, changes=ordered)
    )
    return stream.write()[key]


def record(context: Context, planned: TakeBack, oid: str) -> None:
    """Record the commit as the git hooks would have: it is a revert, and what it leaves uncommitted is open again."""
    commit, journal = context.objects.commit(oid), context.journal
    if commit is None:
        return
    journal.attribution.uncommit(planned.taken, planned.uncommitted)
    paths = tuple(path for path in planned.entries if path not in planned.uncommitted)
    reason, now = reasons.REVERT.text(), context.now()
    decided = Pending(kind=CommitKind.REVERT, head=planned.head, tree=commit.tree, moment=now, paths=paths)
    complete.note_unlinked(context, commit, reason, decided)
    journal.note_reason(oid, reason, now)  # also where no session has uncommitted work
    if planned.uncommitted:
        open_files.reopen(context, planned.uncommitted)
