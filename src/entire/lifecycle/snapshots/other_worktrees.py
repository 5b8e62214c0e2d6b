"""Work that a session's tools reported in another worktree of the repository: it counts there (linking.md section 1).

The session and its steps stay with its own worktree. In the other one it is a visiting session: the paths that its
tools reported are its content in that journal, and keep the git hooks active until they are committed.
"""

from __future__ import annotations

import os

from entire import layout, settings
from entire.lifecycle.context import Context
from entire.lifecycle.snapshots import recorder
from entire.lifecycle.snapshots.recorder import Cause
from entire.model.turns import RunningTurn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.layout import Place
    from entire.lifecycle.commits.pending import Pending
    from entire.model.session import Session
    from entire.store.journal import Attribution

_MAX_PATHS = 500


def note(context: Context, session: Session, paths: Sequence[str]) -> None:
    """Record absolute paths outside the session's worktree in the journals of the worktrees that contain them."""
    places: dict[str, Place] = {}
    found: dict[str, list[str]] = {}
    for path in paths[:_MAX_PATHS]:
        place = layout.find(os.path.dirname(path))
        if (
            place is None
            or place.top == context.place.top
            or not _is_same_path(place.common_dir, context.place.common_dir)
        ):
            continue
        places[place.top] = place
        found.setdefault(place.top, []).append(os.path.relpath(os.path.realpath(path), os.path.realpath(place.top)))
    for top, place in places.items():
        chosen = settings.load(place)
        if chosen is not None and chosen.enabled:
            _note_in(Context(place, chosen, now=context.now), session, found[top])


def _is_same_path(first: str, second: str) -> bool:
    return os.path.realpath(first) == os.path.realpath(second)


def _note_in(other: Context, session: Session, paths: Sequence[str]) -> None:
    try:
        key, attribution = session.turn_key, other.journal.attribution
        visits = attribution.visiting_sessions
        visits[session.session_id] = sorted({*visits.get(session.session_id, []), *paths})
        taken = recorder.take(other)
        recorder.start_at_head(other, taken)
        cause = Cause(
            running=(*other.running_turns(), RunningTurn.background(key)),
            reported={key: list(dict.fromkeys([*attribution.reports.get(key, []), *paths]))},
        )
        recorder.record(other, recorder.compare(other, taken), cause)
        other.save()
    finally:
        other.close()


def close(attribution: Attribution, decided: Pending) -> None:
    """Forget the paths of visiting sessions that a commit contains."""
    committed = {path for path in decided.paths if path not in decided.left}
    for session_id, paths in list(attribution.visiting_sessions.items()):
        open_paths = [path for path in paths if path not in committed]
        if open_paths:
            attribution.visiting_sessions[session_id] = open_paths
        else:
            del attribution.visiting_sessions[session_id]
