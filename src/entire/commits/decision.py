"""Decides which sessions a commit contains, and which checkpoint ids it carries. Writes nothing."""

from __future__ import annotations

from entire.attribution import content
from entire.attribution.content import CommitTrees
from entire.commits import ownership, replaced_commits
from entire.errors import PartialCloneError
from entire.git import diff
from entire.git.patchid import patch_id
from entire.model import reasons
from entire.model.ids import CheckpointId, is_session_id, new_id
from entire.model.positions import START
from entire.model.value import replace
from entire.recording.pending import CommitKind, Pending
from entire.store import setup_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from entire.attribution.content import Content
    from entire.commits.replaced_commits import Replaced
    from entire.commits.upcoming_commit import UpcomingCommit
    from entire.git.diff import FileChange
    from entire.model.events import GitEvent
    from entire.recording.context import Context

_NOT_NEW = {CommitKind.MERGE: reasons.MERGE, CommitKind.REVERT: reasons.REVERT, CommitKind.PICK: reasons.PICK}
_MADE_BY_AGENTS = (CommitKind.PLAIN, CommitKind.SQUASH, CommitKind.PICK)


def decide(context: Context, upcoming: UpcomingCommit) -> Pending:
    """Decide about a commit that git is about to make."""
    parent = context.objects.commit(upcoming.parent) if upcoming.parent else None
    parent_tree = parent.tree if parent is not None else diff.EMPTY_TREE[len(upcoming.tree)]
    changes = diff.changes(context.place.top, parent_tree, upcoming.tree)
    replaced = replaced_commits.find(context, upcoming, changes)
    basis = _basis(context, upcoming, changes, replaced)
    if not changes and not upcoming.amends:
        return replace(basis, reason=basis.unrecorded or reasons.EMPTY.text())
    held = ownership.examine(context, upcoming, changes, replaced, basis.brought)
    if not (upcoming.operation.merge_heads or upcoming.operation.picked):
        trees = CommitTrees(tree=upcoming.tree, parent_tree=parent_tree)
        popped = ownership.popped(context, trees, ownership.both_names(changes))
        if popped is not None:
            held = content.joined(held, popped) if held is not None else popped
    sessions: dict[str, list[str]] = {}
    if held is not None:
        reverted = replaced_commits.reverted_lines(context, upcoming.message)
        if reverted is not None:
            held = content.without_reverted(held, reverted)
        held = content.without_setup(held, setup_lines.load(context.place))
        sessions = {name: held.turns(name) for name in held.sessions()}
        _note_unread(context, held)
        # An amended revert, or a squash whose message quotes one, remains what it is if it has a checkpoint.
        if reverted is not None and not basis.ids and not (upcoming.amends and sessions):
            basis = replace(basis, kind=CommitKind.REVERT)
        basis = _with_content(basis, held)
    # An agent that goes on with a rebase or a cherry-pick has only made what it resolved.
    if upcoming.maker and not (basis.ids or upcoming.git.picks) and basis.kind in _MADE_BY_AGENTS:
        sessions.setdefault(upcoming.maker, [])
    return _with_ids(context, basis, sessions)


def _basis(context: Context, upcoming: UpcomingCommit, changes: Sequence[FileChange], replaced: Replaced) -> Pending:
    """Return what is known before the content is examined."""
    return Pending(
        kind=replaced.kind,
        head=upcoming.head.oid if upcoming.head else "",
        tree=upcoming.tree,
        moment=context.now(),
        ids=replaced.ids,
        unlinked=tuple(name for name in replaced.unlinked if name not in replaced.ids),
        paths=tuple(change.path for change in changes),
        running=upcoming.running,
        brought=ownership.brought(context, upcoming),
        unrecorded=_unrecorded(context, upcoming.event),
        pid=upcoming.git.pid,
        started=upcoming.git.started,
    )


def _with_content(basis: Pending, held: Content) -> Pending:
    is_first = basis.kind in (CommitKind.SQUASH, CommitKind.PICK) and not basis.ids  # no other checkpoint names a line
    return replace(
        basis,
        lines=held.lines if basis.kind.is_new_content or is_first else held.fresh,
        left=held.left,
        unreported=held.unreported,
        paths=(*basis.paths, *(path for path in held.moved if path not in basis.paths)),
        patch_id=patch_id(held.patch, len(basis.tree)),
    )


def _note_unread(context: Context, held: Content) -> None:
    count = sum(patch.is_unread for patch in held.patch)
    if count:
        files = (
            "1 file of the commit counts as a whole" if count == 1 else f"{count} files of the commit count as a whole"
        )
        context.log.warn(f"{files}: this partial clone lacks what {'it was' if count == 1 else 'they were'} before")


def _with_ids(context: Context, basis: Pending, sessions: dict[str, list[str]]) -> Pending:
    """Choose the checkpoint: a new one, the amended commit's, or none with a reason."""
    if not sessions:
        head = (
            context.objects.commit(basis.head) if basis.kind is CommitKind.AMEND and basis.ids and basis.lines else None
        )
        changed = head is not None and head.tree != basis.tree and _is_readable(context, basis.ids[-1])
        return replace(basis, reason=_reason(context, basis), update=basis.ids[-1] if changed else "")
    basis = replace(basis, ends=_ends(context, sessions))
    if basis.kind is CommitKind.AMEND and basis.ids and _is_readable(context, basis.ids[-1]):
        return replace(basis, update=basis.ids[-1], sessions=sessions)
    fresh = new_id()
    return replace(basis, id=fresh, ids=(*basis.ids, fresh), sessions=sessions)


def _is_readable(context: Context, checkpoint_id: str) -> bool:
    """Tell whether a checkpoint can be written anew: a partial clone may lack the records of one that it fetched."""
    from entire.store import checkpoints, lineage_file

    try:
        for tip in context.tips:
            stored = checkpoints.read_at(context.objects, tip, CheckpointId(checkpoint_id))
            if stored is not None:
                lineage_file.read(context.objects, stored)
    except PartialCloneError:
        return False
    return True


def _ends(context: Context, sessions: Iterable[str]) -> dict[str, list[Any]]:
    """Return the transcript position at which the last turn of each idle session ended."""
    ends = {}
    for session in map(context.session, sessions):
        if session is not None and not session.is_running and session.turn is not None and session.turn.finish != START:
            ends[session.session_id] = session.turn.finish.to_json()
    return ends


def _reason(context: Context, basis: Pending) -> str:
    if basis.ids:
        return reasons.COVERED.text()
    if basis.unrecorded:
        return basis.unrecorded
    if any(session.removed for session in context.relevant_sessions()):
        return reasons.GO_REMOVED.text()
    if basis.kind in _NOT_NEW:
        return _NOT_NEW[basis.kind].text()
    if not context.journal.attribution.entries:
        return reasons.NO_SESSION.text()
    return reasons.NO_CONTENT.text()


def _unrecorded(context: Context, event: GitEvent) -> str:
    """Return a reason that names the session in git's environment if it was not recorded; '' otherwise."""
    name = event.session_id
    if not is_session_id(name) or event.environment.get("ENTIRE_TEST_TTY", "") == "1" or context.session(name):
        return ""
    return reasons.NOT_RECORDED.text(session=name, agent=event.agent_type)
