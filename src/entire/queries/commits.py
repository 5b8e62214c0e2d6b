"""The user's commits: those with checkpoints, and why others near a live session have none."""

from __future__ import annotations

from entire.errors import EntireError
from entire.git import history, read
from entire.model import reasons
from entire.model.views.checkpoints import CommitView
from entire.model.views.status import UnlinkedView
from entire.store.journal import Journal
from entire.store.links import CheckpointLinks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.layout import Place
    from entire.store.catalog import Catalog
    from entire.store.links import Linked


def find(catalog: Catalog, name: str) -> CommitView:
    """Return a commit by any revision that git understands; raises EntireError if there is none."""
    top = catalog.place.top
    oid = history.resolve(top, name)
    commits = history.show(top, [oid]) if oid else []
    if not commits:
        raise EntireError(f"commit not found: {name}")
    with read.Objects(top) as objects:
        return _view(CheckpointLinks(top, objects, catalog.commits).linked(commits)[0])


def linked(catalog: Catalog, *, everywhere: bool = False) -> list[CommitView]:
    """Return the commits with a checkpoint, newest first: of this branch, or of all branches and tags."""
    top, start = catalog.place.top, "" if everywhere else "HEAD"
    with read.Objects(top) as objects:
        return [_view(commit) for commit in CheckpointLinks(top, objects, catalog.commits).log(start=start)]


def of_checkpoint(catalog: Catalog, checkpoint_id: str) -> tuple[CommitView, ...]:
    """Return the commits on any branch or tag that have a checkpoint."""
    top = catalog.place.top
    with read.Objects(top) as objects:
        commits = CheckpointLinks(top, objects, catalog.commits).log(checkpoint_id=checkpoint_id)
        return tuple(map(_view, commits))


def of_checkpoints(catalog: Catalog, ids: Sequence[str]) -> dict[str, tuple[CommitView, ...]]:
    """Return what ``of_checkpoint`` does for each of several checkpoints, with one look at all commits."""
    views = linked(catalog, everywhere=True) if ids else []
    return {name: tuple(view for view in views if name in view.checkpoint_ids) for name in ids}


def reason(place: Place, commit: str, unlinked_ids: Sequence[str] = ()) -> str:
    """Return why a commit was not linked, or that a person has unlinked it; '' if nothing is recorded."""
    entries = (entry for entry in Journal(place).reasons if entry.get("commit") == commit)
    return reasons.by_hand(unlinked_ids) or next((str(entry.get("reason", "")) for entry in entries), "")


def unlinked(catalog: Catalog) -> list[UnlinkedView]:
    """Return the commits near a live session that were not linked and still exist, and those of this branch that a
    person has unlinked, newest first. Some may be linked by now: from another worktree, or in another clone.
    """
    top = catalog.place.top
    known = {str(entry.get("commit", "")): str(entry.get("reason", "")) for entry in Journal(catalog.place).reasons}
    with read.Objects(top) as objects:
        links = CheckpointLinks(top, objects, catalog.commits)
        by_hand = [oid for oid in links.unlinked_commits() if oid not in known and objects.commit(oid) is not None]
        gone = history.outside(top, "HEAD", by_hand)
        commits = history.show(top, [*(oid for oid in by_hand if oid not in gone), *(oid for oid in known if oid)])
        newest = [_view(linked) for linked in links.linked(commits) if not linked.checkpoint_ids][::-1]
    return [
        UnlinkedView(commit=view.oid, subject=view.subject, time=view.time,
                     reason=reasons.by_hand(view.unlinked_ids) or known[view.oid])
        for view in sorted(newest, key=lambda view: -view.time)
    ]  # fmt: skip


def _view(linked: Linked) -> CommitView:
    commit = linked.commit
    return CommitView(
        oid=commit.oid,
        subject=commit.subject,
        author=commit.author,
        time=commit.time,
        checkpoint_ids=linked.checkpoint_ids,
        foreign_ids=linked.foreign_ids,
        unlinked_ids=linked.unlinked_ids,
    )
