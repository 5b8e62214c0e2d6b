"""Follows commits that git made without our hooks: copies of linked ones, clean merges (linking.md sections 4 and 5).

A rebase, cherry-pick or squash copies checkpoint ids to new commits. They are added to those checkpoints' lineage
files; the sessions' slots do not change. A link by commit id is carried to the copy with the same patch id or, where a
conflict was resolved, with the same author, time and subject. A clean merge runs no post-commit hook and is recorded
once HEAD has moved.
"""

from __future__ import annotations

import os

from entire.errors import PartialCloneError
from entire.git import history, read
from entire.model import reasons
from entire.model.ids import CheckpointId
from entire.model.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from entire.git.history import Logged
    from entire.git.read import Commit
    from entire.recording.context import Context
    from entire.store import checkpoint_writer
    from entire.store.lineage_file import LineageLink

    Carried = Mapping[str, Sequence[CheckpointId]]  # checkpoints by commit

_MAX_COMMITS = 200
_MAX_RECORDED = 10_000  # linked by their ids, seldom more than a few
_MESSAGE = b"Record commits that carry existing checkpoints\n"
_UNLINKED_MESSAGE = b"Record copies of commits that were unlinked by hand\n"


def must_wait(context: Context) -> bool:
    """Tell whether HEAD is not to be followed yet: a rebase is going on, a commit that was decided is being made, or a
    lock is in the way of what a commit is linked by.
    """
    from entire.git import operation, ref_locks

    is_busy = operation.is_rebasing(context.place) or os.path.exists(context.place.pending_file)
    return is_busy or ref_locks.blocks(context.place.common_dir)


def head_moved(context: Context, before: str, after: str) -> None:
    """Record the commits between HEAD's previous position and the current one."""
    if after:
        record(context, between(context, before, after))


def record(context: Context, commits: Sequence[Logged]) -> None:
    """Record the commits that HEAD gained, newest first."""
    complete = context.journal.caches.trees  # commits whose hooks ran: their checkpoints are complete
    fresh = [commit for commit in reversed(commits) if commit.oid not in complete]
    carried = follow(context, fresh)
    _note_merges(context, [commit for commit in fresh if commit.oid not in carried])


def between(context: Context, before: str, after: str) -> list[Logged]:
    """Return the commits that HEAD gained, newest first; ``before`` is '' if there was none."""
    return history.log(context.place.top, [after, *([f"^{before}"] if before else [])], limit=_MAX_COMMITS)


def follow_copies(context: Context) -> None:
    """Link the copies of linked commits that HEAD's reflog shows, where no earlier position of HEAD is known."""
    add_links(context, unlinked_copies(context))


def unlinked_copies(context: Context) -> Carried:
    """Return the copies of linked commits that HEAD's reflog shows and that are not linked yet."""
    from entire.git import reflog

    copies = list(dict.fromkeys(move.new for move in reflog.moves(context.place) if move.copies))[-_MAX_COMMITS:]
    links = context.links if copies else None
    if links is None or not links.has_patches():
        return {}
    return copied_ids(context, [commit for commit in history.show(context.place.top, copies) if not links.of(commit)])


def follow(context: Context, commits: Sequence[Logged]) -> Carried:
    """Add commits, oldest first, to the checkpoints that they have, and copies of commits that are linked by their ids;
    return the checkpoints by commit.
    """
    add_unlinks(context, _unlinked_originals(context, commits))
    links = context.links
    ids = {commit.oid: links.of(commit) for commit in commits}
    ids = {oid: named for oid, named in ids.items() if named}
    copied = copied_ids(context, [commit for commit in commits if commit.oid not in ids])
    carried = {commit.oid: named for commit in commits if (named := ids.get(commit.oid) or copied.get(commit.oid))}
    add_links(context, carried, _made_by_people(context, [commit for commit in commits if commit.oid in carried]))
    return carried


def _made_by_people(context: Context, commits: Sequence[Logged]) -> set[str]:
    """Return the commits that were made here while no session can have written anything that is in no checkpoint."""
    if not commits or context.journal.is_live:
        return set()
    from entire.git import reflog
    from entire.store import journal

    if journal.running_elsewhere(context.place):
        return set()
    made = {(move.old, move.new) for move in reflog.moves(context.place) if move.is_made}
    return {commit.oid for commit in commits if (*commit.parents[:1], commit.oid) in made}


def _note_merges(context: Context, plain: Sequence[Logged]) -> None:
    known = {reason["commit"] for reason in context.journal.reasons}
    merges = [commit.oid for commit in plain if len(commit.parents) > 1 and commit.oid not in known]
    if merges and any(session.is_live(context.now()) for session in context.relevant_sessions()):
        from entire.git import reflog

        made_here = reflog.merged(context.place)
        for oid in merges:
            if oid in made_here:
                context.journal.note_reason(oid, reasons.MERGE.text(), context.now())


def _unlinked_originals(context: Context, commits: Sequence[Logged]) -> dict[str, list[CheckpointId]]:
    """Return the checkpoints that these commits name because they are copies of commits that a person has unlinked
    from them: git keeps the author and the author's time. Usually there are none, and nothing is read.
    """
    links = context.links
    gone = _unlinked_authors(context)
    ids_by_commit = {}
    for commit in commits if gone else ():
        copy, counts = context.objects.commit(commit.oid), links.counts(commit.oid)
        authors = gone.get(copy.author, ()) if copy is not None else ()
        ids_by_commit[commit.oid] = [name for name in links.of(commit) if name in authors and name not in counts]
    return ids_by_commit


def _unlinked_authors(context: Context) -> dict[str, set[CheckpointId]]:
    """Return the checkpoints that a person has unlinked from commits, by the commits' authors and times."""
    ids_by_author: dict[str, set[CheckpointId]] = {}
    for oid, ids in context.links.unlinked_commits().items():
        commit = context.objects.commit(oid)
        if commit is not None:
            ids_by_author.setdefault(commit.author, set()).update(ids)
    return ids_by_author


# ---------------------------------------------------------------- copies of commits that are linked by their ids


def copied_ids(context: Context, commits: Sequence[Logged]) -> dict[str, list[CheckpointId]]:
    """Return the checkpoints of these commits that are copies of linked ones, by commit; amended ones keep theirs."""
    links = context.links
    candidates = [commit for commit in commits if len(commit.parents) < 2]
    if not candidates or not links.has_patches():
        return {}
    from entire.git import reflog

    ids_by_copy: dict[str, list[CheckpointId]] = {}
    copies = []
    moves = reflog.moves(context.place)
    for commit in candidates:
        by = next((move for move in reversed(moves) if move.makes(commit)), None)
        if by is not None and by.is_amend:
            ids_by_copy[commit.oid] = links.recorded(reflog.through_amends(moves, by, links.recorded).old)
        elif by is None or by.is_resolved_pick:
            copies.append(commit)
    same = [commit for commit in map(context.objects.commit, (copy.oid for copy in copies)) if commit is not None]
    ids_by_copy.update({oid: links.of_patch(patch_id) for oid, patch_id in patch_ids(context, same).items()})
    made = {move.new for move in moves if move.is_made}
    changed = [commit for commit in same if commit.oid in made and not ids_by_copy[commit.oid]]
    ids_by_copy.update({oid: links.recorded(original) for oid, original in originals(context, changed).items()})
    if gone := _unlinked_authors(context):
        authors = {commit.oid: gone.get(commit.author, set()) for commit in same}
        ids_by_copy = {
            oid: [name for name in ids if name not in authors.get(oid, ())] for oid, ids in ids_by_copy.items()
        }
    return {oid: ids for oid, ids in ids_by_copy.items() if ids}


def originals(context: Context, copies: Sequence[Commit]) -> dict[str, str]:
    """Return the commits, linked by their ids, of which git made these copies: it keeps the author, the author's time
    and the subject, also where somebody has resolved a conflict.
    """
    if not copies:
        return {}
    try:
        recorded = context.objects.get_all(context.links.recorded_commits()[:_MAX_RECORDED])
    except PartialCloneError:  # git has not fetched all of them
        return {}
    commits = [read.parse_commit(obj) for obj in recorded if obj is not None and obj.type == "commit"]
    by_origin = {_origin(commit): commit.oid for commit in commits}
    return {copy.oid: by_origin[_origin(copy)] for copy in copies if _origin(copy) in by_origin}


def _origin(commit: Commit) -> tuple[str, bytes]:
    return commit.author, commit.message.lstrip().partition(b"\n")[0].rstrip()


# ---------------------------------------------------------------- writing


def add_links(context: Context, ids: Carried, examined: Collection[str] = ()) -> None:
    """Add commits, oldest first, to the lineage files of their checkpoints, and to the index what their messages do not
    name. ``examined`` are those of whose lines we know which are a session's.
    """
    commits = [commit for commit in map(context.objects.commit, ids) if commit is not None and ids[commit.oid]]
    if commits:
        _write_links(context, commits, ids, examined)
        for commit in commits:
            context.journal.forget_reason(commit.oid)


def add_unlinks(context: Context, ids: Carried) -> None:
    """Record that commits are not linked to checkpoints that their messages name."""
    wanted = {oid: gone for oid, gone in ids.items() if gone}
    if not wanted:
        return
    from entire.store import checkpoint_writer, links

    for attempt in checkpoint_writer.attempts(context.place.top, context.objects):
        known = links.CheckpointLinks(context.place.top, context.objects, [attempt.base, *context.tips])
        changes: checkpoint_writer.Changes = {}
        for oid, gone in wanted.items():
            unlinked = known.unlinked(oid)
            changes.update(links.toggled(known, oid, [name for name in gone if name not in unlinked]))
        attempt.write(changes, message=_UNLINKED_MESSAGE, author=context.author())


def _write_links(context: Context, commits: Sequence[Commit], ids: Carried, examined: Collection[str]) -> None:
    from entire.store import checkpoint_writer

    known: dict[str, LineageLink] = {}
    for commit in commits:
        if commit.oid in examined:
            known[commit.oid] = replace(_known_link(context, commit, known), examined=True)
    for attempt in checkpoint_writer.attempts(context.place.top, context.objects):
        changes = link_changes(context, attempt.base, commits, ids, known)
        attempt.write(changes, message=_MESSAGE, author=context.author())


def link_changes(
    context: Context, base: str, commits: Sequence[Commit], ids: Carried, known: dict[str, LineageLink]
) -> checkpoint_writer.Changes:
    """Return the changes on ``base`` that add commits to their checkpoints; ``known`` keeps what was found out."""
    from entire.store import links

    changes: checkpoint_writer.Changes = {}
    for checkpoint_id in dict.fromkeys(name for commit in commits for name in ids[commit.oid]):
        carriers = [commit for commit in commits if checkpoint_id in ids[commit.oid]]
        changes.update(_lineage_changes(context, base, checkpoint_id, carriers, known))
    for commit in commits:
        patch_id = _known_link(context, commit, known).patch_id if links.missing(commit, ids[commit.oid]) else ""
        changes.update(links.changes(context.objects, base, commit, ids[commit.oid], patch_id))
    return changes


def _lineage_changes(
    context: Context, base: str, checkpoint_id: CheckpointId, carriers: Sequence[Commit], known: dict[str, LineageLink]
) -> checkpoint_writer.Changes:
    """Return the change that adds commits to a checkpoint's lineage file; none without one, or if all are there."""
    from entire.store import checkpoint_writer, checkpoints, lineage_file

    try:
        existing = checkpoints.read_at(context.objects, base, checkpoint_id) if base else None
        record = lineage_file.read(context.objects, existing) if existing is not None else None
    except PartialCloneError:  # a teammate's; the index and the commits' messages name it all the same
        return {}
    if record is None:
        return {}
    present = {link.commit for link in record.commits}
    fresh = [commit for commit in carriers if commit.oid not in present]
    for commit in fresh:
        record = lineage_file.with_commit(record, _known_link(context, commit, known))
    path = f"{checkpoint_id.path}/{lineage_file.NAME}"
    return {path: (checkpoint_writer.FILE, lineage_file.dumps(record))} if fresh else {}


def _known_link(context: Context, commit: Commit, known: dict[str, LineageLink]) -> LineageLink:
    if commit.oid not in known:
        from entire.store.lineage_file import LineageLink

        patch_id = patch_ids(context, [commit])[commit.oid]
        known[commit.oid] = LineageLink(commit=commit.oid, tree=commit.tree, patch_id=patch_id,
                                 branch=history.branch(context.place.top), time=context.now())  # fmt: skip
    return known[commit.oid]


def patch_ids(context: Context, commits: Iterable[Commit]) -> dict[str, str]:
    """Return the patch ids of commits against their first parents, '' for one without changes."""
    from entire.git import diff

    trees = {}
    for commit in commits:
        parent = context.objects.commit(commit.parents[0]) if commit.parents else None
        trees[commit.oid] = (parent.tree if parent is not None else diff.EMPTY_TREE[len(commit.tree)], commit.tree)
    pairs = list(dict.fromkeys(trees.values()))
    ids_by_pair = dict(zip(pairs, patch_ids_between(context, pairs), strict=True))
    return {oid: ids_by_pair[pair] for oid, pair in trees.items()}


def with_more(context: Context, pairs: Sequence[tuple[Logged, Logged]]) -> list[tuple[Logged, Logged]]:
    """Return the pairs of a copy and its original in which the copy adds lines that the original does not."""
    from entire.git import diff

    tree = context.objects.tree_id
    trees = [[(tree(one.parents[0]), tree(one.oid)) for one in pair] for pair in pairs if pair[1].parents]
    asked = list(dict.fromkeys(between for both in trees for between in both))
    added = {
        pair: {(patch.change.path, text) for patch in between for hunk in patch.hunks
               for kind, text in hunk.lines if kind == b"+"}
        for pair, between in zip(asked, diff.patches(context.place.top, asked, renames=False), strict=True)
    }  # fmt: skip
    with_parents = [pair for pair in pairs if pair[1].parents]
    return [pair for pair, (copy, own) in zip(with_parents, trees, strict=True) if added[copy] - added[own]]


def patch_ids_between(context: Context, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Return the patch ids of the changes between trees."""
    from entire.git import diff
    from entire.git.patchid import patch_id

    return [patch_id(patch, len(pair[1])) for pair, patch in
            zip(pairs, diff.patches(context.place.top, pairs, renames=False), strict=True)]  # fmt: skip
