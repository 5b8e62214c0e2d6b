"""``entire reset``: forgets the steps on HEAD in this worktree, and the sessions that stand on them.

Work tree, commits and checkpoints stay. What a session has in checkpoints stays counted: of its state only what came
since goes, and so it does for a session with a turn in progress, which goes on (that needs ``force``). In the journal
what they made counts as a person's from then on, so that no later commit is linked to it.
"""

from __future__ import annotations

import os

from entire import settings
from entire.errors import EntireError
from entire.git import history
from entire.lifecycle import recovery
from entire.lifecycle.context import Context
from entire.maintenance import undo_notes
from entire.maintenance.repository import Repository, is_committing, lock
from entire.model import jsontext, prefix
from entire.model.digest import sha256
from entire.model.value import replace
from entire.model.views import ForgottenView, ResetView, StepsView
from entire.store import sessions, steps
from entire.store.journal import Journal
from entire.undo import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from entire.layout import Place
    from entire.model.requests import ResetRequest
    from entire.model.session import Session
    from entire.model.views import UndoneView

COMMAND = "reset"
_MAX_STEPS = 2000
_COMMITTING, _THEN = "a commit is being made in this worktree", "finish it, then try again"


def reset(place: Place, request: ResetRequest, *, now: float) -> ResetView:
    """Forget what was asked for, or with ``dry_run`` return what would be forgotten."""
    if request.dry_run:
        return plan(place, now=now, session=request.session)
    return forget(place, now=now, session=request.session, force=request.force)


def plan(place: Place, *, now: float, session: str = "") -> ResetView:
    """Return what a reset would forget: all sessions on HEAD here, or the one whose id begins so. Writes nothing."""
    return _plan(Repository(place, now), session)


def _plan(repository: Repository, session: str) -> ResetView:
    place = repository.place
    head = next((one.head for one in repository.worktrees if one.name == place.worktree_name), "")
    here = [one for one in repository.states if one.worktree_name == place.worktree_name]
    chosen = [_named(repository, session)] if session else [one for one in here if _is_on(repository, one, head)]
    found = tuple(_forgotten(repository, one) for one in chosen)
    names = {steps.branch_name(head, place.worktree_id), f"entire/{(head or steps.NO_COMMIT)[:7]}"}
    if session:
        names = {steps.branch_name(one.base_commit, place.worktree_id) for one in chosen}
    branches = []
    for ref, tip in repository.shadows.items():
        name = ref.removeprefix("refs/heads/")
        if name in names and ref not in repository.checked_out:
            standing = (
                one for one in repository.states if one.steps and one not in chosen and repository.stands_on(one, ref)
            )
            count = len(history.log(place.top, [tip], limit=_MAX_STEPS))
            others = tuple(one.session_id for one in standing if not repository.is_gone(one))
            branches.append(StepsView(name=name, tip=tip, steps=count, others=others))
    return ResetView(head=head, sessions=found, branches=tuple(branches))


def _named(repository: Repository, name: str) -> Session:
    """Return the session of this worktree whose id begins so."""
    states = {one.session_id: one for one in repository.states}
    found = states[prefix.require(name, states, "session", "`entire status --detailed` lists sessions")]
    if found.worktree_name != repository.place.worktree_name:
        raise EntireError(f"session {found.session_id} works in another worktree",
                          hint=f"run `entire reset` in {found.worktree_path}")  # fmt: skip
    return found


def _is_on(repository: Repository, session: Session, head: str) -> bool:
    """Tell whether a session stands on HEAD with something to forget."""
    if session.base_commit and session.base_commit != (head or steps.NO_COMMIT):
        return False
    is_open = bool(session.steps or session.open_files) or repository.is_at_work(session)
    return is_open or (bool(session.base_commit) and not _has_checkpoints(session))


def _has_checkpoints(session: Session) -> bool:
    return bool(session.last_checkpoint or session.counted.count or session.turn_checkpoints)


def _forgotten(repository: Repository, session: Session) -> ForgottenView:
    at_work = repository.is_at_work(session)
    return ForgottenView(
        session_id=session.session_id,
        agent=session.agent_type,
        steps=session.steps,
        open_files=tuple(session.open_files),
        first_prompt=session.first_prompt,
        is_at_work=at_work,
        stays=at_work or _has_checkpoints(session),
    )


# ---------------------------------------------------------------- carrying it out


def forget(place: Place, *, now: float, session: str = "", force: bool = False) -> ResetView:
    """Forget them; ``undo`` brings them back. Raises EntireError near a turn in progress, unless forced, and near a
    commit that is being made.
    """
    if is_committing(place):
        raise EntireError(_COMMITTING, hint=_THEN)
    _complete(place)
    with lock(place):
        transaction.complete(place)
        if os.path.exists(place.pending_file):
            raise EntireError(_COMMITTING, hint=_THEN)
        repository = Repository(place, now)
        found = _plan(repository, session)
        if found.at_work and not force:
            raise EntireError(f"a turn is in progress in session {found.at_work[0]}",
                              hint="wait for its end, or add --force")  # fmt: skip
        return found if found.is_empty else _carry_out(repository, found)


def _complete(place: Place) -> None:
    """Finish what earlier hooks left behind, where hooks act."""
    chosen = settings.load(place)
    if chosen is None or not chosen.enabled:
        return
    context = Context(place, chosen)
    try:
        recovery.finish_interrupted(context)
    finally:
        context.close()


def _carry_out(repository: Repository, found: ResetView) -> ResetView:
    place = repository.place
    draft = transaction.Draft(place, COMMAND, f"the steps on {found.head[:7] or 'no commit'}", now=repository.now)
    journal = Journal(place, repair=True)
    gone = {one.name: one.tip for one in found.branches if not one.others}
    try:
        left = {one.session_id: _draft_state(place, draft, one) for one in found.sessions}
        for name, tip in gone.items():
            draft.move_ref(f"refs/heads/{name}", "", tip)
        memory = undo_notes.forget_sessions(journal, left)
        undo_notes.forget_refs(journal, {f"refs/heads/{name}" for name in gone})
        draft.notes.update(sessions=left, journal=memory)
        _draft_journal(
            place, draft, journal, repository.now, without={name for name, state in left.items() if not state}
        )
        return replace(found, undo_id=draft.carry_out().id)
    finally:
        draft.discard()


def _draft_state(place: Place, draft: transaction.Draft, one: ForgottenView) -> str:
    """Plan what becomes of a session's state; return the digest of what is left of it, '' for nothing."""
    state = sessions.find(place, one.session_id) if one.stays else None
    if state is None:
        undo_notes.delete_state(place, draft, one.session_id)
        return ""
    state.steps = 0
    state.open_files = []
    forms = sessions.forms(place, state)
    for path, data in forms:
        draft.write_private(path, data)
    return sha256(forms[0][1]).hexdigest()


def _draft_journal(
    place: Place, draft: transaction.Draft, journal: Journal, now: float, *, without: Collection[str] = ()
) -> None:
    """Let the journal be what it is now, and the marker for git's hooks be as the remaining sessions want it."""
    journal.sessions = [one for one in journal.sessions if one not in without]
    planned = (draft.planned(sessions.own_path(place, one)) for one in journal.sessions)
    known = [sessions.from_own(jsontext.loads(data)) for data in planned if data is not None]
    there = {one.session_id for one in known}
    states = (sessions.find(place, one) for one in journal.sessions if one not in there)
    live = any(one.is_live(now) for one in (*known, *(state for state in states if state is not None)))
    for path, data in journal.forms(live=live or bool(journal.attribution.visiting_sessions)):
        draft.write_private(path, data)


# ---------------------------------------------------------------- the way back


def undo(place: Place, *, now: float) -> UndoneView:
    """Bring back what the last reset forgot that was not brought back yet."""
    with lock(place):
        last = undo_notes.latest(place, COMMAND)
        undo_notes.check_states(place, last.notes["sessions"])
        draft = transaction.inverse(place, last, now=now)
        try:
            journal = Journal(place, repair=True)
            undo_notes.recall_sessions(journal, last.notes["journal"])
            _draft_journal(place, draft, journal, now)
            return undo_notes.view(draft.carry_out())
        finally:
            draft.discard()
