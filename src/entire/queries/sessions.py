"""The recorded sessions and their current states."""

from __future__ import annotations

from entire.model.views import SessionView
from entire.store import sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.layout import Place
    from entire.model.session import Session


def listing(place: Place) -> list[SessionView]:
    """Return all sessions, most recently seen first."""
    return [_view(state, place) for state in sessions.list_states(place)]


def _view(state: Session, place: Place) -> SessionView:
    return SessionView(
        session_id=state.session_id,
        agent=state.agent_type,
        phase=state.phase.value,
        worktree=state.worktree_path,
        is_here=state.worktree_name == place.worktree_name,
        base_commit=state.base_commit,
        started=state.started,
        ended=state.ended,
        last_seen=state.last_seen,
        steps=state.steps,
        open_files=tuple(state.open_files),
        last_checkpoint=state.last_checkpoint,
        first_prompt=state.first_prompt,
        model=state.model,
    )
