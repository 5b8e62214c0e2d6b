"""The commits that a new one replaces or reverts: amended, merged, picked, squashed, undone by a reset (linking.md
sections 3 to 5).
"""

from __future__ import annotations

from entire.attribution.replay import is_trivial
from entire.git import diff, operation, reflog
from entire.model import trailers
from entire.model.value import Value, replace
from entire.recording.pending import CommitKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.commits.upcoming_commit import UpcomingCommit
    from entire.git.diff import FileChange, FilePatch
    from entire.git.read import Commit
    from entire.model.ids import CheckpointId
    from entire.recording.context import Context

_REVERTS = "This reverts commit "


class Replaced(Value):
    """What a commit replaces: the ids that it takes over, and the trees whose content they cover."""

    kind: CommitKind
    ids: tuple[CheckpointId, ...] = ()
    covered: tuple[str, ...] = ()
    commit: str = ""  # the amended commit: its content is attributed again
    unlinked: tuple[CheckpointId, ...] = ()  # ids that a person unlinked from these commits


def find(context: Context, upcoming: UpcomingCommit, changes: Sequence[FileChange]) -> Replaced:
    """Return what a commit replaces; ``changes`` lead to it from its parent."""
    head, state = upcoming.head, upcoming.operation
    if upcoming.amends and head is not None:
        links = context.links
        ids, gone = links.of(head), tuple(links.unlinked(head.oid))
        beyond = _replaced_by_reset(context, upcoming, changes)
        if beyond is not None and not set(beyond.ids) <= set(ids):  # the amended commit also absorbs undone ones
            return replace(beyond, ids=tuple(dict.fromkeys([*ids, *beyond.ids])), covered=(head.tree, *beyond.covered),
                           unlinked=gone)  # fmt: skip
        return Replaced(kind=CommitKind.AMEND, ids=tuple(ids), covered=(head.tree,), commit=head.oid, unlinked=gone)
    if state.merge_heads:
        others = [context.objects.commit(oid) for oid in state.merge_heads]
        return Replaced(kind=CommitKind.MERGE, covered=tuple(other.tree for other in others if other is not None))
    if state.picked:
        pick = context.objects.commit(state.picked)
        return _copied(context, CommitKind.PICK, [pick] if pick else [], upcoming.message)
    if upcoming.event.message_source == "squash" or state.squash_message or state.squashed:
        squashed = [commit for commit in map(context.objects.commit, state.squashed) if commit is not None]
        return _copied(context, CommitKind.SQUASH, squashed, upcoming.message)
    if picked := trailers.trailing_ids(state.message):
        merged = operation.merged_tree(context.place)
        return Replaced(kind=CommitKind.PICK, ids=tuple(picked), covered=(merged,) if merged else ())
    return _replaced_by_reset(context, upcoming, changes) or Replaced(kind=CommitKind.PLAIN)


def _copied(context: Context, kind: CommitKind, commits: Sequence[Commit], message: str) -> Replaced:
    """Return what a copy of commits takes over. Its message may name checkpoints that a person unlinked from them, and
    what they only quoted.
    """
    links = context.links
    named = trailers.trailing_ids(message) if commits else trailers.checkpoint_ids(message)
    linked = [name for commit in commits for name in links.of(commit)]
    gone = [name for commit in commits for name in links.unlinked(commit.oid) if name not in linked]
    ids = [name for name in dict.fromkeys([*linked, *named]) if name not in gone]
    covered = (commits[-1].tree,) if commits else ()
    return Replaced(kind=kind, ids=tuple(ids), covered=covered, unlinked=tuple(dict.fromkeys(gone)))


def _replaced_by_reset(context: Context, upcoming: UpcomingCommit, changes: Sequence[FileChange]) -> Replaced | None:
    """Recognise a commit that replaces those undone by ``git reset --soft``. Content decides: the reflog shows a hard
    reset in the same way.
    """
    head, oid = upcoming.head, reflog.reset_from(context.place)
    if not oid:
        return None
    tip = context.objects.commit(oid)
    if tip is None:
        return None
    from entire.git import history

    undone = (head.tree if head else diff.EMPTY_TREE[len(tip.tree)], tip.tree)
    same = _surviving(context.place.top, undone, _worktree_at(context, tip) or tip.tree, upcoming.tree, changes)
    spec = [tip.oid, *([f"^{head.oid}"] if head else [])]
    ids: list[CheckpointId] = []
    links = context.links
    for commit in reversed(history.log(context.place.top, spec, limit=200)):
        linked = links.of(commit)
        if linked and any(path in same for path in history.changed_paths(context.place.top, commit.oid)):
            ids += linked
    return Replaced(kind=CommitKind.RESET, ids=tuple(dict.fromkeys(ids)), covered=(tip.tree,)) if ids else None


def _worktree_at(context: Context, tip: Commit) -> str:
    """Return the tree of the last snapshot that was taken while HEAD was at a commit, '' if there is none."""
    entries = reversed(context.journal.attribution.entries)
    return next((entry.tree for entry in entries if entry.head == tip.oid and not entry.commit), "")


def _surviving(top: str, undone: tuple[str, str], worktree: str, tree: str, changes: Sequence[FileChange]) -> set[str]:
    """Return the paths whose undone change, given by two trees, a commit's tree contains: all of it, or lines of it.

    Trivial lines alone may have been written again. They count where the commit also has other lines that only the
    undone commits or the worktree on top of them had: a hard reset would have removed those too.
    """
    entries = {change.path: change.new_oid for change in changes}
    gone = {change.path: change.new_oid for change in diff.changes(top, *undone)}
    same = {path for path, oid in gone.items() if entries.get(path) == oid}
    edited = [path for path in gone if path in entries and path not in same]
    if edited:
        pairs = [(undone[0], later) for later in (undone[1], worktree, tree)]
        added = [_added_lines(patches) for patches in diff.patches(top, pairs, edited)]
        same.update(path for path in edited if _survives(*(lines.get(path, set()) for lines in added)))
    return same


def _survives(before: set[bytes], above: set[bytes], after: set[bytes]) -> bool:
    """Tell whether a commit's lines have lines of an undone change; ``above``: what the worktree then had."""
    return bool(before & after) and not all(map(is_trivial, (before | above) & after))


def _added_lines(patches: Sequence[FilePatch]) -> dict[str, set[bytes]]:
    return {
        patch.change.path: {text for hunk in patch.hunks for kind, text in hunk.lines if kind == b"+"}
        for patch in patches
    }


def reverted_lines(context: Context, message: str) -> dict[str, list[bytes]] | None:
    """Return the lines, by path, that a revert restores; None if the commit is not a revert."""
    at = message.find(_REVERTS)
    if at < 0:
        return None
    name = message[at + len(_REVERTS) :].split()[0].rstrip(".,") if message[at + len(_REVERTS) :].split() else ""
    reverted = context.objects.commit(name) if name.isalnum() else None
    if reverted is None:
        return None
    parent = context.objects.commit(reverted.parents[0]) if reverted.parents else None
    before = parent.tree if parent is not None else diff.EMPTY_TREE[len(reverted.oid)]
    lines = {}
    for patch in diff.patches(context.place.top, [(before, reverted.tree)], renames=False)[0]:
        lines[patch.change.path] = [text for hunk in patch.hunks for kind, text in hunk.lines if kind == b"-"]
    return lines
