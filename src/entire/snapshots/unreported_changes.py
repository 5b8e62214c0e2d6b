"""Finds out whose a change is that no tool reported (linking.md section 1).

It can be a turn's only if one of the turn's tools that run programs was at work when the file changed.
"""

from __future__ import annotations

import os

from entire.model.turns import NO_TURN
from entire.model.value import replace
from entire.recording import interruption

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from entire.model.session import Entry
    from entire.model.turns import RunningTurn, TurnKey, Unreported
    from entire.recording.context import Context

    CanChange = Callable[[float], bool]  # whether a turn can have changed a file at a moment

_SAME_MOMENT = 1.0  # seconds between a folder's change and that of the file which explains it


def reports_so_far(context: Context, *, is_quick: bool = False) -> dict[TurnKey, list[str]]:
    """Return the paths that the tools of each turn in progress have reported so far. ``is_quick``: no plugin is called,
    however many sessions it has; what its turns report is known at their ends.
    """
    reports: dict[TurnKey, list[str]] = {}
    for session in context.relevant_sessions():
        is_at_work = session.is_running or bool(session.background)
        if is_at_work and session.turn is not None:
            transcript = context.transcripts.of(session)
            if is_quick and not transcript.tells_activity:
                continue
            known = context.journal.attribution.reports.get(session.turn_key, ())
            reported = transcript.files(session.turn.start, transcript.end())
            own = list(dict.fromkeys([*known, *reported]))
            reports.update(transcript.reports(context.journal.attribution.reports, own))
    return reports


def find(
    context: Context, running: Iterable[RunningTurn], paths: Sequence[str], *, maker: str = "", is_quick: bool = False
) -> Unreported:
    """Return which of the running turns can have made each change that no tool reported, and when it was made; nothing
    if no transcript tells. ``maker``: the session whose agent runs this hook, and so has a tool at work.
    """
    keys = list(dict.fromkeys(turn.key for turn in running if not turn.is_background))
    if not keys or not paths:
        return {}
    context.journal.attribution.reports.update(reports_so_far(context, is_quick=is_quick))
    reports = context.journal.attribution.reports
    reported = {path for turn in running for path in reports.get(turn.key, ())}
    left = [path for path in paths if path not in reported]
    known = {key: _can_change(context, key, maker=maker) for key in keys} if left else {}
    if not any(known.values()):
        return {}
    moments = {path: changed_at(context.place.top, path) for path in left}
    exact = _explained(context.place.top, moments)
    return {path: (moment, _claimant(known, moment, maker)) for path, moment in exact.items()}


def find_again(context: Context, key: TurnKey, entry: Entry) -> Entry:
    """Return a snapshot in which a turn has what its transcript claims by now, and nobody did before."""
    can_change = _can_change(context, key) if any(not owner for _, owner in entry.unreported.values()) else None
    if can_change is None:
        return entry
    claims = {
        path: (moment, key if not owner and can_change(moment) else owner)
        for path, (moment, owner) in entry.unreported.items()
    }
    return replace(entry, unreported=claims)


def _claimant(known: Mapping[TurnKey, CanChange | None], moment: float, maker: str) -> TurnKey:
    """Return the turn that can have changed a file: the committing agent's, else one whose transcript says so."""
    able = [key for key, can_change in known.items() if can_change is None or can_change(moment)]
    return min(able, key=lambda key: (key.session_id != maker, known[key] is None), default=NO_TURN)


def _can_change(context: Context, key: TurnKey, *, maker: str = "") -> CanChange | None:
    """Return the moments at which a turn can have changed files; None if nothing tells."""
    session = context.session(key.session_id)
    if session is None or session.turn is None or session.turn_key != key:
        return None
    activity = interruption.activity(context, session)
    end = interruption.moment(context, session) if session.session_id != maker else 0.0
    if activity is None or (not activity.has_answers and interruption.is_lost(session)):
        return None  # an answer that was never written down may have done anything
    removed = activity.first + interruption.TICK if session.turn.is_rewritten else 0.0  # records before it are gone
    if session.session_id == maker:  # its tool's call may not be written down yet
        return lambda moment: activity.can_change(moment) or not moment or moment > activity.last
    return lambda moment: 0.0 < moment < removed or activity.can_change(moment, end)


def changed_at(top: str, path: str) -> tuple[float, str]:
    """Return when a file was written, moved or deleted: the system keeps the time of the last change, for a deleted
    file that of its folder, which is returned too.
    """
    name = os.path.join(top, path)
    folder = ""
    while not os.path.lexists(name):
        name = folder = os.path.dirname(name)
    return os.lstat(os.fsencode(name)).st_ctime, folder


def _explained(top: str, moments: Mapping[str, tuple[float, str]]) -> dict[str, float]:
    """Return when paths changed; 0 for a deleted one if another change explains the time of its folder."""
    others: dict[str, list[float]] = {}
    for path, (moment, folder) in moments.items():
        if not folder:
            others.setdefault(os.path.dirname(os.path.join(top, path)), []).append(moment)
    return {
        path: 0.0 if any(abs(other - moment) < _SAME_MOMENT for other in others.get(folder, ())) else moment
        for path, (moment, folder) in moments.items()
    }
