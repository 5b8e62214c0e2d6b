"""Commits what a turn or a subagent changed when it ends, if the strategy does so.

It is a commit of the session's own, decided and recorded like one that its agent makes. The turn was saved as a step
before, so what stands in the way of the commit loses nothing: the session notes why, and its next turn tries again.

The repository's hooks run without our lock, because they may take long. Afterwards everything must still be as it was.
"""

from __future__ import annotations

import os

from entire import files
from entire.commits import carried_step, complete, head_update, turn_hooks, turn_plan
from entire.commits.turn_plan import RefusedError
from entire.errors import EntireError
from entire.git import commit_hooks, new_commit, partial_commit
from entire.model.value import replace
from entire.recording import pending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.commits.turn_plan import TurnPlan
    from entire.model.events import Event
    from entire.model.session import Session
    from entire.recording.context import Context

_MARKER = "making"


def commit(context: Context, event: Event) -> str:
    """Commit the open files of the session whose turn an event ends, or what its subagent changed; return what the user
    should know, usually ''.
    """
    try:
        folder = head_update.new_folder(context.place)
        try:
            return _commit_in(context, folder, event)
        finally:
            head_update.clear(context.place, folder)
    except (EntireError, OSError) as error:
        return _note(context, event.session_id, _words(error))


def _commit_in(context: Context, folder: str, event: Event) -> str:
    with context.lock():
        plan = turn_plan.make(context, event, folder)
        left = context.session(event.session_id) if plan is None else None
    if plan is None:
        return (
            f"entire: left uncommitted: {left.work.uncommitted}" if left is not None and left.work.uncommitted else ""
        )
    marker = os.path.join(folder, _MARKER)
    files.write(marker, b"")
    seconds = float(context.settings.commit_hook_seconds)
    hooks = commit_hooks.make(context.place, plan.prepared.index, seconds, {"ENTIRE_COMMIT": marker})
    message = turn_hooks.run(context, plan, hooks)
    text = message.encode("utf-8", "surrogateescape")
    oid = new_commit.write(context.place, folder, tree=plan.prepared.tree, parent=plan.head, message=text)
    with context.lock():
        session = _check(context, event.session_id, plan)
        _move(context, plan, oid, message)
        notice = _record(context, session, event, plan, oid)
    turn_hooks.run_post_commit(context, hooks)
    return notice


def _note(context: Context, session_id: str, reason: str) -> str:
    with context.lock():
        session = context.session(session_id)
        if session is not None:
            session.work = replace(session.work, uncommitted=reason)
            context.save(session)
    context.log.info("turn not committed", session_id=session_id, reason=reason)
    return f"entire: not committed, kept as a step until the next turn ends: {reason}"


def _words(error: EntireError | OSError) -> str:
    """Return what happened, and what to do."""
    if isinstance(error, OSError):
        return f"{error.strerror} ({error.filename})" if error.filename else str(error)
    return "; ".join(filter(None, (error.message, error.hint)))


def _check(context: Context, session_id: str, plan: TurnPlan) -> Session:
    """Return the session; raises RefusedError if something has changed while the hooks ran."""
    session = context.session(session_id)
    if session is None or session.turn_key != plan.turn:
        raise RefusedError("the next turn began while the hooks ran")
    head = context.objects.commit("HEAD")
    if (head.oid if head is not None else "") != plan.head or turn_plan.branch(context.place) != plan.branch:
        raise RefusedError("HEAD has moved while the hooks ran")
    if not set(plan.paths).issubset(session.work.open_files):
        raise RefusedError("something else was committed while the hooks ran")
    staged = partial_commit.StagedPaths()  # what was staged before is not in the plan
    if not partial_commit.is_same_index(context.place, plan.prepared):
        staged = partial_commit.staged(context.place.top, plan.head, session.oid_size)
        partial_commit.follow_index(context.place, plan.prepared, plan.paths)
    chosen = turn_plan.select(context, session, plan.paths, staged)
    if chosen.obstacle or chosen.held:
        raise RefusedError(chosen.obstacle or turn_plan.held_reason(chosen.held))
    return session


def _move(context: Context, plan: TurnPlan, oid: str, message: str) -> None:
    """Move HEAD and the index to the commit, or neither; what was decided about it is stored before."""
    place, prepared = context.place, plan.prepared
    pending.save(place, plan.decided)
    try:
        head_update.to(place, oid, plan.head, index=prepared.next_index, basis=prepared.basis,
                   subject=message.split("\n", 1)[0])  # fmt: skip
    except (EntireError, OSError):
        if not head_update.holds_lock(place, prepared.folder):  # else the next hook or command settles it
            pending.drop(place)
        raise


def _record(context: Context, session: Session, event: Event, plan: TurnPlan, oid: str) -> str:
    """Write the commit's checkpoint; return what the user should know. After an error the next hook or command writes
    it, as for a commit of git's.
    """
    try:
        commit = context.objects.commit(oid)
        if commit is None:
            raise EntireError(f"git has lost the commit {oid}")
        complete.follow(context, plan.decided, commit)
        complete.carry_out(context, plan.decided, commit)
        pending.drop(context.place)
        if session.is_running and session.work.open_files:
            carried_step.write(context, commit, session)
            context.save(session)
        turn_plan.settle(context, session, event, turn_plan.held_reason(plan.held))
    except (EntireError, OSError) as error:
        context.log.error(f"the checkpoint of {oid[:7]} could not be written yet: {error}")
        return ""
    return _notice(context, session, oid)


def _notice(context: Context, session: Session, oid: str) -> str:
    said = [f"committed on a detached HEAD ({oid[:7]}): create a branch to keep it"] if _is_detached(context) else []
    said += [f"left uncommitted: {session.work.uncommitted}"] if session.work.uncommitted else []
    return f"entire: {'; '.join(said)}" if said else ""


def _is_detached(context: Context) -> bool:
    return not context.journal.snapshot.branch
