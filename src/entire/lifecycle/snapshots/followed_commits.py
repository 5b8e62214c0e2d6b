"""Commits that came about without our hooks: copies of linked ones, clean merges (linking.md sections 4 and 5).

A rebase, a cherry-pick or a squash carries ids on to new commits; our record of those checkpoints learns the new
commits, the sessions' slots stay as they are. A clean merge runs no post-commit hook: it is noted when HEAD is seen to
have moved.
"""

from __future__ import annotations

from entire.git import diff, history, reflog
from entire.git.patchid import patch_id
from entire.model import trailers
from entire.store import checkpoint_writer, checkpoints, lineage_file
from entire.store.lineage_file import Link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.read import Commit
    from entire.lifecycle.context import Context
    from entire.model.ids import CheckpointId

_MAX_COMMITS = 200
_MESSAGE = b"Note commits that carry known checkpoints\n"


def head_moved(context: Context, before: str, after: str) -> None:
    """Take note of the commits that came in since HEAD was last seen."""
    if not before or not after:
        return
    found = history.log(context.place.top, [after, f"^{before}"], limit=_MAX_COMMITS)
    ours = context.journal.caches.trees  # commits that our hooks have seen: what they wrote is complete
    learn(context, [one.oid for one in reversed(found) if one.oid not in ours and trailers.checkpoint_ids(one.message)])
    known = {one["commit"] for one in context.journal.reasons}
    plain = [one for one in found if one.oid not in known and not trailers.checkpoint_ids(one.message)]
    merges = [one.oid for one in plain if len(one.parents) > 1]
    here = (
        reflog.merged(context.place)
        if merges and any(session.is_live(context.now()) for session in context.relevant_sessions())
        else set()
    )
    for oid in merges:
        if oid in here:
            context.journal.note_reason(oid, "a merge with no new content of a session", context.now())


def learn(context: Context, oids: Sequence[str]) -> None:
    """Tell our record of the checkpoints whose ids these commits carry about the commits, the oldest first."""
    linked = [commit for commit in map(context.objects.commit, oids) if commit is not None]
    carried = [(one, trailers.checkpoint_ids(one.message.decode("utf-8", "surrogateescape"))) for one in linked]
    carried = [(commit, ids) for commit, ids in carried if ids]
    if not carried:
        return
    wanted: dict[CheckpointId, list[Commit]] = {}
    for commit, ids in carried:
        for one in ids:
            wanted.setdefault(one, []).append(commit)
    links: dict[str, Link] = {}

    for attempt in checkpoint_writer.attempts(context.place.top, context.objects):
        changes: checkpoint_writer.Changes = {}
        for checkpoint_id, some in wanted.items():
            existing = checkpoints.read_at(context.objects, attempt.base, checkpoint_id) if attempt.base else None
            record = lineage_file.read(context.objects, existing) if existing is not None else None
            if record is None:
                continue
            known = {link.commit for link in record.commits}
            fresh = [commit for commit in some if commit.oid not in known]
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
    parent = context.objects.commit(commit.parents[0]) if commit.parents else None
    before = parent.tree if parent is not None else diff.EMPTY_TREE[len(commit.tree)]
    patch = diff.patches(context.place.top, [(before, commit.tree)], renames=False)[0]
    return Link(commit=commit.oid, tree=commit.tree, patch_id=patch_id(patch, len(commit.tree)),
                branch=history.branch(context.place.top), time=context.now())  # fmt: skip
