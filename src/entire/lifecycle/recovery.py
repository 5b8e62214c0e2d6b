"""Completes interrupted work before a hook or command does its own: commits whose post-commit hook never ran, turns
whose agent is gone, sessions of the Go CLI, and half-made changes of files. ``RECOVERIES`` says what runs where.
"""

from __future__ import annotations

import os

from entire import files, layout
from entire.errors import PartialCloneError
from entire.git import ref_locks, refs
from entire.model.events import Event, EventType, GitEvent
from entire.model.phases import Phase
from entire.store import sessions as states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from entire.model.session import Session
    from entire.recording.context import Context

    Occasion = Event | GitEvent | None  # the event of the hook; None in a command

_SHADOWS = "refs/heads/entire"
_LIMITS = (EventType.SESSION_START, EventType.SESSION_END, EventType.GIT_COMMIT)  # seldom enough to look for leftovers


def clear_locks(context: Context, _: Occasion) -> None:
    """Remove the locks that a killed git left on our refs; usually there are none."""
    common_dir = context.place.common_dir
    if any(ref_locks.notes(common_dir)) or ref_locks.standing(common_dir):
        from entire.git import stale_locks
        from entire.store import steps

        for path in stale_locks.clear(context.place, steps.is_ours, context.now()):
            context.log.warn("removed the lock of a git process that was killed", path=path)


def complete_commit(context: Context, event: Occasion) -> None:
    """Complete a commit whose post-commit hook never ran. Does nothing in post-commit itself."""
    is_own = event is not None and event.type is EventType.GIT_COMMIT
    if not is_own and os.path.exists(context.place.pending_file) and context.can_write():
        from entire.commits import unfinished

        is_repeated = event is not None and event.type is EventType.PREPARE_COMMIT
        try:
            unfinished.complete(context, is_repeated=is_repeated)
        except PartialCloneError as error:
            _put_off(context, error)


def finish_forgetting(context: Context, _: Occasion) -> None:
    """Finish an ``entire forget`` that was killed, before anything is stored again."""
    marker = context.place.forgetting_file
    if not os.path.exists(marker):
        return
    from entire.undo import completion

    place = layout.find(os.fsdecode(files.read(marker) or b"")) or context.place
    for message in completion.complete(place):
        context.log.info("an interrupted change was finished", outcome=message)
    files.remove(marker)
    context.forget()


def follow_head(context: Context, event: Occasion) -> None:
    """Learn of commits that no hook saw, if HEAD moved since the last event, even if it moved back. A rebase is
    followed once it is done, and nothing while another commit is being made.
    """
    if event is not None and event.type is EventType.GIT_COMMIT:
        return
    journal = context.journal
    head, known, end = head_of(context), journal.followed, layout.head_log_end(context.place)
    if not head or (head == known and end[0] == journal.caches.reflog[0]):
        return
    if not known and not journal.attribution.tree:  # no snapshot was ever taken here; the first one follows copies
        if event is None and context.can_write():
            _follow_copies(context)
        return
    from entire.snapshots import followed_commits

    if not followed_commits.must_wait(context):
        from entire.commits import missed_commits

        try:
            missed_commits.follow(context, known, head)
        except PartialCloneError as error:
            _put_off(context, error)
            return
        journal.caches.followed, journal.caches.reflog = head, end
        context.save()


def _put_off(context: Context, error: PartialCloneError) -> None:
    """Leave commits for later, when git has fetched what they need: this event goes on without them."""
    context.log.warn(f"commits wait to be followed: {error.message}")


def follow_visited_worktrees(context: Context, event: Occasion) -> None:
    """Learn of commits that a turn which ends made in other worktrees without hooks, if there are any worktrees."""
    if not isinstance(event, Event) or event.type is not EventType.TURN_END:
        return
    session = context.session(event.session_id)
    worktrees = os.path.join(context.place.common_dir, "worktrees")
    if session is not None and session.is_running and os.path.isdir(worktrees):
        from entire.commits import visited_worktrees

        visited_worktrees.follow(context, session)


def head_of(context: Context) -> str:
    return layout.head(context.place) or context.objects.oid("HEAD")


def _follow_copies(context: Context) -> None:
    from entire.snapshots import followed_commits

    followed_commits.follow_copies(context)


def forget_removed_sessions(context: Context, _: Occasion) -> None:
    """Forget the uncommitted work of sessions that the Go CLI removed; usually there are none."""
    removed = [session for session in context.relevant_sessions() if session.removed]
    if removed:
        from entire.go_takeover import deleted_sessions as go_takeover

        go_takeover.forget(context, removed)


def import_go_sessions(context: Context, event: Occasion) -> None:
    """Import sessions that the Go CLI wrote last; usually there are none, and nothing is loaded."""
    if any(session.foreign for session in context.relevant_sessions()):
        from entire.go_takeover import sessions

        sessions.import_go_sessions(context, event.session_id if isinstance(event, Event) else "")
    if not states.is_seen(context.place):
        from entire.go_takeover import sessions

        sessions.note_seen(context)


def close_lost_turns(context: Context, event: Occasion) -> None:
    """Save the turns of sessions in this worktree whose agent is gone, but not that of the event's own session, and
    finalise the checkpoints that still wait for the end of a turn, or for a plugin that could not be asked.

    Before a commit and in commands, also turns of which only their transcripts say that they were interrupted: what was
    changed since is a person's.
    """
    if isinstance(event, GitEvent):
        if event.type is not EventType.PREPARE_COMMIT or event.environment.get("ENTIRE_TEST_TTY") == "0":
            return
    excluding = event.session_id if event is not None else ""
    interrupted = not isinstance(event, Event)
    for session in context.relevant_sessions():
        is_lost = session.session_id != excluding and session.is_running and _has_lost_turn(session, context.now())
        is_lost = is_lost or (interrupted and session.is_running and _is_interrupted(context, session))
        is_waiting = session.turn_checkpoints and not session.is_running
        if not (is_lost or is_waiting) or context.adapters.waits(session):
            continue
        from entire.commits import finalize
        from entire.turns import turn

        if is_lost:
            turn.close_lost(context, session)
        finalize.finalize_turn(context, session)
        session.phase = Phase.IDLE if is_lost else session.phase
        context.save(session)


def _is_interrupted(context: Context, session: Session) -> bool:
    from entire.recording import interruption

    return bool(interruption.moment(context, session)) and not interruption.is_lost(session)


def _has_lost_turn(session: Session, now: float) -> bool:
    from entire.recording import liveness

    return liveness.has_lost_turn(session, now, silence=liveness.NEVER)


def release_leftovers(context: Context, event: Occasion) -> None:
    """Delete the shadow branches that a killed hook left; usually there are none, and nothing is loaded. Without any
    session, only `entire clean` deletes something.
    """
    if event is None or event.type not in _LIMITS:
        return
    place = context.place
    mine = [ref for ref in refs.names(place.common_dir, _SHADOWS) if ref.endswith("-" + place.worktree_id)]
    head = (head_of(context) or "0000000")[:7] if mine else ""
    leftovers = [ref.removeprefix("refs/heads/") for ref in mine if not ref.startswith(f"{_SHADOWS}/{head}-")]
    if leftovers and context.relevant_sessions():
        from entire.snapshots import leftover_steps

        leftover_steps.release(context, leftovers)


def finish_changes(context: Context, _: Occasion) -> Sequence[str]:
    """Finish interrupted changes of files."""
    from entire.undo import completion

    return completion.complete(context.place)


CALLED, OPENED, DONE, COMMAND, READ = "called", "opened", "done", "command", "read"
"""Where a recovery runs: when a hook is called, once the session of its event is open, after its actions; before a
command that changes something, before one that only reads.
"""
RECOVERIES: tuple[tuple[Callable[[Context, Occasion], Sequence[str] | None], tuple[str, ...]], ...] = (
    (clear_locks, (CALLED, COMMAND, READ)),
    (finish_forgetting, (CALLED, COMMAND, READ)),
    (finish_changes, (COMMAND,)),
    (complete_commit, (CALLED, COMMAND, READ)),
    (forget_removed_sessions, (CALLED, COMMAND)),
    (import_go_sessions, (OPENED,)),
    (follow_head, (OPENED, COMMAND, READ)),
    (close_lost_turns, (OPENED, COMMAND)),
    (follow_visited_worktrees, (OPENED,)),
    (release_leftovers, (DONE,)),
)


def recover(context: Context, where: str, event: Occasion = None) -> list[str]:
    """Carry out the recoveries of a place, in order; return sentences for people. The caller holds the lock."""
    sentences: list[str] = []
    for recovery, places in RECOVERIES:
        if where in places:
            sentences += recovery(context, event) or ()
    return sentences
