"""Every phase with every event and all facts: the transitions that are promised, and what must hold for all of them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.model.events import EventType
from entire.model.phases import OF_GIT, RUNNING, Action, Facts, Phase, after_commit, transition

FACTS = [
    Facts(**dict(zip(Facts._fields, values, strict=True)))
    for values in itertools.product((False, True), repeat=len(Facts._fields))
]
EVENTS = [event for event in EventType if event not in OF_GIT]
ALL = [(phase, event, facts) for phase in Phase for event in EVENTS for facts in FACTS]

ACTIVE, COMMITTED, IDLE, ENDED = Phase.ACTIVE, Phase.ACTIVE_COMMITTED, Phase.IDLE, Phase.ENDED
LOST, FINALIZE = Action.CLOSE_LOST_TURN, Action.FINALIZE_CHECKPOINTS

# Without special facts: phase and event -> phase after, and what to do.
PROMISED = {
    (IDLE, EventType.SESSION_START): (IDLE, [Action.OPEN_SESSION]),
    (ENDED, EventType.SESSION_START): (IDLE, [Action.OPEN_SESSION]),
    (ACTIVE, EventType.SESSION_START): (IDLE, [LOST, Action.OPEN_SESSION]),
    (COMMITTED, EventType.SESSION_START): (IDLE, [LOST, FINALIZE, Action.OPEN_SESSION]),
    (IDLE, EventType.TURN_START): (ACTIVE, [Action.OPEN_SESSION, Action.BEGIN_TURN]),
    (ENDED, EventType.TURN_START): (ACTIVE, [Action.OPEN_SESSION, Action.BEGIN_TURN]),
    (ACTIVE, EventType.TURN_START): (ACTIVE, [LOST, Action.OPEN_SESSION, Action.BEGIN_TURN]),
    (COMMITTED, EventType.TURN_START): (ACTIVE, [LOST, FINALIZE, Action.OPEN_SESSION, Action.BEGIN_TURN]),
    (ACTIVE, EventType.TURN_END): (IDLE, [Action.SAVE_STEP]),
    (COMMITTED, EventType.TURN_END): (IDLE, [Action.SAVE_STEP, FINALIZE]),
    (IDLE, EventType.TURN_END): (IDLE, [Action.SAVE_STEP]),
    (ENDED, EventType.TURN_END): (ENDED, [Action.SAVE_STEP]),
    (ACTIVE, EventType.COMPACTION): (ACTIVE, [Action.SAVE_STEP]),
    (COMMITTED, EventType.COMPACTION): (COMMITTED, [Action.SAVE_STEP]),
    (IDLE, EventType.COMPACTION): (IDLE, []),
    (ENDED, EventType.COMPACTION): (ENDED, []),
    (IDLE, EventType.SESSION_END): (ENDED, [Action.CLOSE_SESSION]),
    (ENDED, EventType.SESSION_END): (ENDED, [Action.CLOSE_SESSION]),
    (ACTIVE, EventType.SESSION_END): (ENDED, [LOST, Action.CLOSE_SESSION]),
    (COMMITTED, EventType.SESSION_END): (ENDED, [LOST, FINALIZE, Action.CLOSE_SESSION]),
}


@pytest.mark.parametrize(("phase", "event"), PROMISED)
def test_the_promised_transitions(phase: Phase, event: EventType) -> None:
    after, actions = transition(phase, event, Facts())
    assert (after, list(actions)) == PROMISED[phase, event]


@pytest.mark.parametrize("phase", list(Phase))
def test_only_a_linked_commit_within_a_turn_changes_the_phase(phase: Phase) -> None:
    assert after_commit(phase) == (COMMITTED if phase in RUNNING else phase)


def test_what_git_does_concerns_no_session() -> None:
    assert OF_GIT == {
        EventType.PREPARE_COMMIT: (Action.PREPARE_COMMIT,),
        EventType.GIT_COMMIT: (Action.COMPLETE_COMMIT,),
        EventType.PRE_PUSH: (Action.PUSH_CHECKPOINTS,),
    }
    assert set(OF_GIT) == {EventType.PREPARE_COMMIT, EventType.GIT_COMMIT, EventType.PRE_PUSH}


def test_only_what_waits_for_others_does_so_without_the_lock() -> None:
    waiting = [action for action in Action if not action.holds_lock]
    assert waiting == [Action.COMMIT_WORK, Action.PUSH_CHECKPOINTS]


@pytest.mark.parametrize("phase", list(Phase))
def test_subagents_change_no_phase(phase: Phase) -> None:
    assert transition(phase, EventType.SUBAGENT_START, Facts()) == (phase, (Action.START_TASK,))
    assert transition(phase, EventType.SUBAGENT_END, Facts()) == (phase, (Action.SAVE_TASK_STEP,))
    assert transition(phase, EventType.SUBAGENT_NOTE, Facts()) == (phase, (Action.KEEP_NOTE,))
    assert transition(phase, EventType.TOOL_END, Facts()) == (phase, ())


@pytest.mark.parametrize("phase", list(Phase))
def test_a_session_start_that_only_tells_of_compaction_changes_nothing(phase: Phase) -> None:
    assert transition(phase, EventType.SESSION_START, Facts(compacting=True)) == (phase, ())


@pytest.mark.parametrize("phase", list(Phase))
def test_a_session_start_whose_hook_ends_after_that_of_the_first_prompt_changes_nothing(phase: Phase) -> None:
    assert transition(phase, EventType.SESSION_START, Facts(is_late=True)) == (phase, ())


@pytest.mark.parametrize("phase", RUNNING)
def test_a_prompt_delivered_twice_begins_one_turn(phase: Phase) -> None:
    assert transition(phase, EventType.TURN_START, Facts(same_turn=True)) == (phase, ())


@pytest.mark.parametrize("phase", [IDLE, ENDED])
def test_outside_of_a_turn_a_prompt_begins_one_whatever_its_id(phase: Phase) -> None:
    assert transition(phase, EventType.TURN_START, Facts(same_turn=True))[0] is ACTIVE


def test_the_position_is_reset_only_where_the_transcript_shrank_and_never_before_what_was_there_is_saved() -> None:
    for phase, event, facts in ALL:
        _, actions = transition(phase, event, facts)
        resets = Action.RESET_POSITION in actions
        ignored = event is EventType.TURN_END and facts.ended_before and phase in RUNNING
        assert resets == (facts.shrank and event in (EventType.COMPACTION, EventType.TURN_END) and not ignored)
        if resets and event is EventType.COMPACTION and phase in RUNNING:
            assert actions == (Action.SAVE_STEP, Action.RESET_POSITION)
        if resets and event is EventType.TURN_END:  # shrank without a word: what is there now is what there is
            assert actions.index(Action.RESET_POSITION) < actions.index(Action.SAVE_STEP)


def test_checkpoints_are_finalised_exactly_where_the_phase_that_holds_them_is_left() -> None:
    for phase, event, facts in ALL:
        after, actions = transition(phase, event, facts)
        leaves = phase is COMMITTED and after is not COMMITTED
        # A turn's own commit holds the phase only until its end.
        ends = Action.COMMIT_WORK in actions and event is EventType.TURN_END
        assert (FINALIZE in actions) == (leaves or ends), (phase, event, facts)


def test_no_action_is_done_twice_and_what_a_turn_left_is_saved_before_it_is_finalised() -> None:
    for phase, event, facts in ALL:
        _, actions = transition(phase, event, facts)
        assert len(set(actions)) == len(actions)
        if FINALIZE in actions:
            saved = next(action for action in actions if action in (Action.SAVE_STEP, LOST))
            assert actions.index(saved) < actions.index(FINALIZE)
        if Action.BEGIN_TURN in actions:
            assert actions[-1] is Action.BEGIN_TURN


def test_every_action_follows_from_something() -> None:
    of_agents = {action for arguments in ALL for action in transition(*arguments)[1]}
    assert of_agents | {action for actions in OF_GIT.values() for action in actions} == set(Action)


@given(st.lists(st.tuples(st.sampled_from([*EVENTS, EventType.GIT_COMMIT]), st.sampled_from(FACTS)), max_size=40))
def test_any_row_of_events(events: list[tuple[EventType, Facts]]) -> None:
    """One turn at a time: each that began is saved or closed before the next, and none of its checkpoints is
    forgotten.
    """
    phase = IDLE
    running = unfinished = False
    for event, facts in events:
        if event is EventType.GIT_COMMIT:  # a linked one
            phase, actions = after_commit(phase), OF_GIT[event]
        else:
            phase, actions = transition(phase, event, facts)
        assert any(phase is known for known in Phase)
        for action in actions:
            if action is Action.BEGIN_TURN:
                assert not running, "the turn before was neither ended nor closed"
                assert not unfinished
                running = True
            elif action is LOST or (action is Action.SAVE_STEP and event is EventType.TURN_END):
                assert running or action is not LOST, "only a turn that began can be lost"
                running = False
            elif action is Action.COMPLETE_COMMIT:
                unfinished = unfinished or running
            elif action is FINALIZE:
                assert unfinished or Action.COMMIT_WORK in actions
                unfinished = False
        assert running == (phase in RUNNING)
        assert unfinished == (phase is COMMITTED)


def test_an_end_that_was_reported_before_ends_no_other_turn() -> None:
    again = Facts(ended_before=True)
    for phase in (ACTIVE, Phase.ACTIVE_COMMITTED):
        assert transition(phase, EventType.TURN_END, again) == (phase, ())
    assert transition(Phase.IDLE, EventType.TURN_END, again) == transition(Phase.IDLE, EventType.TURN_END, Facts())
