"""``entire reset``: discards the steps on HEAD in this worktree, with the state of their sessions.

Files, commits and checkpoints stay. A session that has checkpoints keeps its state except for what came since; so does
a session with a turn in progress, which continues (this needs ``force``). The journal attributes the discarded work to
the user from then on, so no later commit is linked to it.
"""

from __future__ import annotations

import functools
import os

from entire import files, lifecycle, settings
from entire.directory import AgentDirectory
from entire.errors import EntireError
from entire.git import history
from entire.maintenance import undo_notes
from entire.maintenance.repository import Repository, is_committing, lock
from entire.model import prefix
from entire.model.digest import sha256
from entire.model.session import NO_COMMIT
from entire.model.value import replace
from entire.model.views.maintenance import ForgottenView, ResetView, StepsView
from entire.recording.context import Context
from entire.store import open_files, sessions, steps
from entire.store.journal import Journal
from entire.undo import completion, inverse
from entire.undo.draft import Draft
from entire.undo.notes import Notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from entire.layout import Place
    from entire.model.requests import ResetRequest
    from entire.model.session import Session
    from entire.model.views.changes import UndoneView

COMMAND = "reset"
_MAX_STEPS = 2000
_COMMITTING, _RETRY = "a commit is in progress in this worktree; nothing was changed", "finish the commit and try again"


class ResetNotes(Notes):
    """What a reset notes for its undo."""

    command = COMMAND
    sessions: Mapping[str, str]  # the digests of the states that it left, '' for those that it deleted
    journal: undo_notes.JournalMemory

    @classmethod
    def _field(cls, name: str, value: Any) -> Any:
        return undo_notes.memory_from_json(value) if name == "journal" else super()._field(name, value)


def reset(place: Place, request: ResetRequest, *, now: float) -> ResetView:
    """Discard what was asked for; with ``dry_run``, only return what would be discarded."""
    if request.dry_run:
        return plan(place, now=now, session=request.session)
    return forget(place, now=now, session=request.session, force=request.force)


def plan(place: Place, *, now: float, session: str = "") -> ResetView:
    """Return what a reset would discard: all sessions on HEAD here, or the one with that id or id prefix."""
    return _plan(Repository(place, now), session)


def _plan(repository: Repository, session: str) -> ResetView:
    place = repository.place
    head = next((worktree.head for worktree in repository.worktrees if worktree.name == place.worktree_name), "")
    here = [state for state in repository.states if state.worktree.name == place.worktree_name]
    chosen = [_find(repository, session)] if session else [state for state in here if _is_on(repository, state, head)]
    views = tuple(_view(repository, state) for state in chosen)
    names = {steps.branch_name(head, place.worktree_id), f"entire/{(head or NO_COMMIT)[:7]}"}
    if session:
        names = {steps.branch_name(state.worktree.base_commit, place.worktree_id) for state in chosen}
    branches = []
    for ref, tip in repository.shadows.items():
        name = ref.removeprefix("refs/heads/")
        if name in names and ref not in repository.checked_out:
            users = [
                state
                for state in repository.states
                if state.work.steps and state not in chosen and repository.uses_shadow(state, ref)
            ]
            count = len(history.log(place.top, [tip], limit=_MAX_STEPS))
            others = tuple(state.session_id for state in users if not repository.is_gone(state))
            branches.append(StepsView(name=name, tip=tip, steps=count, others=others))
    return ResetView(head=head, sessions=views, branches=tuple(branches))


def _find(repository: Repository, name: str) -> Session:
    """Return the session of this worktree with an id or id prefix."""
    states = {state.session_id: state for state in repository.states}
    chosen = states[prefix.require(name, states, "session", "run `entire status --detailed` to list sessions")]
    if chosen.worktree.name != repository.place.worktree_name:
        raise EntireError(f"session {chosen.session_id} belongs to another worktree",
                          hint=f"run `entire reset` in {chosen.worktree.path}")  # fmt: skip
    return chosen


def _is_on(repository: Repository, session: Session, head: str) -> bool:
    """Tell whether a session is based on HEAD and has something to discard."""
    if session.worktree.base_commit and session.worktree.base_commit != (head or NO_COMMIT):
        return False
    is_open = bool(session.work.steps or session.work.open_files) or repository.is_at_work(session)
    return is_open or (bool(session.worktree.base_commit) and not _has_checkpoints(session))


def _has_checkpoints(session: Session) -> bool:
    return bool(session.last_checkpoint or session.covered.position.count or session.turn_checkpoints)


def _view(repository: Repository, session: Session) -> ForgottenView:
    at_work = repository.is_at_work(session)
    return ForgottenView(
        session_id=session.session_id,
        agent=session.agent.type,
        steps=session.work.steps,
        open_files=open_files.find(repository.place, [session]).get(session.session_id, ()),
        first_prompt=session.first_prompt,
        is_at_work=at_work,
        stays=at_work or _has_checkpoints(session),
    )


# ---------------------------------------------------------------- carrying it out


def forget(place: Place, *, now: float, session: str = "", force: bool = False) -> ResetView:
    """Discard steps and session states; ``undo`` restores them. Raises EntireError while a commit is in progress, and
    unless forced while a turn is.
    """
    if is_committing(place):
        raise EntireError(_COMMITTING, hint=_RETRY)
    _complete(place)
    with lock(place):
        completion.complete(place)
        if os.path.exists(place.pending_file):
            raise EntireError(_COMMITTING, hint=_RETRY)
        repository = Repository(place, now)
        planned = _plan(repository, session)
        if planned.at_work and not force:
            raise EntireError(f"session {planned.at_work[0]} has a turn in progress; nothing was changed",
                              hint="wait until it ends, or add --force")  # fmt: skip
        return planned if planned.is_empty else _carry_out(repository, planned)


def _complete(place: Place) -> None:
    """Finish what interrupted hooks left, if Entire is enabled."""
    current = settings.load(place)
    if current is None or not current.enabled:
        return
    context = Context(place, current, AgentDirectory.with_plugins(place))
    try:
        lifecycle.finish_interrupted(context)
    finally:
        context.close()


def _carry_out(repository: Repository, planned: ResetView) -> ResetView:
    place = repository.place
    draft = Draft(place, COMMAND, f"the steps on {planned.head[:7] or 'no commit'}", now=repository.now)
    journal = Journal(place, repair=True)
    gone = {branch.name: branch.tip for branch in planned.branches if not branch.others}
    try:
        left = {session.session_id: _draft_state(place, draft, session) for session in planned.sessions}
        for name, tip in gone.items():
            draft.move_ref(f"refs/heads/{name}", "", tip)
        memory = undo_notes.forget_sessions(journal, left)
        undo_notes.forget_refs(journal, {f"refs/heads/{name}" for name in gone})
        draft.notes = ResetNotes(sessions=left, journal=memory)
        _draft_journal(
            place, draft, journal, repository.now, without={name for name, state in left.items() if not state}
        )
        return replace(planned, undo_id=draft.carry_out().id)
    finally:
        draft.discard()


def _draft_state(place: Place, draft: Draft, session: ForgottenView) -> str:
    """Add the change of a session's state to the draft; return the digest of the new state, '' if it is deleted."""
    state = sessions.find(place, session.session_id) if session.stays else None
    if state is None:
        undo_notes.delete_state(place, draft, session.session_id)
        return ""
    state.work = replace(state.work, steps=0, open_files=[])
    forms = sessions.forms(place, state)
    for path, data in forms:
        draft.write_private(path, data)
    return sha256(forms[0][1]).hexdigest()


def _draft_journal(place: Place, draft: Draft, journal: Journal, now: float, *, without: Collection[str] = ()) -> None:
    """Add the journal to the draft, and the marker for git's hooks as the remaining sessions need it."""
    journal.sessions = [name for name in journal.sessions if name not in without]
    contents = {path: draft.planned(path) for path in (sessions.own_path(place, name) for name in journal.sessions)}
    planned = [sessions.from_own(files.json_object(path, data)) for path, data in contents.items() if data is not None]
    planned_ids = {state.session_id for state in planned}
    states = (sessions.find(place, name) for name in journal.sessions if name not in planned_ids)
    live = any(state.is_live(now) for state in (*planned, *(state for state in states if state is not None)))
    for path, data in journal.forms(live=live or bool(journal.attribution.visiting_sessions)):
        draft.write_private(path, data)


# ---------------------------------------------------------------- undo


def undo(context: Context, _progress: object = None) -> UndoneView:
    """Restore what the last reset discarded that was not undone yet."""
    now = context.now()
    with context.lock():
        return undo_notes.view(inverse.undo_last(context.place, ResetNotes, functools.partial(_undo, now), now=now))


def _undo(now: float, draft: Draft, notes: ResetNotes) -> None:
    undo_notes.check_states(draft.place, notes.sessions)
    draft.revert()
    journal = Journal(draft.place, repair=True)
    undo_notes.recall_sessions(journal, notes.journal)
    _draft_journal(draft.place, draft, journal, now)
