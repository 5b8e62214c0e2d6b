"""Work that a session's tools reported in another work tree of the repository: it counts there (linking.md section 1).

The session stays one of its own work tree, with its steps there. In the other one it is a guest: the paths that its
tools reported are its content in that journal, and keep the git hooks awake until they are committed.
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
    from entire.store.journal import Journal

_MAX_PATHS = 500


def note(context: Context, session: Session, paths: Sequence[str]) -> None:
    """Note absolute paths outside of the session's work tree in the journals of the work trees that they lie in."""
    places: dict[str, Place] = {}
    found: dict[str, list[str]] = {}
    for path in paths[:_MAX_PATHS]:
        place = layout.find(os.path.dirname(path))
        if place is None or place.top == context.place.top or not _is_same(place.common_dir, context.place.common_dir):
            continue
        places[place.top] = place
        found.setdefault(place.top, []).append(os.path.relpath(os.path.realpath(path), os.path.realpath(place.top)))
    for top, place in places.items():
        chosen = settings.load(place)
        if chosen is not None and chosen.enabled:
            _note_in(Context(place, chosen, now=context.now), session, found[top])


def _is_same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


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


def close(journal: Journal, decided: Pending) -> None:
    """Forget what guests left in this work tree once a commit holds it."""
    committed = {path for path in decided.paths if path not in decided.left}
    for session_id, paths in list(journal.attribution.visiting_sessions.items()):
        still = [path for path in paths if path not in committed]
        if still:
            journal.attribution.visiting_sessions[session_id] = still
        else:
            del journal.attribution.visiting_sessions[session_id]
