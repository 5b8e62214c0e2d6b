"""What a plugin's own hooks recorded answers for it while it must not be started."""

from __future__ import annotations

from pathlib import Path

from entire import layout
from entire.model.session import Session, SubagentTask, Turn
from entire.model.transcripts import START, UNKNOWN, FileLines, Position, TokenUsage
from entire.model.value import replace
from entire.recording.dormant import DormantAgent, RecordedTranscript, recorded_end
from entire.redact import Redactor
from entire.store import transcripts
from entire.store.turnlog import TurnNote
from tests.unit.git.repo import Repo

END = Position(count=9)


def note(turn: str, position: int, end: int, tokens: int | None = None) -> TurnNote:
    told: dict[str, object] = {} if tokens is None else {"output_tokens": tokens}
    return TurnNote(turn=turn, prompt=turn, position=position, start=position, end=end, ended=float(end), tokens=told)


def test_a_turn_with_several_prompts_counts_once() -> None:
    told = RecordedTranscript(END, [note("one", 0, 4, 3), note("two", 4, 9, 10), note("two", 6, 9)])
    assert told.tokens(START) == TokenUsage(output_tokens=13)
    assert told.tokens(Position(count=4)) == TokenUsage(output_tokens=10)
    assert told.tokens(START, Position(count=4)) == TokenUsage(output_tokens=3)


def test_tokens_of_what_nothing_is_recorded_of_are_unknown() -> None:
    assert RecordedTranscript(END, []).tokens(START) == UNKNOWN
    assert RecordedTranscript(END, [note("one", 0, 4, 3)]).tokens(START) == UNKNOWN, "of another turn"
    assert RecordedTranscript(END, [note("one", 0, 9)]).tokens(START) == UNKNOWN
    partly = RecordedTranscript(END, [note("one", 0, 4), note("two", 4, 9, 10)]).tokens(START)
    assert (partly.output_tokens, partly.at_least) == (10, ("output_tokens",))


def test_a_turn_that_used_nothing_is_known() -> None:
    assert RecordedTranscript(END, [note("one", 0, 9, 0)]).tokens(START) == TokenUsage()


def test_the_latest_position_is_where_the_running_turn_began() -> None:
    session = Session("s-1")
    session.covered = replace(session.covered, position=Position(count=2))
    session.turn = Turn(id="t", start=Position(count=5))
    assert recorded_end(session) == Position(count=5)
    session.turn = Turn(id="t", start=Position(count=5), finish=END, ended=1.0)
    assert recorded_end(session) == END
    session.covered = replace(session.covered, position=Position(count=12))
    assert recorded_end(session) == Position(count=12)
    session.turn = None
    assert recorded_end(session, [note("one", 0, 15)]) == Position(count=15), "a rewind leaves no turn"
    assert recorded_end(session, [note("one", 0, 9)]) == Position(count=12)


def test_a_file_of_lines_is_read_as_it_is_until_it_is_rewritten(tmp_path: Path) -> None:
    agent, session = dormant(tmp_path)
    Path(session.transcript_path).write_bytes(b"{}\n{}\n")
    transcripts.store(
        session, FileLines(path=session.transcript_path, lines=2, size=6), "s-1", lambda data, _: data, Redactor()
    )
    with Path(session.transcript_path).open("ab") as file:
        file.write(b'{"more": 1}\n')
    held = agent.transcript(session.transcript_path).file_lines(END)
    assert held is not None
    assert held.size == 18
    Path(session.transcript_path).write_bytes(b'[]\n[]\n{"more": 1}\n')
    assert agent.transcript(session.transcript_path).file_lines(END) is None, "its plugin counts it again"


def test_a_subagent_counts_once_its_turn_has_ended(tmp_path: Path) -> None:
    agent, session = dormant(tmp_path)
    task = session.tasks["call"] = SubagentTask(ref="sub")
    task.done, task.end, task.tokens = 3.0, [4, 0, ""], {"output_tokens": 7}
    session.turn = Turn(id="t", started=5.0)
    assert agent.transcript("sub").tokens(START) == TokenUsage(output_tokens=7), "of an earlier turn"
    session.turn = Turn(id="t", started=2.0)
    assert agent.transcript("sub").end() == START, "its agent can be asked again"
    session.turn = Turn(id="t", started=2.0, ended=6.0)
    assert agent.transcript("sub").tokens(START) == TokenUsage(output_tokens=7)


def dormant(folder: Path) -> tuple[DormantAgent, Session]:
    place = layout.find(Repo(folder / "repo").top)
    assert place is not None
    session = Session("s-1", "x", "Agent x")
    session.transcript_path = str(folder / "s-1.jsonl")
    return DormantAgent(place, session), session
