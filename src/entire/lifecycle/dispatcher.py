"""Event -> transition -> actions: the one place where everything that is done about an event is done.

The handlers are imported where they are called: a hook loads only what its event needs.
"""

from __future__ import annotations

import os

from entire import process
from entire.agents import powers
from entire.model.events import EventType
from entire.model.phases import Action, Facts, Phase, transition
from entire.store import sessions
from entire.store import transcripts as stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import assert_never

    from entire.agents.contract import Agent
    from entire.lifecycle.context import Context
    from entire.model.events import Event, Increment
    from entire.model.session import Session


_CLEARED = "cleared_in_turn"


def dispatch(context: Context, agent: Agent, event: Event) -> bytes:
    """Do what follows from an agent's event; return what the hook prints for the agent (mostly nothing)."""
    from entire.lifecycle.context import agent_process
    from entire.lifecycle.turns import turn

    if event.type in (EventType.TURN_END, EventType.COMPACTION):
        turn.wait(agent, context.session(event.session_id), event)
    with context.lock():
        _complete_pending(context)
        session = context.open_session(event.session_id, agent)
        _take_over(context, session, event)
        _import_go_sessions(context, event.session_id)
        if session.is_running and not session.process.pid:  # its turn began under the Go CLI
            session.process = agent_process()
        _tidy(context, event.session_id)
        agent.metadata = session.metadata
        facts = Facts(
            same_turn=bool(event.turn_ref) and session.turn is not None and session.turn.ref == event.turn_ref,
            compacting=event.type is EventType.SESSION_START and event.source == "compact",
            shrank=stored.was_rewritten(session) or stored.size(session.transcript_path) < session.stored.byte,
        )
        before = session.phase
        after, actions = transition(before, event.type, facts)
        for action in actions:
            _act(action, context, agent, session, event)
        session.phase = after
        session.last_seen = context.now()
        context.save(session)
    context.log.info(
        "event", session_id=event.session_id, event=event.type.name, before=before.value, after=after.value
    )
    return _answer(context, agent, event)


def _complete_pending(context: Context) -> None:
    """Complete a commit whose post-commit hook never ran."""
    if os.path.exists(context.place.pending_file):
        from entire.lifecycle.commits import complete as commit

        commit.complete_pending(context)


def _take_over(context: Context, session: Session, event: Event) -> None:
    """Keep what the event says about the session itself."""
    from entire.lifecycle.turns import turn

    session.worktree_path = session.worktree_path or context.place.top
    session.worktree_name = (
        context.place.worktree_name if session.worktree_path == context.place.top else session.worktree_name
    )
    if event.type is not EventType.SESSION_START or not session.transcript_path:
        turn.accept_path(session, event)
    session.model = event.model or session.model
    session.metadata = {**session.metadata, **event.metadata}
    previous = event.previous_session_id or _cleared(context, session, event)
    if previous:
        session.metadata["previous_session_id"] = previous


def _cleared(context: Context, session: Session, event: Event) -> str:
    """Return the session that an agent cleared for this one: its end and this start name the same turn."""
    if event.source != "clear" or not event.turn_ref:
        return ""
    if event.type is EventType.SESSION_END:
        session.metadata[_CLEARED] = event.turn_ref
        return ""
    others = sessions.recent(context.place, 10) if event.type is EventType.SESSION_START else []
    return next((one.session_id for one in others if one.metadata.get(_CLEARED) == event.turn_ref), "")


def _import_go_sessions(context: Context, present: str = "") -> None:
    """Take over sessions that the Go CLI wrote last; ours, nearly always, are known already."""
    if any(session.foreign for session in context.relevant_sessions()):
        from entire.lifecycle.go_takeover import sessions as adopt

        adopt.import_go_sessions(context, present)


def _act(action: Action, context: Context, agent: Agent, session: Session, event: Event) -> None:
    from entire.lifecycle.turns import turn

    match action:
        case Action.OPEN_SESSION:
            session.worktree_path, session.worktree_name = context.place.top, context.place.worktree_name
            session.ended = 0.0
        case Action.CLOSE_LOST_TURN:
            turn.close_lost(context, agent, session)
        case Action.BEGIN_TURN:
            turn.begin(context, agent, session, event)
        case Action.SAVE_STEP:
            session.background = list(event.background)
            turn.end(context, agent, session, event)
        case Action.FINALIZE_CHECKPOINTS:
            from entire.lifecycle.commits import finalize

            finalize.finalize_turn(context, session)
        case Action.RESET_POSITION:
            turn.reset(session)
        case Action.CAPTURE_TASK:
            from entire.lifecycle.turns import subagents

            subagents.start(context, session, event)
        case Action.SAVE_TASK_STEP:
            from entire.lifecycle.turns import subagents

            subagents.end(context, agent, session, event)
        case Action.CLOSE_SESSION:
            session.ended = context.now()
            session.background = []
        case Action.CONDENSE | Action.RECORD_REASON | Action.PUSH_CHECKPOINTS:
            pass  # what follows from git's events concerns several sessions: commit.finish, push
        case _:
            assert_never(action)


def _tidy(context: Context, but: str) -> None:
    """Finish what other sessions of the work tree left behind: turns whose agent is gone, checkpoints never
    finalised.
    """
    for session in context.relevant_sessions():
        if session.session_id == but:
            continue
        gone = (
            session.is_running
            and session.process.pid
            and not process.is_running(session.process.pid, session.process.started)
        )
        agent = context.agent_of(session) if gone or (session.turn_checkpoints and not session.is_running) else None
        if agent is None:
            continue
        from entire.lifecycle.turns import turn

        if gone:
            turn.close_lost(context, agent, session)
        from entire.lifecycle.commits import finalize

        finalize.finalize_turn(context, session)
        session.phase = Phase.IDLE if gone else session.phase
        context.save(session)


def _answer(context: Context, agent: Agent, event: Event) -> bytes:
    """Return what to tell the user through the agent, in its own form, if it can show a message: mostly nothing."""
    responder = powers.hook_responder(agent)
    if responder is None:
        return b""
    message = event.response_message
    if event.type is EventType.SESSION_START and event.source != "compact" and not message:
        others = len(context.running(but=event.session_id))
        message = (
            f"entire: {others} more at work in this work tree; each commit is linked to whose work it holds"
            if others
            else ""
        )
    return responder.write_hook_response(message) if message else b""


def take_note(context: Context, increment: Increment) -> None:
    """Keep a note from inside a running subagent."""
    from entire.lifecycle.turns import subagents

    with context.lock():
        session = context.session(increment.session_id)
        if session is not None:
            subagents.note(context, session, increment)
            context.save(session)


def prepare_commit(context: Context, message_file: str, source: str, caller: str, terminal: str) -> None:
    """Before a commit: decide and write the trailers. ``caller``: session id in git's environment."""
    from entire.lifecycle.commits import prepare

    with context.lock():
        _import_go_sessions(context)
        prepare.prepare(context, message_file, source, _maker(context, caller, terminal))


def _maker(context: Context, caller: str, terminal: str) -> str:
    """Return the session whose agent runs git inside a turn, '' for a person.

    ``terminal`` is ENTIRE_TEST_TTY: "1" a person's commit, "0" one by the agent of the active session (cli-compat).
    """
    running = context.running()
    if terminal == "1" or not running:
        return ""
    if caller:
        return next((session.session_id for session in running if session.session_id == caller), "")
    if terminal == "0":
        return max(running, key=lambda session: session.last_seen).session_id
    above = {(program.pid, program.started) for program in process.ancestors(os.getppid())}
    return next((one.session_id for one in running if (one.process.pid, one.process.started) in above), "")


def dispatch_git(context: Context, event: Event) -> None:
    """Do what follows from an event of git: it may concern several sessions."""
    match event.type:
        case EventType.GIT_COMMIT:
            from entire.lifecycle.commits import complete as commit

            with context.lock():
                commit.finish(context)
        case EventType.PRE_PUSH:
            from entire.lifecycle import push

            push.push(context, event.source)
        case _:
            raise ValueError(f"not an event of git: {event.type}")


def complete(context: Context) -> list[str]:
    """Finish what earlier hooks and commands left behind; commands that change something call it first.

    Returns sentences about changes of files that had been interrupted.
    """
    from entire.undo import transaction

    with context.lock():
        told = transaction.complete(context.place)
        _complete_pending(context)
        _tidy(context, "")
    return told
