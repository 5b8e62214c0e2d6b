"""Tells an id that a commit's message only quotes from the link of a squash, whose message holds those of the commits
that it combines: by whether the commit has content of the checkpoint.
"""

from __future__ import annotations

from entire.errors import GitError
from entire.git import diff
from entire.store import checkpoints, lineage_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from entire.git.diff import FilePatch
    from entire.git.history import Logged
    from entire.git.read import Commit, Objects
    from entire.model.ids import CheckpointId
    from entire.store.lineage_file import FileLines, LineageFile


def is_quoted(
    where: str, objects: Objects, tips: Sequence[str], commit: Commit | Logged, checkpoint_id: CheckpointId
) -> bool:
    """Tell whether a commit has nothing of a checkpoint. What cannot be told here counts as content."""
    checkpoint = next(filter(None, (checkpoints.read_at(objects, tip, checkpoint_id) for tip in tips)), None)
    own = lineage_file.read(objects, checkpoint) if checkpoint is not None else None
    if checkpoint is None or (own is not None and commit.oid in [link.commit for link in own.commits]):
        return False
    paths = set(own.files) if own is not None else {*checkpoint.summary.files_touched}
    pair = _trees(objects, commit)
    try:
        common = paths & {change.path for change in diff.changes(where, *pair)}
        original = objects.commit(own.numbered_in) if own is not None and own.numbered_in else None
        if not common or own is None or original is None:
            return not common
        return not _has_lines(where, [_trees(objects, original), pair], own, sorted(common))
    except GitError:  # a partial clone
        return False


def _trees(objects: Objects, commit: Commit | Logged) -> tuple[str, str]:
    """Return the trees of a commit's first parent and of the commit."""
    tree = objects.tree_id(commit.oid)
    return (objects.tree_id(commit.parents[0]) if commit.parents else diff.EMPTY_TREE[len(tree)]), tree


def _has_lines(where: str, pairs: Sequence[tuple[str, str]], own: LineageFile, paths: Sequence[str]) -> bool:
    """Tell whether a commit has lines, or a whole file, of the commit that a checkpoint was made for."""
    theirs, ours = [{patch.change.path: patch for patch in patches} for patches in
                    diff.patches(where, pairs, paths, renames=False)]  # fmt: skip
    for path in theirs.keys() & ours.keys():
        if theirs[path].change.new_oid == ours[path].change.new_oid:
            return True
        if _added(theirs[path], _numbers(own.files[path])) & _added(ours[path]):
            return True
    return False


def _numbers(lines: FileLines) -> set[int]:
    """Return the numbers of the lines that sessions wrote."""
    return {number for first, last, owner in lines.added if "/" in owner for number in range(first, last + 1)}


def _added(patch: FilePatch, numbers: Container[int] | None = None) -> set[bytes]:
    """Return the added lines of a patch, without blank ones; only those with these ``numbers``."""
    lines = set()
    for hunk in patch.hunks:
        number = hunk.new_start
        for kind, text in hunk.lines:
            if kind == b"+" and text.strip() and (numbers is None or number in numbers):
                lines.add(text)
            number += kind != b"-"
    return lines
