"""The one door of the lifecycle: asks the state machine which actions an event causes, and carries them out; and
completes for commands what hooks left.

A handler is imported when its action is due, so a hook loads only what its event needs.
"""

from __future__ import annotations

import os

from entire import layout, strategies
from entire.errors import EntireError
from entire.lifecycle import recovery
from entire.model.events import Event, EventType, GitEvent
from entire.model.ids import is_session_id
from entire.model.phases import OF_GIT, Action, Facts, Phase, transition
from entire.model.session import CLEARED, PREVIOUS
from entire.model.value import replace
from entire.recording.context import agent_process
from entire.store.journal import Journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from entire.model.session import Session
    from entire.recording.context import Context

HANDLERS = {
    Action.OPEN_SESSION: "entire.lifecycle:_open",
    Action.CLOSE_LOST_TURN: "entire.turns.turn:close_lost",
    Action.BEGIN_TURN: "entire.turns.beginning:begin",
    Action.SAVE_STEP: "entire.turns.turn:end",
    Action.COMMIT_WORK: "entire.commits.turn_commit:commit",
    Action.FINALIZE_CHECKPOINTS: "entire.commits.finalize:finalize_turn",
    Action.RESET_POSITION: "entire.turns.turn:reset_position",
    Action.START_TASK: "entire.turns.subagents:start",
    Action.SAVE_TASK_STEP: "entire.turns.subagents:end",
    Action.KEEP_NOTE: "entire.turns.subagents:keep_note",
    Action.CLOSE_SESSION: "entire.lifecycle:_close",
    Action.PREPARE_COMMIT: "entire.commits.prepare:prepare",
    Action.COMPLETE_COMMIT: "entire.commits.post_commit:complete",
    Action.PUSH_CHECKPOINTS: "entire.lifecycle.push:push",
}
"""The handler of each action. A session's action is called with (context, session, event), a worktree's and one
without the lock with (context, event).
"""

_OPENING = (EventType.SESSION_START, EventType.TURN_START)  # what a removed session can continue with
_COMMITTING = (EventType.TURN_END, EventType.SUBAGENT_END)  # what may make a commit
_MAX_QUEUED = 20
_PATIENCE = 1.0  # seconds that a command which only reads waits for the lock
_REREADING = (EventType.TURN_END, EventType.COMPACTION)  # what reads a rewritten transcript from its start


def handle(context: Context, event: Event | GitEvent) -> bytes:
    """Carry out the actions of an event; return what the hook prints for the agent, usually nothing."""
    if isinstance(event, GitEvent):
        return _handle_git(context, event)
    if not is_session_id(event.session_id):  # it becomes a file name
        context.log.warn("ignored an event without a valid session id", event=event.type.name)
        return b""
    event = _wait_for_transcript(context, event)
    with context.lock():
        recovery.recover(context, recovery.CALLED, event)
        known = context.session(event.session_id)
        if known is not None and known.removed and event.type not in _OPENING:
            return b""
        session = _session_of(context, event)
        recovery.recover(context, recovery.OPENED, event)
        if session.is_running and not session.process.pid:  # its turn began under the Go CLI
            session.process = agent_process(event.pid)
        hook_problems = _check_git_hooks(context, event)
        before, facts = session.phase, _facts(context, session, event)
        if facts.same_turn and event.type is EventType.TURN_START:
            _note_queued(context, session, event)
        after, actions = transition(before, event.type, facts)
        becomes = after if after is not before else None  # else a commit among the actions may still change it
        waiting = _carry_out(context, session, event, actions, becomes)
        recovery.recover(context, recovery.DONE, event)
    notices: list[str] = []
    while waiting:
        notices.append(_handler(waiting[0])(context, event))
        with context.lock():
            later, turn = context.session(event.session_id), session.turn_key
            if later is None or later.turn_key != turn:  # the next turn has begun, and has closed this one
                break
            session = later
            waiting = _carry_out(context, session, event, waiting[1:], becomes)
    context.log.info(
        "event", session_id=event.session_id, event=event.type.name, before=before.value, after=after.value
    )
    message = "\n".join(filter(None, notices)) or _message(context, session, event, hook_problems)
    return _answer(context, session, message)


def catch_up(context: Context) -> None:
    """Complete what hooks left of commits, so a command that only reads tells the truth.

    Changes nothing if nothing is left to do, or while another process holds the lock or the repository is read-only.
    """
    if not _is_behind(context):
        return
    try:
        with context.lock(timeout=_PATIENCE):
            recovery.recover(context, recovery.READ)
    except (EntireError, OSError) as error:
        context.log.info("commits could not be followed", problem=str(error))
        context.forget()


def _is_behind(context: Context) -> bool:
    """Tell whether commits are left to be completed or followed. Writes nothing."""
    if os.path.exists(context.place.pending_file) or os.path.exists(context.place.forgetting_file):
        return True
    journal = Journal(context.place)
    if journal.followed or journal.attribution.tree:
        is_followed = journal.followed == recovery.head_of(context)
        return not is_followed or journal.caches.reflog[0] != layout.head_log_size(context.place)
    from entire.snapshots import followed_commits

    return bool(followed_commits.unlinked_copies(context))


def finish_interrupted(context: Context) -> list[str]:
    """Complete what earlier hooks and commands left unfinished; every command that changes something calls it first.

    Returns sentences about interrupted changes of files.
    """
    with context.lock():
        return recovery.recover(context, recovery.COMMAND)


def _handle_git(context: Context, event: GitEvent) -> bytes:
    """Carry out the actions of a git event, which concerns the worktree."""
    with context.lock():
        recovery.recover(context, recovery.CALLED, event)
        recovery.recover(context, recovery.OPENED, event)
        waiting = _carry_out(context, None, event, OF_GIT[event.type])
        recovery.recover(context, recovery.DONE, event)
    for action in waiting:
        _handler(action)(context, event)
    return b""


def _carry_out(
    context: Context, session: Session | None, event: Event | GitEvent, actions: Sequence[Action],
    becomes: Phase | None = None,
) -> Sequence[Action]:  # fmt: skip
    """Carry out actions under the lock, and save the session, if any; return those from the first that must not hold
    it.

    ``becomes``: the session's phase once all are done, None if it stays.
    """
    at = next((number for number, action in enumerate(actions) if not action.holds_lock), len(actions))
    for action in actions[:at]:
        _handler(action)(*(context, event) if session is None else (context, session, event))
    if session is not None:
        if at == len(actions) and becomes is not None:
            session.phase = becomes
        session.times = replace(session.times, last_seen=context.now())
        context.save(session)
    return actions[at:]


def _check_git_hooks(context: Context, event: Event) -> list[str]:
    """Return what keeps commits from being linked; when a turn starts, repair first what concerns no other program.

    This comes before the turn's snapshot, so a repaired hook does not count as the agent's change.
    """
    if event.type not in (EventType.SESSION_START, EventType.TURN_START):
        return []
    from entire.githooks import watch

    try:
        return watch.check(context.place, repair=event.type is EventType.TURN_START)
    except (EntireError, OSError) as error:
        context.log.error(f"the git hooks could not be checked: {error}")
        return []


def _handler(action: Action) -> Any:
    module, _, name = HANDLERS[action].partition(":")
    return getattr(__import__(module, fromlist=[name]), name)


def _wait_for_transcript(context: Context, event: Event) -> Event:
    """Let an agent finish writing its transcript or say where it is, and a plugin answer what its event will ask;
    return the event. This may take seconds, so it happens before the lock is taken.
    """
    is_end = event.type in (EventType.TURN_END, EventType.COMPACTION)
    if is_end or not event.session_ref or context.agents.starts_plugins:
        from entire.turns import waiting

        return waiting.wait(context, event)
    return event


def _facts(context: Context, session: Session, event: Event) -> Facts:
    is_same = bool(event.turn_ref) and session.turn is not None and session.turn.ref == event.turn_ref
    return Facts(
        same_turn=is_same,
        ended_before=bool(event.turn_ref) and not is_same and event.turn_ref == session.ended_ref,
        compacting=event.is_compaction,
        is_late=session.turn is not None and 0 < event.timestamp < session.turn.started,
        shrank=event.type in _REREADING and _is_rewritten(context, session),
        commits_turns=event.type in _COMMITTING and strategies.commits_turns(context.settings),
    )


def _is_rewritten(context: Context, session: Session) -> bool:
    """Tell whether the transcript no longer holds what is stored or counted of it."""
    from entire.store import transcripts as stored

    return stored.was_rewritten(session) or not context.transcripts.of(session).holds(session.covered.position)


# ---------------------------------------------------------------- the session


def _session_of(context: Context, event: Event) -> Session:
    """Return the event's session, created if it is unknown, updated with what the event says about it."""
    session = context.open_session(event.session_id, event.agent)
    session.worktree = replace(session.worktree, path=session.worktree.path or context.place.top)
    if session.worktree.path == context.place.top:
        session.worktree = replace(session.worktree, name=context.place.worktree_name)
    if event.type is not EventType.SESSION_START or not session.session_ref:
        from entire.lifecycle import transcript_path

        transcript_path.accept(context, session, event)
    session.model = event.model or session.model
    session.note(event.metadata)
    _note_previous(context, session, event)
    return session


def _note_previous(context: Context, session: Session, event: Event) -> None:
    """Note which session this one continues, and whether it was cleared so that another one may continue it."""
    previous = event.previous_session_id
    if event.is_clearing:
        from entire.lifecycle import cleared_sessions

        if event.type is EventType.SESSION_END:
            cleared_sessions.note_end(session, event)
        elif event.type is EventType.SESSION_START:
            previous = previous or cleared_sessions.take_previous(context, session, event)
    if previous:
        session.note({PREVIOUS: previous})


def _note_queued(context: Context, session: Session, event: Event) -> None:
    """Note a prompt that was typed while the agent was busy; the same one may be delivered twice."""
    from entire.turns import prompt_text

    prompt = prompt_text.of_event(event, context.redactor)
    if session.turn is not None and prompt not in ("", session.turn.prompt, *session.queued):
        session.queued = [*session.queued, prompt][-_MAX_QUEUED:]


def _open(context: Context, session: Session, _event: Event) -> None:
    session.worktree = replace(session.worktree, path=context.place.top, name=context.place.worktree_name)
    session.times = replace(session.times, ended=0.0)
    session.note({CLEARED: None})


def _close(context: Context, session: Session, _event: Event) -> None:
    for name in [name for name, task in session.tasks.items() if task.turn and not task.done]:
        from entire.turns import subagents  # they end with their session, and no event says so

        subagents.end(context, session, Event(type=EventType.SUBAGENT_END, session_id=session.session_id,
                                              tool_use_id=name))  # fmt: skip
    session.times = replace(session.times, ended=context.now())
    session.background = []


def _answer(context: Context, session: Session, message: str) -> bytes:
    """Return a message for the user in the agent's own form; empty if there is none or the agent cannot show it."""
    if not message:
        return b""
    from entire.agents import capabilities
    from entire.model import controls

    agent = context.adapters.of(session)
    responder = capabilities.hook_responder(agent) if agent is not None else None
    if responder is None:
        return b""
    return responder.write_hook_response(controls.plain(message))  # the agent shows it on a terminal


def _message(context: Context, session: Session, event: Event, hook_problems: list[str]) -> str:
    """Return what the user should be told at an event, '' for nothing."""
    if event.type is EventType.SESSION_START and not event.is_compaction and not event.response_message:
        return "\n".join(_news(context, session, hook_problems))
    return event.response_message


def _news(context: Context, session: Session, hook_problems: list[str]) -> Iterator[str]:
    """Return what the user should know when a session starts, a line each."""
    others = len(context.running(excluding=session.session_id))
    if others:
        running = "1 other session is" if others == 1 else f"{others} other sessions are"
        yield f"entire: {running} running in this worktree; a commit is linked to the sessions that wrote it"
    if hook_problems:
        more = f" (and {len(hook_problems) - 1} more)" if len(hook_problems) > 1 else ""
        yield f"entire: commits may not be linked: {hook_problems[0]}{more}; `entire status` says what to do"
