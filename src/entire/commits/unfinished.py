"""Completes the record of a commit whose post-commit hook never ran."""

from __future__ import annotations

from entire import process
from entire.commits import complete as completing
from entire.commits import head_update
from entire.git import history, operation, reflog
from entire.recording import pending
from entire.store import links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.read import Commit, Objects
    from entire.layout import Place
    from entire.recording.context import Context
    from entire.recording.pending import Pending


def complete(context: Context, *, is_repeated: bool = False) -> None:
    """Complete a record whose post-commit hook never ran. Keep it while its git still runs; drop it if the commit never
    came. ``is_repeated``: the calling git is about to decide again, which replaces its own record.
    """
    decided = pending.load(context.place)
    if decided is None:
        return
    commit = commit_of(context.place, context.objects, decided)
    head_update.settle(context.place, is_made=commit is not None)
    if commit is not None:
        completing.carry_out(context, decided, commit)
    elif decided.pid and process.is_running(decided.pid, decided.started):
        if not (is_repeated and decided.pid == operation.find().pid):
            return
    pending.drop(context.place)


def commit_of(place: Place, objects: Objects, decided: Pending) -> Commit | None:
    """Find the commit that a record is about, by its checkpoint id or its own."""
    if decided.commit:
        return objects.commit(decided.commit)
    wanted = decided.id or decided.update
    for logged in history.log(place.top, ["HEAD"], limit=50):
        if wanted and wanted in links.named(logged) and (decided.id or logged.oid != decided.head):
            return objects.commit(logged.oid)
        if logged.oid == decided.head:
            break
    return _find_elsewhere(place, objects, decided, wanted) if wanted else None


def _find_elsewhere(place: Place, objects: Objects, decided: Pending, wanted: str) -> Commit | None:
    """Find the commit of a record that only another branch has: HEAD went there before the record was completed."""
    made = [move.new for move in reflog.moves(place) if move.is_new and move.old.strip("0") == decided.head.strip("0")]
    commits = [objects.commit(oid) for oid in dict.fromkeys(made)]
    named = [commit for commit in commits if commit is not None and wanted in links.named(commit)]
    there = history.on_branches(place.top, [commit.oid for commit in named]) if named else []
    return next((commit for commit in named if commit.oid in there), None)
