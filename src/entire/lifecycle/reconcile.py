"""Commits that came about without our hooks: copies of linked ones, clean merges (linking.md sections 4 and 5).

A rebase, a cherry-pick or a squash carries ids on to new commits; our record of those checkpoints learns the new
commits, the sessions' slots stay as they are. A clean merge runs no post-commit hook: it is noted when HEAD is seen to
have moved.
"""

from __future__ import annotations

import os

from entire import files
from entire.git import diff, history
from entire.git.patchid import patch_id
from entire.model import trailers
from entire.store import checkpoints, lineage_file, writing
from entire.store.lineage_file import Link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.read import Commit
    from entire.lifecycle.scene import Scene
    from entire.model.ids import CheckpointId

_MAX_COMMITS = 200
_REFLOG_END = 1 << 16
_MESSAGE = b"Note commits that carry known checkpoints\n"


def head_moved(scene: Scene, before: str, after: str) -> None:
    """Take note of the commits that came in since HEAD was last seen."""
    if not before or not after:
        return
    found = history.log(scene.place.top, [after, f"^{before}"], limit=_MAX_COMMITS)
    ours = scene.journal.trees  # commits that our hooks have seen: what they wrote is complete
    learn(scene, [one.oid for one in reversed(found) if one.oid not in ours and trailers.checkpoint_ids(one.message)])
    known = {one["commit"] for one in scene.journal.reasons}
    plain = [one for one in found if one.oid not in known and not trailers.checkpoint_ids(one.message)]
    merges = [one.oid for one in plain if len(one.parents) > 1]
    here = _merged_here(scene) if merges and any(session.is_live(scene.now()) for session in scene.near()) else set()
    for oid in merges:
        if oid in here:
            scene.journal.note_reason(oid, "a merge with no new content of a session", scene.now())


def _merged_here(scene: Scene) -> set[str]:
    """Return the merge commits that git made in this work tree, as HEAD's reflog tells."""
    data = files.read(os.path.join(scene.place.git_dir, "logs", "HEAD")) or b""
    found = set()
    for line in data[-_REFLOG_END:].decode("utf-8", "replace").splitlines():
        ids, _, subject = line.partition("\t")
        words = ids.split()
        if len(words) > 1 and subject.startswith(("merge ", "pull")) and not subject.endswith("Fast-forward"):
            found.add(words[1])
    return found


def learn(scene: Scene, oids: Sequence[str]) -> None:
    """Tell our record of the checkpoints whose ids these commits carry about the commits, the oldest first."""
    linked = [commit for commit in map(scene.objects.commit, oids) if commit is not None]
    carried = [(one, trailers.checkpoint_ids(one.message.decode("utf-8", "surrogateescape"))) for one in linked]
    carried = [(commit, ids) for commit, ids in carried if ids]
    if not carried:
        return
    wanted: dict[CheckpointId, list[Commit]] = {}
    for commit, ids in carried:
        for one in ids:
            wanted.setdefault(one, []).append(commit)
    links: dict[str, Link] = {}

    def build(base: str) -> writing.Changes:
        changes: writing.Changes = {}
        for checkpoint_id, some in wanted.items():
            existing = checkpoints.read_at(scene.objects, base, checkpoint_id) if base else None
            record = lineage_file.read(scene.objects, existing) if existing is not None else None
            if record is None:
                continue
            known = {one.commit for one in record.commits}
            fresh = [commit for commit in some if commit.oid not in known]
            for commit in fresh:
                if commit.oid not in links:
                    links[commit.oid] = _link(scene, commit)
                record = lineage_file.with_commit(record, links[commit.oid])
            if fresh:
                changes[f"{checkpoint_id.path}/{lineage_file.NAME}"] = (writing.FILE, lineage_file.dumps(record))
        return changes

    writing.write(scene.place.top, scene.objects, build, message=_MESSAGE, author=scene.author())


def _link(scene: Scene, commit: Commit) -> Link:
    parent = scene.objects.commit(commit.parents[0]) if commit.parents else None
    before = parent.tree if parent is not None else diff.EMPTY_TREE[len(commit.tree)]
    patch = diff.patches(scene.place.top, [(before, commit.tree)], renames=False)[0]
    return Link(commit=commit.oid, tree=commit.tree, patch_id=patch_id(patch, len(commit.tree)),
                branch=history.branch(scene.place.top), time=scene.now())  # fmt: skip
