"""The repairs of ``doctor.CHECKS``: one function for each. Each checks again, under the repository's lock, before it
changes anything. Unreadable files are renamed, never deleted.
"""

from __future__ import annotations

from entire import files, layout, lifecycle, settings, tree_files
from entire.directory import AgentDirectory
from entire.errors import EntireError
from entire.git import history, refs
from entire.githooks import install
from entire.maintenance import agent_setup, checks, corruption, locks, repository
from entire.maintenance.plugins import forget_failures
from entire.model.phases import Phase
from entire.recording.context import Context
from entire.store import checkpoints, reintroduced, sessions, sync, transcripts
from entire.store.journal import Journal, Snapshot
from entire.undo import completion, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.maintenance.checks import Case
    from entire.model.session import Session

_FETCH_SECONDS = 60.0


def settings_files(case: Case) -> None:
    """Rename broken settings files; rewrite the shared one with the settings in effect."""
    place, current = case.place, case.settings or settings.Settings()
    for path, in_conflict in checks.broken_settings(place).items():
        if in_conflict:
            continue
        tree_files.put_aside(tree_files.own_top(path), path)
        if path == place.settings:
            data = settings.edit(None, strategy=current.strategy, enabled=current.enabled,
                                 push_sessions=bool(current.push_sessions))  # fmt: skip
            tree_files.write(place.top, path, data)


def broken_files(case: Case) -> None:
    """Rename corrupt files: the next hook writes new ones, and the old contents can still be examined."""
    with repository.lock(case.place):
        for path in corruption.broken_paths(case):
            files.put_aside(path)


def unfinished(case: Case) -> None:
    """Finish or roll back interrupted transactions."""
    with repository.lock(case.place):
        messages = completion.complete(case.place)
        is_left = any(not interrupted.is_settled for interrupted in transaction.find_all(case.place))
    if is_left:
        raise EntireError("; ".join(messages))


def stale_locks(case: Case) -> None:
    """Delete the locks on our refs that no process holds."""
    with repository.lock(case.place):
        locks.clear(case.place, case.now)


def broken_refs(case: Case) -> None:
    """Delete refs that cannot be resolved."""
    with repository.lock(case.place):
        for path in corruption.garbled_refs(case.place):
            files.remove(path)
        lost = corruption.lost_refs(case)
        refs.move(case.place.top, [refs.RefMove(ref=ref, new="", old=oid) for ref, oid in lost.items()])


def lost_objects(case: Case) -> None:
    """Drop records of missing objects, so they are written again; protect the other snapshots from collection."""
    with repository.lock(case.place):
        journal = Journal(case.place, repair=True)
        lost = corruption.find_lost(case, journal)
        count = lost.snapshots
        del journal.attribution.entries[:count]
        journal.attribution.quiet_at = [at - count for at in journal.attribution.quiet_at if at > count]
        for name in lost.steps:
            del journal.retention.shadow_tips[name]
        if lost.files or count:
            journal.snapshot = Snapshot()
        if lost.tip:
            journal.retention.tip = ""
        elif journal.retention.tip and journal.ref not in refs.read(case.place.top, journal.ref):
            refs.move(case.place.top, [refs.RefMove(ref=journal.ref, new=journal.retention.tip, old="")])
        journal.save(live=journal.is_live)
        for session_id in lost.sessions:
            state = sessions.find(case.place, session_id)
            if state is not None:
                transcripts.forget(state)
                sessions.save(case.place, state)


def pending_commit(case: Case) -> None:
    """Write the checkpoint of the commit, or delete the record if the commit was never made."""
    context = Context(case.place, case.settings or settings.Settings(), case.agents)
    try:
        lifecycle.finish_interrupted(context)
    finally:
        context.close()


def stuck_sessions(case: Case) -> None:
    """Save the turns of agents that have exited, and finalise their checkpoints."""
    for session in case.repository.states:
        if not checks.is_stuck(session, case.now) and (session.is_running or not session.turn_checkpoints):
            continue
        place = case.repository.places.get(layout.worktree_id(session.worktree.name))
        current = settings.load(place) if place is not None else None
        if place is None or current is None or not current.enabled:  # no worktree, or Entire is disabled in it
            _stop(case, session)
            continue
        context = Context(place, current, AgentDirectory.with_plugins(place))
        try:
            with context.lock():
                finish(context, session.session_id)
        finally:
            context.close()


def _stop(case: Case, session: Session) -> None:
    with repository.lock(case.place):
        state = sessions.find(case.place, session.session_id)
        if state is not None and (checks.is_stuck(state, case.now) or not state.is_running):
            state.phase = Phase.IDLE if state.is_running else state.phase
            state.turn_checkpoints = []
            sessions.save(case.place, state)


def finish(context: Context, session_id: str) -> None:
    """Save a lost turn as the dispatcher does, and finalise its checkpoints. The caller holds the lock."""
    from entire.commits import finalize
    from entire.go_takeover import sessions as go_sessions
    from entire.turns import turn

    session = context.session(session_id)
    if session is None:
        return
    if session.foreign:
        go_sessions.import_go_sessions(context, session_id)
    lost = checks.is_stuck(session, context.now())
    if lost:
        turn.close_lost(context, session)
    if lost or not session.is_running:
        finalize.finalize_turn(context, session)
    session.phase = Phase.IDLE if lost else session.phase
    context.save(session)


def git_hooks(case: Case) -> None:
    install.install(case.place.top)


def plugin_failures(case: Case) -> None:
    """Drop the reports of failures that are past: what fails again is reported again."""
    forget_failures(case.place, now=case.now)


def agent_hooks(case: Case) -> None:
    """Reinstall agents' hooks, each in the scope where it was installed."""
    for hooks in case.installed:
        if hooks.health.status in agent_setup.REPAIRABLE:
            agent_setup.install(hooks.installer, case.place.top, hooks.scope)


def dangling_links(case: Case) -> None:
    """Fetch checkpoints from one remote after another, until none is missing."""
    failed = []
    for name in history.remotes(case.place.top):
        if not checks.lost_links(case):
            return
        outcome = sync.fetch(case.place.top, name, limit=_FETCH_SECONDS)
        if outcome.failed:
            failed.append(f"{name}: {outcome.failed}")
    if failed:
        raise EntireError("; ".join(failed))


def returned_secrets(case: Case) -> None:
    """Take what was forgotten out of new checkpoints, in the branch here and where those of remotes are joined."""
    where = case.place.top
    tips = checks.returned_secrets(case)
    record = reintroduced.note(where, case.objects, *tips.values())
    local = tips.pop(checkpoints.LOCAL_REF, "")
    if local in record.commits:
        with repository.lock(case.place):
            refs.move(where, [refs.RefMove(ref=checkpoints.LOCAL_REF, new=record.commits[local], old=local)])
            refs.forget_moves(where, [checkpoints.LOCAL_REF])
    for ref in tips:
        sync.take_in(where, ref.removeprefix("refs/remotes/").removesuffix(f"/{layout.METADATA_BRANCH}"))
