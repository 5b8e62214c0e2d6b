"""What is stored answers for an agent that must not be started, or is not installed."""

from __future__ import annotations

from pathlib import Path

from entire import layout
from entire.agents.opaque import OpaqueTranscript
from entire.model.positions import START, Position, SessionRef
from entire.model.session import Connection, Session, SubagentTask, Turn
from entire.model.tokens import UNKNOWN, TokenUsage
from entire.model.transcripts import FileLines
from entire.model.value import replace
from entire.recording.stored_agent import StoredAgent, StoredTranscript, recorded_end
from entire.redact import Redactor
from entire.store import transcripts
from entire.store.turnlog import TurnNote
from tests.unit.git.repo import Repo

END = Position(count=9)


def note(turn: str, position: int, end: int, tokens: int | None = None) -> TurnNote:
    told: dict[str, object] = {} if tokens is None else {"output_tokens": tokens}
    return TurnNote(turn=turn, prompt=turn, position=position, start=position, end=end, ended=float(end), tokens=told)


def told_of(end: Position, notes: list[TurnNote]) -> StoredTranscript:
    return StoredTranscript(OpaqueTranscript("", b""), end, notes)


def test_a_turn_with_several_prompts_counts_once() -> None:
    told = told_of(END, [note("one", 0, 4, 3), note("two", 4, 9, 10), note("two", 6, 9)])
    assert told.tokens(START) == TokenUsage(output_tokens=13)
    assert told.tokens(Position(count=4)) == TokenUsage(output_tokens=10)
    assert told.tokens(START, Position(count=4)) == TokenUsage(output_tokens=3)


def test_tokens_of_what_nothing_is_recorded_of_are_unknown() -> None:
    assert told_of(END, []).tokens(START) == UNKNOWN
    assert told_of(END, [note("one", 0, 4, 3)]).tokens(START) == UNKNOWN, "of another turn"
    assert told_of(END, [note("one", 0, 9)]).tokens(START) == UNKNOWN
    partly = told_of(END, [note("one", 0, 4), note("two", 4, 9, 10)]).tokens(START)
    assert (partly.output_tokens, partly.at_least) == (10, ("output_tokens",))


def test_a_turn_that_used_nothing_is_known() -> None:
    assert told_of(END, [note("one", 0, 9, 0)]).tokens(START) == TokenUsage()


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
    agent, session = plugin(tmp_path)
    Path(session.session_ref).write_bytes(b"{}\n{}\n")
    transcripts.store(
        session, FileLines(path=session.session_ref, lines=2, size=6), "s-1", lambda data, _: data, Redactor()
    )
    with Path(session.session_ref).open("ab") as file:
        file.write(b'{"more": 1}\n')
    held = agent.transcript(session.session_ref).file_lines(END)
    assert held is not None
    assert held.size == 18
    Path(session.session_ref).write_bytes(b'[]\n[]\n{"more": 1}\n')
    assert agent.transcript(session.session_ref).file_lines(END) is None, "its plugin counts it again"


def test_a_subagent_counts_once_its_turn_has_ended(tmp_path: Path) -> None:
    agent, session = plugin(tmp_path)
    task = session.tasks["call"] = SubagentTask(ref="sub")
    task.done, task.end, task.tokens = 3.0, [4, 0, ""], {"output_tokens": 7}
    session.turn = Turn(id="t", started=5.0)
    assert agent.transcript("sub").tokens(START) == TokenUsage(output_tokens=7), "of an earlier turn"
    session.turn = Turn(id="t", started=2.0)
    assert agent.transcript("sub").end() == START, "its agent can be asked again"
    session.turn = Turn(id="t", started=2.0, ended=6.0)
    assert agent.transcript("sub").tokens(START) == TokenUsage(output_tokens=7)


def plugin(folder: Path) -> tuple[StoredAgent, Session]:
    place = layout.find(Repo(folder / "repo").top)
    assert place is not None
    session = Session("s-1", "x", "Agent x")
    session.session_ref = SessionRef(folder / "s-1.jsonl")
    session.connection = Connection(is_external=True)
    return StoredAgent(place, session), session


def test_what_a_plugin_tells_is_not_what_is_in_its_file(tmp_path: Path) -> None:
    agent, session = plugin(tmp_path)
    Path(session.session_ref).write_bytes(b"ABC")
    session.turn = Turn(id="t", finish=Position(count=2, byte=9), ended=1.0)
    told = agent.transcript(session.session_ref)
    assert (told.snapshot(), told.end()) == (b"", Position(count=2, byte=9))
    session.turn = Turn(id="t", finish=Position(byte=9), ended=1.0)
    told = agent.transcript(session.session_ref)
    assert (told.end(), told.holds(Position(byte=9))) == (Position(byte=9), True)


def test_the_file_of_an_agent_that_is_not_installed_is_read_as_it_is(tmp_path: Path) -> None:
    agent, session = plugin(tmp_path)
    session.connection = Connection()
    assert agent.transcript(session.session_ref).end() == START
    data = b"a line\n" * 1000
    Path(session.session_ref).write_bytes(data)
    told = agent.transcript(session.session_ref)
    assert (told.snapshot(), told.end(), told.file_lines(END)) == (data, Position(byte=7000), None), "nothing read it"
    session.turn = Turn(id="t", finish=END, ended=1.0)
    told = agent.transcript(session.session_ref)
    assert (told.end(), told.holds(END), told.at(4)) == (END, True, Position(count=4)), "its adapter's own positions"
    parts = agent.chunk_transcript(data, 5000)
    assert len(parts) > 1
    assert agent.reassemble_transcript(parts) == data
    assert agent.transcript("/no/such/file").snapshot() == b""
    assert (agent.name, agent.type, agent.detect(str(tmp_path)), agent.parse_hook("stop", b"{}")) == (
        "x", "Agent x", False, None,
    )  # fmt: skip
