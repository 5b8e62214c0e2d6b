"""The user's commits: those with checkpoints, and why others near a live session have none."""

from __future__ import annotations

from entire.errors import EntireError
from entire.git import history
from entire.model import trailers
from entire.model.views import CommitView, UnlinkedView
from entire.store.journal import Journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.history import Logged
    from entire.layout import Place


def find(top: str, name: str) -> CommitView:
    """Return a commit by any revision that git understands; raises EntireError if there is none."""
    oid = history.resolve(top, name)
    found = history.show(top, [oid]) if oid else []
    if not found:
        raise EntireError(f"commit not found: {name}")
    return _view(found[0])


def linked(top: str, *, everywhere: bool = False) -> list[CommitView]:
    """Return the commits with a checkpoint's id, newest first: of this branch, or of all branches and tags."""
    start = "" if everywhere else "HEAD"
    found = [_view(commit) for commit in history.containing(top, trailers.CHECKPOINT, start=start)]
    return [commit for commit in found if commit.checkpoint_ids or commit.foreign_ids]


def of_checkpoint(top: str, checkpoint_id: str) -> tuple[CommitView, ...]:
    """Return the commits on any branch or tag that name a checkpoint."""
    found = map(_view, history.containing(top, checkpoint_id))
    return tuple(commit for commit in found if checkpoint_id in commit.checkpoint_ids)


def reason(place: Place, commit: str) -> str:
    """Return why a commit near a live session was not linked, '' if nothing is recorded."""
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


def _view(commit: Logged) -> CommitView:
    return CommitView(
        oid=commit.oid,
        subject=commit.subject,
        author=commit.author,
        time=commit.time,
        checkpoint_ids=tuple(trailers.checkpoint_ids(commit.message)),
        foreign_ids=tuple(trailers.ulid_ids(commit.message)),
    )
