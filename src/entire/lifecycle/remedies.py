"""What is done about what ``symptoms`` finds: one function per check of ``health.CHECKS``. Each looks again, under the
repository's lock, before it changes anything; what cannot be read is put aside and never deleted.
"""

from __future__ import annotations

from entire import files, settings
from entire.agents import registry
from entire.errors import EntireError
from entire.git import history, refs
from entire.githooks import install
from entire.lifecycle import breakage, cleaning, dispatcher, symptoms
from entire.lifecycle.ground import worktree_id
from entire.lifecycle.scene import Scene
from entire.model.phases import Phase
from entire.store import sessions, sync, transactions, transcripts
from entire.store.journal import Journal, Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.lifecycle.symptoms import Case
    from entire.model.session import Session

_FETCH_SECONDS = 60.0


def settings_files(case: Case) -> None:
    """Put broken settings aside; what the team shares is written anew with what counts now."""
    place, now = case.place, case.settings or settings.Settings()
    for path, in_conflict in symptoms.broken_settings(place).items():
        if in_conflict:
            continue
        files.put_aside(path)
        if path == place.settings:
            files.write(path, settings.edit(None, strategy=now.strategy, enabled=now.enabled,
                                            push_sessions=bool(now.push_sessions)))  # fmt: skip


def broken_files(case: Case) -> None:
    """Put them aside: the next hook begins anew, and what was in them can still be looked at."""
    with cleaning.lock(case.place):
        for path in breakage.broken_paths(case):
            files.put_aside(path)


def unfinished(case: Case) -> None:
    """Bring transactions to their end."""
    with cleaning.lock(case.place):
        said = transactions.complete(case.place)
        left = [one for one in transactions.find_all(case.place) if one.state not in ("done", "rolled back")]
    if left:
        raise EntireError("; ".join(said))


def broken_refs(case: Case) -> None:
    """Delete refs that point nowhere, and locks that nobody holds."""
    with cleaning.lock(case.place):
        for path in (*breakage.garbled_refs(case.place), *breakage.stale_locks(case)):
            files.remove(path)
        lost = breakage.lost_refs(case)
        refs.move(case.place.top, [refs.Move(ref=ref, new="", old=oid) for ref, oid in lost.items()])


def lost_objects(case: Case) -> None:
    """Forget what is missing, so that it is made again; keep the other looks from being collected."""
    with cleaning.lock(case.place):
        journal = Journal(case.place, repair=True)
        found = breakage.lost(case, journal)
        del journal.entries[: found.looks]
        journal.settled_at = [at - found.looks for at in journal.settled_at if at > found.looks]
        for name in found.steps:
            del journal.shadows[name]
        if found.files or found.looks:
            journal.snapshot = Snapshot()
        if found.tip:
            journal.tip = ""
        elif journal.tip and journal.ref not in refs.read(case.place.top, journal.ref):
            refs.move(case.place.top, [refs.Move(ref=journal.ref, new=journal.tip, old="")])
        journal.save(live=journal.is_live)
        for session_id in found.sessions:
            state = sessions.find(case.place, session_id)
            if state is not None:
                transcripts.forget(state)
                sessions.save(case.place, state)


def pending_commit(case: Case) -> None:
    """Write the checkpoint of the commit, or forget the record if the commit never came."""
    scene = Scene(case.place, case.settings or settings.Settings())
    try:
        dispatcher.complete(scene)
    finally:
        scene.close()


def stuck_sessions(case: Case) -> None:
    """Save the turns of agents that are gone, and complete what waited for their end."""
    for one in case.ground.states:
        if not symptoms.is_stuck(one, case.now) and (one.is_running or not one.turn_checkpoints):
            continue
        place = case.ground.places.get(worktree_id(one.worktree_name))
        chosen = settings.load(place) if place is not None else None
        if place is None or chosen is None or not chosen.enabled:  # its work tree is gone, or nobody wants its work
            _stop(case, one)
            continue
        scene = Scene(place, chosen)
        try:
            with scene.lock():
                finish(scene, one.session_id)
        finally:
            scene.close()


def _stop(case: Case, session: Session) -> None:
    with cleaning.lock(case.place):
        state = sessions.find(case.place, session.session_id)
        if state is not None and (symptoms.is_stuck(state, case.now) or not state.is_running):
            state.phase = Phase.IDLE if state.is_running else state.phase
            state.turn_checkpoints = []
            sessions.save(case.place, state)


def finish(scene: Scene, session_id: str) -> None:
    """Save a lost turn as the dispatcher does, and complete its checkpoints. The caller holds the lock."""
    from entire.lifecycle import adopt, condense, turn

    session = scene.session(session_id)
    if session is None:
        return
    if session.foreign:
        adopt.adopt(scene, session_id)
    lost = symptoms.is_stuck(session, scene.now())
    agent = scene.agent_of(session)
    if agent is not None:
        if lost:
            turn.close_lost(scene, agent, session)
        if lost or not session.is_running:
            condense.finalize(scene, session)
    session.phase = Phase.IDLE if lost else session.phase
    scene.save(session)


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
        if not symptoms.lost_links(case):
            return
        outcome = sync.fetch(case.place.top, name, limit=_FETCH_SECONDS)
        if outcome.failed:
            failed.append(f"{name}: {outcome.failed}")
    if failed:
        raise EntireError("; ".join(failed))
