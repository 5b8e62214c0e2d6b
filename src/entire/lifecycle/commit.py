"""After a commit: carry out what was decided before it, and note what stays open or unlinked."""

from __future__ import annotations

from entire import process
from entire.git import history
from entire.lifecycle import driver, pending
from entire.model import trailers
from entire.model.events import EventType
from entire.model.phases import Action, Facts, transition
from entire.model.session import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.git.read import Commit
    from entire.lifecycle.pending import Pending
    from entire.lifecycle.scene import Scene


_BY_HAND = "its trailer was removed by hand"


def finish(scene: Scene) -> None:
    """Carry out what was decided for the commit that HEAD is now."""
    decided = pending.load(scene.place)
    head = scene.objects.commit("HEAD")
    if head is None:
        return
    scene.journal.follow(head.oid, head.parents)
    if decided is None:
        if not driver.find().picks:
            _settle_unlinked(scene, head, "git made it without asking")
        elif not driver.state(scene.place).rebasing:  # those of a rebase are learned together, at the next look
            _learn(scene, head)
        return
    _carry_out(scene, decided, head)
    pending.drop(scene.place)


def complete_pending(scene: Scene, *, anew: bool = False) -> None:
    """Complete a record whose post-commit never ran; keep it while its git still runs, drop it if the commit never
    came. ``anew``: the git above is about to decide once more, so that its own record goes.
    """
    decided = pending.load(scene.place)
    if decided is None:
        return
    commit = _commit_of(scene, decided)
    if commit is not None:
        _carry_out(scene, decided, commit)
    elif decided.pid and process.is_running(decided.pid, decided.started):
        if not (anew and decided.pid == driver.find().pid):
            return
    pending.drop(scene.place)


def _commit_of(scene: Scene, decided: Pending) -> Commit | None:
    """Find the commit that a record is about: by its id, else by its parent and tree."""
    wanted = decided.id or decided.update
    for one in history.log(scene.place.top, ["HEAD"], limit=50):
        if wanted and wanted in trailers.checkpoint_ids(one.message) and (decided.id or one.oid != decided.head):
            return scene.objects.commit(one.oid)
        if one.oid == decided.head:
            break
    return None


def _carry_out(scene: Scene, decided: Pending, commit: Commit) -> None:
    present = trailers.checkpoint_ids(commit.message.decode("utf-8", "surrogateescape"))
    target = decided.id or decided.update
    if present and decided.kind in ("squash", "reset", "pick"):
        _learn(scene, commit)
    if decided.ids and not present:
        _settle_unlinked(scene, commit, _BY_HAND, decided)
        return
    if decided.update in present and not decided.sessions:
        from entire.lifecycle import condense

        condense.refresh(scene, decided, commit)
    if not target or not decided.sessions:
        _settle_unlinked(scene, commit, "" if present else decided.reason, decided)
        return
    if target not in present:
        _settle_unlinked(scene, commit, _BY_HAND, decided)
        return
    from entire.lifecycle import condense  # only a linked commit needs the heavy half

    sessions = [session for session in map(scene.session, decided.sessions) if session is not None]
    facts = Facts(linked=True)
    chosen = []
    for session in sessions:
        _, actions = transition(session.phase, EventType.GIT_COMMIT, facts)
        if Action.CONDENSE in actions:
            chosen.append(session)
    condense.write(scene, decided, commit, chosen)
    for session in chosen:
        session.phase, _ = transition(session.phase, EventType.GIT_COMMIT, facts)
    _note_commit(scene, commit, decided)
    condense.carry_forward(scene, decided, commit, chosen)
    _close_guests(scene, decided)
    if not scene.journal.guests and not any(one.open_files or one.is_running for one in scene.near()):
        scene.journal.settle()
    scene.save(*chosen)


def _settle_unlinked(scene: Scene, commit: Commit, reason: str, decided: Pending | None = None) -> None:
    """Note a commit that is not linked, with the reason, if a session is near ('': its content is linked already)."""
    from entire.lifecycle import condense

    near = [session for session in scene.near() if session.is_live(scene.now())]
    if decided is not None and (decided.kind == "amend" or reason == _BY_HAND):
        _note_commit(scene, commit, decided)
        for session in condense.close_files(decided, condense.concerned(scene, decided)):
            scene.touch(session)
    if near and reason:
        scene.journal.note_reason(commit.oid, reason, scene.now())
        scene.log.info("commit not linked", commit=commit.oid, reason=reason)
    scene.save()


def _close_guests(scene: Scene, decided: Pending) -> None:
    if scene.journal.guests:
        from entire.lifecycle import guests

        guests.close(scene.journal, decided)


def _learn(scene: Scene, commit: Commit) -> None:
    """Tell our record of the checkpoints that a commit carries on."""
    from entire.lifecycle import reconcile

    reconcile.learn(scene, [commit.oid])


def _note_commit(scene: Scene, commit: Commit, decided: Pending) -> None:
    """Tell the journal what is settled now."""
    scene.journal.trees[commit.oid] = commit.tree
    if decided.kind == "amend":
        scene.journal.forget_commit(decided.head)
    if scene.journal.entries and not any(entry.commit == commit.oid for entry in scene.journal.entries):
        scene.journal.note(
            Entry(tree=commit.tree, time=scene.now(), running=decided.running, commit=commit.oid, paths=decided.paths)
        )
