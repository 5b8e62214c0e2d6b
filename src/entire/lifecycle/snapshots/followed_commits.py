"""Follows commits that git made without our hooks: copies of linked ones, clean merges (linking.md sections 4 and 5).

A rebase, cherry-pick or squash copies checkpoint ids to new commits. They are added to those checkpoints' lineage
files; the sessions' slots do not change. A clean merge runs no post-commit hook and is recorded once HEAD has moved.
"""

from __future__ import annotations

from entire.git import history
from entire.model import trailers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entire.git.read import Commit
    from entire.lifecycle.context import Context
    from entire.model.ids import CheckpointId
    from entire.store.lineage_file import Link

_MAX_COMMITS = 200
_MESSAGE = b"Record commits that carry existing checkpoints\n"


def head_moved(context: Context, before: str, after: str) -> None:
    """Record the commits between HEAD's previous position and the current one."""
    if not before or not after:
        return
    found = history.log(context.place.top, [after, f"^{before}"], limit=_MAX_COMMITS)
    complete = context.journal.caches.trees  # commits whose hooks ran: their checkpoints are complete
    fresh = [commit for commit in reversed(found) if commit.oid not in complete]
    add_links(context, [commit.oid for commit in fresh if trailers.checkpoint_ids(commit.message)])
    known = {reason["commit"] for reason in context.journal.reasons}
    plain = [commit for commit in found if commit.oid not in known and not trailers.checkpoint_ids(commit.message)]
    merges = [commit.oid for commit in plain if len(commit.parents) > 1]
    if merges and any(session.is_live(context.now()) for session in context.relevant_sessions()):
        from entire.git import reflog

        made_here = reflog.merged(context.place)
        for oid in merges:
            if oid in made_here:
                context.journal.note_reason(oid, "a merge with no new session content", context.now())


def add_links(context: Context, oids: Sequence[str]) -> None:
    """Add these commits, oldest first, to the lineage files of the checkpoints whose ids they carry."""
    commits = [commit for commit in map(context.objects.commit, oids) if commit is not None]
    carried = [
        (commit, trailers.checkpoint_ids(commit.message.decode("utf-8", "surrogateescape"))) for commit in commits
    ]
    by_checkpoint: dict[CheckpointId, list[Commit]] = {}
    for commit, ids in carried:
        for checkpoint_id in ids:
            by_checkpoint.setdefault(checkpoint_id, []).append(commit)
    if by_checkpoint:
        _write_links(context, by_checkpoint)


def _write_links(context: Context, by_checkpoint: Mapping[CheckpointId, Sequence[Commit]]) -> None:
    from entire.store import checkpoint_writer, checkpoints, lineage_file

    links: dict[str, Link] = {}
    for attempt in checkpoint_writer.attempts(context.place.top, context.objects):
        changes: checkpoint_writer.Changes = {}
        for checkpoint_id, carriers in by_checkpoint.items():
            existing = checkpoints.read_at(context.objects, attempt.base, checkpoint_id) if attempt.base else None
            record = lineage_file.read(context.objects, existing) if existing is not None else None
            if record is None:
                continue
            known = {link.commit for link in record.commits}
            fresh = [commit for commit in carriers if commit.oid not in known]
            for commit in fresh:
                if commit.oid not in links:
                    links[commit.oid] = _link(context, commit)
                record = lineage_file.with_commit(record, links[commit.oid])
            if fresh:
                changes[f"{checkpoint_id.path}/{lineage_file.NAME}"] = (
                    checkpoint_writer.FILE,
                    lineage_file.dumps(record),
                )
        attempt.write(changes, message=_MESSAGE, author=context.author())


def _link(context: Context, commit: Commit) -> Link:
    from entire.git import diff
    from entire.git.patchid import patch_id
    from entire.store.lineage_file import Link

    parent = context.objects.commit(commit.parents[0]) if commit.parents else None
    before = parent.tree if parent is not None else diff.EMPTY_TREE[len(commit.tree)]
    patch = diff.patches(context.place.top, [(before, commit.tree)], renames=False)[0]
    return Link(commit=commit.oid, tree=commit.tree, patch_id=patch_id(patch, len(commit.tree)),
                branch=history.branch(context.place.top), time=context.now())  # fmt: skip
