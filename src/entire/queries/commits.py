"""The user's commits: those with checkpoints, and why others near a live session have none."""

from __future__ import annotations

from entire.errors import EntireError
from entire.git import history, read
from entire.model import reasons
from entire.model.views import CommitView, UnlinkedView
from entire.store.journal import Journal
from entire.store.links import Links

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
    found = history.show(top, [oid]) if oid else []
    if not found:
        raise EntireError(f"commit not found: {name}")
    with read.Objects(top) as objects:
        return _view(Links(top, objects, catalog.commits).linked(found)[0])


def linked(catalog: Catalog, *, everywhere: bool = False) -> list[CommitView]:
    """Return the commits with a checkpoint, newest first: of this branch, or of all branches and tags."""
    top, start = catalog.place.top, "" if everywhere else "HEAD"
    with read.Objects(top) as objects:
        return [_view(commit) for commit in Links(top, objects, catalog.commits).log(start=start)]


def of_checkpoint(catalog: Catalog, checkpoint_id: str) -> tuple[CommitView, ...]:
    """Return the commits on any branch or tag that have a checkpoint."""
    top = catalog.place.top
    with read.Objects(top) as objects:
        found = Links(top, objects, catalog.commits).log(checkpoint_id=checkpoint_id)
        return tuple(map(_view, found))


def reason(place: Place, commit: str, unlinked_ids: Sequence[str] = ()) -> str:
    """Return why a commit was not linked, or that a person has unlinked it; '' if nothing is recorded."""
    if unlinked_ids:
        return reasons.UNLINKED.text(checkpoints=", ".join(unlinked_ids))
    entries = (entry for entry in Journal(place).reasons if entry.get("commit") == commit)
    return next((str(entry.get("reason", "")) for entry in entries), "")


def unlinked(place: Place) -> list[UnlinkedView]:
    """Return the commits near a live session that were not linked and still exist, newest first."""
    reasons = {str(entry.get("commit", "")): entry for entry in Journal(place).reasons}
    out = []
    for commit in history.show(place.top, [oid for oid in reasons if oid]):
        why = str(reasons[commit.oid].get("reason", ""))
        out.append(UnlinkedView(commit=commit.oid, subject=commit.subject, reason=why, time=commit.time))
    return out[::-1]


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
