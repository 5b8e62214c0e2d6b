"""The recorded sessions and their current states."""

from __future__ import annotations

from entire import settings
from entire.directory import AgentDirectory
from entire.model.phases import Phase
from entire.model.value import replace
from entire.model.views.checkpoints import SessionView
from entire.recording import interruption
from entire.recording.context import Context
from entire.store import open_files, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.layout import Place
    from entire.model.session import Session

_PROMPT = 200  # characters


def listing(place: Place) -> list[SessionView]:
    """Return all sessions, most recently seen first."""
    states = sessions.list_states(place)
    still_open = open_files.find(place, states)
    interrupted, queued = _as_transcripts_tell(place, states)
    views = [
        _view(state, place, still_open.get(state.session_id, ()), is_interrupted=state.session_id in interrupted)
        for state in states
    ]
    return [replace(view, phase=Phase.ACTIVE.value) if view.session_id in queued else view for view in views]


def _as_transcripts_tell(place: Place, states: Sequence[Session]) -> tuple[set[str], set[str]]:
    """Return the sessions whose last turn did not come to its end, and those that are at work on a queued prompt, also
    where no hook has learned it.
    """
    ids = {state.session_id for state in states if state.turn is not None and state.turn.interrupted}
    running = [state for state in states if state.is_running]
    waiting = [state for state in states if state.queued and not state.is_running]
    queued: set[str] = set()
    if running or waiting:
        chosen = settings.load(place) or settings.Settings(enabled=False)
        context = Context(place, chosen, AgentDirectory.without_plugins())
        ids |= {state.session_id for state in running if interruption.moment(context, state)}
        queued = {state.session_id for state in waiting if interruption.answers_queued(context, state)}
        context.close()
    return ids, queued


def _view(state: Session, place: Place, still_open: tuple[str, ...], *, is_interrupted: bool) -> SessionView:
    return SessionView(
        session_id=state.session_id,
        agent=state.agent.type,
        phase=state.phase.value,
        worktree=state.worktree.path,
        is_here=state.worktree.name == place.worktree_name,
        base_commit=state.worktree.base_commit,
        started=state.times.started,
        ended=state.times.ended,
        last_seen=state.times.last_seen,
        steps=state.work.steps,
        open_files=still_open,
        # A person may have committed them since; without open files it is about others, which are too large.
        uncommitted=state.work.uncommitted if still_open or not state.work.open_files else "",
        transcript_problem=state.storage.problem,
        last_checkpoint=state.last_checkpoint,
        first_prompt=state.first_prompt,
        model=state.model,
        prompt=" ".join((state.turn.prompt if state.turn is not None else "").split())[:_PROMPT] or state.first_prompt,
        is_interrupted=is_interrupted,
    )
