"""Work that a session's tools reported in another worktree of the repository: it counts there (linking.md section 1).

The session and its steps stay with its own worktree. In the other one it is a visiting session: the paths that its
tools reported are its content in that journal, and keep the git hooks active until they are committed.
"""

from __future__ import annotations

import os

from entire import layout, settings
from entire.model.turns import RunningTurn
from entire.recording.context import Context
from entire.snapshots import recorder, unreported_changes
from entire.snapshots.recorder import Cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from entire.layout import Place
    from entire.model.session import Session
    from entire.recording.pending import Pending
    from entire.store.journal import Attribution

_MAX_PATHS = 500


def note(context: Context, session: Session, paths: Sequence[str]) -> None:
    """Record absolute paths outside the session's worktree in the journals of the worktrees that contain them."""
    places: dict[str, Place] = {}
    paths_by_top: dict[str, list[str]] = {}
    for path in paths[:_MAX_PATHS]:
        place = layout.find(os.path.dirname(path))
        if (
            place is None
            or place.top == context.place.top
            or not _is_same_path(place.common_dir, context.place.common_dir)
        ):
            continue
        places[place.top] = place
        paths_by_top.setdefault(place.top, []).append(
            os.path.relpath(os.path.realpath(path), os.path.realpath(place.top))
        )
    for top, place in places.items():
        chosen = settings.load(place)
        if chosen is not None and chosen.enabled:
            _note_in(context.beside(place, chosen), session, paths_by_top[top])


def _is_same_path(first: str, second: str) -> bool:
    return os.path.realpath(first) == os.path.realpath(second)


def _note_in(other: Context, session: Session, paths: Sequence[str]) -> None:
    try:
        _record(other, session, paths)
        other.save()
    finally:
        other.close()


def _record(context: Context, session: Session, paths: Sequence[str], *, since: float = 0.0) -> None:
    """Take a snapshot in which these paths are a visiting session's, and what was written ``since`` a moment."""
    key, attribution = session.turn_key, context.journal.attribution
    taken = recorder.take(context)
    recorder.start_at_head(context, taken)
    if since:
        changed = taken.snapshot.files
        paths = [*paths, *(path for path in changed if _is_changed_since(context.place.top, path, since))]
    visits = attribution.visiting_sessions
    visits[session.session_id] = sorted({*visits.get(session.session_id, []), *paths})
    cause = Cause(
        running=(*context.running_turns(), RunningTurn.background(key)),
        reported={key: list(dict.fromkeys([*attribution.reports.get(key, []), *paths]))},
    )
    recorder.record(context, recorder.compare(context, taken), cause)


def _is_changed_since(top: str, path: str, moment: float) -> bool:
    """Tell whether a file was written, moved or deleted since a moment."""
    return unreported_changes.changed_at(top, path)[0] >= moment


# ---------------------------------------------------------------- commits


def live(place: Place) -> Iterator[Place]:
    """Yield the repository's other worktrees in which sessions have uncommitted work."""
    names = layout.other_head_logs(place)
    for git_dir in (os.path.join(place.common_dir, "worktrees", name) if name else place.common_dir for name in names):
        if os.path.exists(os.path.join(git_dir, "entire", "live")):
            other = layout.find(layout.linked_top(git_dir) or os.path.dirname(git_dir))
            if other is not None and _is_same_path(other.git_dir, git_dir):
                yield other


def receive(context: Context, session: Session, *, is_committing: bool) -> bool:
    """Record what a turn of another worktree has done in this one so far; tell whether it did anything.

    What its tools report is its own. If its agent commits here, so is what was written here since the turn began,
    unless a turn of this worktree may have written it.
    """
    if session.turn is None:
        return False
    transcript = context.transcripts.of(session)
    paths = transcript.files(session.turn.start, transcript.end())
    if paths or is_committing:
        alone = is_committing and not context.running_turns()
        _record(context, session, paths[:_MAX_PATHS], since=session.turn.started if alone else 0.0)
    return bool(paths) or is_committing


def close(attribution: Attribution, decided: Pending) -> None:
    """Forget the paths of visiting sessions that a commit contains."""
    committed = {path for path in decided.paths if path not in decided.left}
    for session_id, paths in list(attribution.visiting_sessions.items()):
        open_paths = [path for path in paths if path not in committed]
        if open_paths:
            attribution.visiting_sessions[session_id] = open_paths
        else:
            del attribution.visiting_sessions[session_id]
