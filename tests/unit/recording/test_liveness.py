"""Whether a session's agent runs: its process decides, and where that is unknown, how long it was silent."""

from __future__ import annotations

import os

import pytest

from entire import process
from entire.model.phases import Phase
from entire.model.session import Process, Session
from entire.model.value import replace
from entire.recording import liveness

NOW = 10_000_000.0
DAY = 86_400.0
GONE = Process(pid=1 << 22, started="never")
UNKNOWN = Process()


def this_process() -> Process:
    found = process.look(os.getpid())
    assert found is not None
    return Process(pid=found.pid, started=found.started)


def session(agent: Process, phase: Phase = Phase.ACTIVE, *, silent: float = 1.0, background: bool = False) -> Session:
    made = Session("s")
    made.process = agent
    made.phase = phase
    made.times = replace(made.times, last_seen=NOW - silent)
    made.background = ["a subagent"] if background else []
    return made


@pytest.mark.parametrize("silence", [liveness.NEVER, liveness.KEPT_SECONDS, liveness.AN_HOUR, liveness.AT_ONCE])
def test_a_known_process_decides_however_long_the_session_was_silent(silence: float) -> None:
    alive, gone = session(this_process(), silent=1000 * DAY), session(GONE, silent=0.0)
    assert liveness.is_running(alive) is True
    assert liveness.is_running(gone) is False
    assert liveness.is_alive(alive, NOW, silence=silence)
    assert not liveness.is_alive(gone, NOW, silence=silence)
    assert liveness.has_lost_turn(gone, NOW, silence=silence)
    assert not liveness.has_lost_turn(alive, NOW, silence=silence)


def test_a_later_process_with_the_same_number_is_another_one() -> None:
    again = session(Process(pid=os.getpid(), started="long ago"))
    assert liveness.is_running(again) is False


@pytest.mark.parametrize(
    ("silence", "alive_after"),
    [
        (liveness.NEVER, (1.0, 3500.0, 3700.0, 13 * DAY, 15 * DAY, 1000 * DAY)),
        (liveness.KEPT_SECONDS, (1.0, 3500.0, 3700.0, 13 * DAY)),
        (liveness.AN_HOUR, (1.0, 3500.0)),
        (liveness.AT_ONCE, ()),
    ],
)
def test_an_unknown_process_counts_as_gone_after_a_silence(silence: float, alive_after: tuple[float, ...]) -> None:
    moments = (1.0, 3500.0, 3700.0, 13 * DAY, 15 * DAY, 1000 * DAY)
    sessions = {moment: session(UNKNOWN, silent=moment) for moment in moments}
    assert all(liveness.is_running(silent) is None for silent in sessions.values())
    assert (
        tuple(at for at, silent in sessions.items() if liveness.is_alive(silent, NOW, silence=silence)) == alive_after
    )
    lost = tuple(at for at, silent in sessions.items() if liveness.has_lost_turn(silent, NOW, silence=silence))
    assert lost == tuple(at for at in moments if at not in alive_after)


def test_only_a_turn_or_a_subagent_is_work() -> None:
    agent = this_process()
    silence = liveness.AN_HOUR
    assert liveness.is_at_work(session(agent), NOW, silence=silence)
    assert liveness.is_at_work(session(agent, Phase.IDLE, background=True), NOW, silence=silence)
    assert not liveness.is_at_work(session(agent, Phase.IDLE), NOW, silence=silence)
    assert not liveness.is_at_work(session(GONE, Phase.IDLE, background=True), NOW, silence=silence)
    assert not liveness.is_alive(session(UNKNOWN, Phase.IDLE), NOW, silence=liveness.NEVER)  # nothing says that it runs
    assert not liveness.has_lost_turn(session(GONE, Phase.IDLE, background=True), NOW, silence=silence)


def test_who_has_a_conversation_open() -> None:
    me = session(this_process(), Phase.IDLE)
    name = os.path.basename(process.ancestors(os.getpid())[0].argv[0])
    assert liveness.holding_process(me, f"{name} --resume x") == os.getpid()
    assert liveness.holding_process(me, "claude --resume x") == 0, "a script that runs hooks and commands itself"
    assert liveness.holding_process(session(GONE, Phase.IDLE), "claude") == 0
    assert liveness.holding_process(session(UNKNOWN, Phase.IDLE), "claude") == 0
    me.times = replace(me.times, ended=NOW)
    assert liveness.holding_process(me, name) == 0, "the agent has closed it"
