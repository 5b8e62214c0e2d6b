"""The session's state machine: one pure function.

``docs/reference/phases.md`` is generated from it; linking.md section 7 specifies it.
"""

from __future__ import annotations

from entire.model.choice import Choice
from entire.model.events import EventType
from entire.model.value import Value


class Phase(Choice):
    """The state of a session: ACTIVE_COMMITTED is a turn in which a commit was linked."""

    ACTIVE = "active"
    ACTIVE_COMMITTED = "active_committed"
    IDLE = "idle"
    ENDED = "ended"


class Action(Choice):
    """What the lifecycle does about an event, invisible to agents. ``lifecycle`` runs each one."""

    OPEN_SESSION = "record the session's worktree, and reopen an ended session"
    CLOSE_LOST_TURN = "save a turn whose end was never reported"
    BEGIN_TURN = "take a snapshot of the worktree and note the transcript's end before the turn"
    SAVE_STEP = "save what the turn did as a step"
    COMMIT_WORK = "commit what the turn or subagent changed"
    FINALIZE_CHECKPOINTS = "complete the checkpoints written during the turn"
    RESET_POSITION = "restart at the beginning of a transcript that got shorter"
    START_TASK = "record that a subagent started"
    SAVE_TASK_STEP = "save what a subagent did as a step"
    KEEP_NOTE = "record a running subagent's note in its task"
    CLOSE_SESSION = "record that the session ended"
    PREPARE_COMMIT = "attribute the commit's content, and add trailers to its message"
    COMPLETE_COMMIT = "write the checkpoint of a linked commit, or record why it was not linked"
    PUSH_CHECKPOINTS = "push the checkpoints branch, if the user chose so"

    @property
    def holds_lock(self) -> bool:
        """Tell whether the lock is held meanwhile; not where it waits for the network, or for the user's hooks."""
        return self is not Action.PUSH_CHECKPOINTS and self is not Action.COMMIT_WORK


class Facts(Value):
    """What a transition depends on besides phase and event."""

    same_turn: bool = False  # the hook was delivered twice: this turn has already started
    ended_before: bool = False  # the hook was delivered twice, or late: another turn has started since this one ended
    compacting: bool = False  # a session start that only reports a compaction
    is_late: bool = False  # a session start whose hook ran beside that of the first prompt, and ended later
    shrank: bool = False  # the transcript is shorter than before
    commits_turns: bool = False  # the strategy commits what a turn or subagent changed


RUNNING = (Phase.ACTIVE, Phase.ACTIVE_COMMITTED)


def transition(phase: Phase, event: EventType, facts: Facts) -> tuple[Phase, tuple[Action, ...]]:
    """Return the phase after an agent's event and the actions, in order. Has no side effects."""
    match event:
        case EventType.SESSION_START:
            if facts.compacting or facts.is_late:
                return phase, ()
            return Phase.IDLE, (*_close_lost_turn(phase), Action.OPEN_SESSION)
        case EventType.TURN_START:
            if phase in RUNNING and facts.same_turn:
                return phase, ()
            return Phase.ACTIVE, (*_close_lost_turn(phase), Action.OPEN_SESSION, Action.BEGIN_TURN)
        case EventType.TURN_END:
            if phase in RUNNING and facts.ended_before:
                return phase, ()
            after = Phase.ENDED if phase is Phase.ENDED else Phase.IDLE
            ending = (Action.COMMIT_WORK, Action.FINALIZE_CHECKPOINTS) if facts.commits_turns else _finalize(phase)
            return after, (*_reset(facts), Action.SAVE_STEP, *ending)
        case EventType.SUBAGENT_END if facts.commits_turns:
            return phase, (Action.SAVE_TASK_STEP, Action.COMMIT_WORK)
        case EventType.COMPACTION:
            saved = (Action.SAVE_STEP,) if phase in RUNNING else ()
            return phase, (*saved, *_reset(facts))
        case EventType.SESSION_END:
            return Phase.ENDED, (*_close_lost_turn(phase), Action.CLOSE_SESSION)
        case _:
            return phase, _SAME_IN_ALL_PHASES[event]


_SAME_IN_ALL_PHASES: dict[EventType, tuple[Action, ...]] = {
    EventType.SUBAGENT_START: (Action.START_TASK,),
    EventType.SUBAGENT_END: (Action.SAVE_TASK_STEP,),
    EventType.SUBAGENT_NOTE: (Action.KEEP_NOTE,),
    EventType.TOOL_END: (),  # as at every event, the commits that HEAD gained are looked at
}

OF_GIT: dict[EventType, tuple[Action, ...]] = {
    EventType.PREPARE_COMMIT: (Action.PREPARE_COMMIT,),
    EventType.GIT_COMMIT: (Action.COMPLETE_COMMIT,),
    EventType.PRE_PUSH: (Action.PUSH_CHECKPOINTS,),
}
"""The actions of git's events, which concern the worktree and no session."""


def after_commit(phase: Phase) -> Phase:
    """Return the phase of a session after a commit that contains content of it, or that its agent made."""
    return Phase.ACTIVE_COMMITTED if phase in RUNNING else phase


def _close_lost_turn(phase: Phase) -> tuple[Action, ...]:
    return (Action.CLOSE_LOST_TURN, *_finalize(phase)) if phase in RUNNING else ()


def _finalize(phase: Phase) -> tuple[Action, ...]:
    return (Action.FINALIZE_CHECKPOINTS,) if phase is Phase.ACTIVE_COMMITTED else ()


def _reset(facts: Facts) -> tuple[Action, ...]:
    return (Action.RESET_POSITION,) if facts.shrank else ()
