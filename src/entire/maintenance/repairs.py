"""What is done about what ``checks`` finds: one function per check of ``doctor.CHECKS``. Each looks again, under the
repository's lock, before it changes anything; what cannot be read is put aside and never deleted.
"""

from __future__ import annotations

from entire import files, layout, settings
from entire.agents import registry
from entire.errors import EntireError
from entire.git import history, refs
from entire.githooks import install
from entire.lifecycle import recovery
from entire.lifecycle.context import Context
from entire.maintenance import checks, corruption, repository
from entire.model.phases import Phase
from entire.store import sessions, sync, transcripts
from entire.store.journal import Journal, Snapshot
from entire.undo import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.maintenance.checks import Case
    from entire.model.session import Session

_FETCH_SECONDS = 60.0


def settings_files(case: Case) -> None:
    """Put broken settings aside; what the team shares is written anew with what counts now."""
    place, now = case.place, case.settings or settings.Settings()
    for path, in_conflict in checks.broken_settings(place).items():
        if in_conflict:
            continue
        files.put_aside(path)
        if path == place.settings:
            files.write(path, settings.edit(None, strategy=now.strategy, enabled=now.enabled,
                                            push_sessions=bool(now.push_sessions)))  # fmt: skip


def broken_files(case: Case) -> None:
    """Put them aside: the next hook begins anew, and what was in them can still be looked at."""
    with repository.lock(case.place):
        for path in corruption.broken_paths(case):
            files.put_aside(path)


def unfinished(case: Case) -> None:
    """Bring transactions to their end."""
    with repository.lock(case.place):
        said = transaction.complete(case.place)
        left = [one for one in transaction.find_all(case.place) if not one.is_settled]
    if left:
        raise EntireError("; ".join(said))


def broken_refs(case: Case) -> None:
    """Delete refs that point nowhere, and locks that nobody holds."""
    with repository.lock(case.place):
        for path in (*corruption.garbled_refs(case.place), *corruption.stale_locks(case)):
            files.remove(path)
        lost = corruption.lost_refs(case)
        refs.move(case.place.top, [refs.Move(ref=ref, new="", old=oid) for ref, oid in lost.items()])


def lost_objects(case: Case) -> None:
    """Forget what is missing, so that it is made again; keep the other looks from being collected."""
    with repository.lock(case.place):
        journal = Journal(case.place, repair=True)
        found = corruption.lost(case, journal)
        del journal.attribution.entries[: found.looks]
        journal.attribution.quiet_at = [at - found.looks for at in journal.attribution.quiet_at if at > found.looks]
        for name in found.steps:
            del journal.retention.shadow_tips[name]
        if found.files or found.looks:
            journal.snapshot = Snapshot()
        if found.tip:
            journal.retention.tip = ""
        elif journal.retention.tip and journal.ref not in refs.read(case.place.top, journal.ref):
            refs.move(case.place.top, [refs.Move(ref=journal.ref, new=journal.retention.tip, old="")])
        journal.save(live=journal.is_live)
        for session_id in found.sessions:
            state = sessions.find(case.place, session_id)
            if state is not None:
                transcripts.forget(state)
                sessions.save(case.place, state)


def pending_commit(case: Case) -> None:
    """Write the checkpoint of the commit, or forget the record if the commit never came."""
    context = Context(case.place, case.settings or settings.Settings())
    try:
        recovery.finish_interrupted(context)
    finally:
        context.close()


def stuck_sessions(case: Case) -> None:
    """Save the turns of agents that are gone, and complete what waited for their end."""
    for one in case.repository.states:
        if not checks.is_stuck(one, case.now) and (one.is_running or not one.turn_checkpoints):
            continue
        place = case.repository.places.get(layout.worktree_id(one.worktree_name))
        chosen = settings.load(place) if place is not None else None
        if place is None or chosen is None or not chosen.enabled:  # its work tree is gone, or nobody wants its work
            _stop(case, one)
            continue
        context = Context(place, chosen)
        try:
            with context.lock():
                finish(context, one.session_id)
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
    """Save a lost turn as the dispatcher does, and complete its checkpoints. The caller holds the lock."""
    from entire.lifecycle.commits import finalize
    from entire.lifecycle.go_takeover import sessions as adopt
    from entire.lifecycle.turns import turn

    session = context.session(session_id)
    if session is None:
        return
    if session.foreign:
        adopt.import_go_sessions(context, session_id)
    lost = checks.is_stuck(session, context.now())
    agent = context.agent_of(session)
    if agent is not None:
        if lost:
            turn.close_lost(context, session)
        if lost or not session.is_running:
            finalize.finalize_turn(context, session)
    session.phase = Phase.IDLE if lost else session.phase
    context.save(session)


def git_hooks(case: Case) -> None:
    """Install the git hooks again."""
    install.install(case.place.top)


def agent_hooks(case: Case) -> None:
    """Install agents' hooks again, each where it was."""
    for one in registry.installed(case.place.top):
        if not one.is_whole:
            one.installer.install_hooks(case.place.top, one.scope, force=False)


def dangling_links(case: Case) -> None:
    """Fetch the checkpoints of all remotes, until none is missing."""
    failed = []
    for name in history.remotes(case.place.top):
        if not checks.lost_links(case):
            return
        outcome = sync.fetch(case.place.top, name, limit=_FETCH_SECONDS)
        if outcome.failed:
            failed.append(f"{name}: {outcome.failed}")
    if failed:
        raise EntireError("; ".join(failed))
