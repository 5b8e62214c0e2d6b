"""The commits after a point, and what they changed: all of them if the branch moves back to the point, only those of
sessions if a new commit takes them back.
"""

from __future__ import annotations

from entire.git import diff, history
from entire.model.value import Value
from entire.store import checkpoints
from entire.store.links import CheckpointLinks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.history import Logged
    from entire.recording.context import Context

_NO_FILE = "000000"


class CommitsSince(Value):
    """What goes of the commits after a point. ``changes`` lead from HEAD to the point's commit."""

    commits: tuple[Logged, ...] = ()  # newest first
    changes: tuple[diff.FileChange, ...] = ()
    shared_paths: frozenset[str] = frozenset()  # those that commits which stay changed, too

    @property
    def paths(self) -> set[str]:
        return {change.path for change in self.changes}

    @property
    def added(self) -> dict[str, str]:
        """The files that the point's commit lacks, with their blobs in HEAD."""
        return {change.path: change.old_oid for change in self.changes if change.new_mode == _NO_FILE}


def of_all(context: Context, head: str, commit: str) -> CommitsSince:
    """Return everything that changed between a commit and HEAD."""
    return CommitsSince(changes=tuple(diff.changes(context.place.top, head, commit)))


def of_sessions(context: Context, head: str, commit: str) -> CommitsSince:
    """Return what the commits with a checkpoint changed that lead from a commit to HEAD: not those that a merge
    brought in.
    """
    top = context.place.top
    links = CheckpointLinks(top, context.objects, list(checkpoints.tips(top).values()))
    commits = history.log(top, [head, f"^{commit}"])
    on_top = history.made_on(top, commit, head)
    taken = [made for made in commits if made.oid in on_top and links.of(made)]
    paths = history.paths_of(top, [made.oid for made in commits if len(made.parents) < 2])
    own = {path for made in taken for path in paths.get(made.oid, ())}
    changes = tuple(change for change in diff.changes(top, head, commit) if change.path in own)
    differing = {change.path for change in changes}
    others = paths.keys() - {made.oid for made in taken}
    return CommitsSince(
        commits=tuple(made for made in taken if differing & paths.get(made.oid, set())),  # not those taken back already
        changes=changes,
        shared_paths=frozenset(differing & {path for oid in others for path in paths[oid]}),
    )
