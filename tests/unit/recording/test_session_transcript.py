"""A session's transcript through an agent's capabilities, and without them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from entire.agents.composed import ComposedLines
from entire.agents.opaque import OpaqueTranscript
from entire.git.read import Objects
from entire.layout import Place
from entire.model.positions import START, Position, SessionRef
from entire.model.session import Session
from entire.model.tokens import UNKNOWN
from entire.model.value import replace
from entire.recording import session_transcript
from entire.recording.session_transcript import SessionTranscript
from entire.redact import Redactor
from tests.bare_agent import Bare, with_capabilities

RECORDS = [
    {"prompt": "one"},
    {"file": "a.txt"},
    {"answer": "x", "tokens": 3},
    {"file": "/outside"},
    {"answer": "y", "tokens": 4},
]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    made = Session("s")
    made.worktree = replace(made.worktree, path=str(tmp_path))
    made.session_ref = SessionRef(str(tmp_path / "s.jsonl"))
    Path(made.session_ref).write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    return made


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return Objects(str(tmp_path))  # nothing is read: no transcript is gone


def reader_of(session: Session, *names: str) -> SessionTranscript:
    return SessionTranscript(with_capabilities(*names)(), session, session.worktree.path, Redactor())


def test_without_capabilities(session: Session, objects: Objects) -> None:
    reader = reader_of(session)
    end = reader.end()
    assert (end.count, end.byte) == (0, os.path.getsize(session.session_ref))
    assert (reader.prompts(START, end), reader.files(START, end), reader.summary(START)) == ([], [], "")
    assert reader.tokens(START, end) == UNKNOWN
    assert not reader.has_answers(START, end)
    assert reader.subagents(START, end) == []
    assert reader.subagent_tokens(START, end, {"x": [1, 2, ""]}, objects) == (None, {"x": [1, 2, ""]})
    assert reader.boundary(START, 0.0) == end
    assert reader.native.file_lines(end) is None


class Rows(ComposedLines):
    def compose(self) -> tuple[bytes, int]:
        return b'{"a": 1}\n{"b": 2}\n', 9


class Sized(Bare):
    """Keeps conversations in a database."""

    size = 1

    def transcript(self, session_ref: str, stored: bytes | None = None) -> Any:
        found = Rows(session_ref, stored)
        found.size = lambda: self.size  # type: ignore[method-assign]
        return found


@pytest.mark.parametrize(("size", "problem"), [(1, None), (200 << 20, "not read: it has more than 128 MB")])
def test_rows_are_limited_like_files(
    session: Session, monkeypatch: pytest.MonkeyPatch, size: int, problem: str | None
) -> None:
    session.session_ref = SessionRef.of_rows("/home/ada/agent.db", "s-1")
    monkeypatch.setattr(Sized, "size", size)
    reader = SessionTranscript(Sized(), session, session.worktree.path, Redactor())
    assert (reader.problem, reader.size()) == (problem, size)
    assert reader.end().count == (2 if problem is None else 0)


def test_an_answer_that_is_too_large_is_not_stored(
    session: Session, objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only once it is there, its size is known; what was stored of it counts."""
    monkeypatch.setattr(session_transcript, "_MAX_WHOLE", 20)
    monkeypatch.setattr(Bare, "transcript", lambda *_: OpaqueTranscript("", b"x" * 21))
    session.session_ref = SessionRef("s-1")
    reader = reader_of(session)
    place = Place(top=session.worktree.path, git_dir=session.worktree.path, common_dir=session.worktree.path)
    found, _ = reader.as_stored(place, objects, reader.end(), lambda: None)
    assert (found.parts, reader.problem) == ((), "not stored: it has more than 128 MB")


def test_a_file_of_lines_is_counted_from_its_last_known_position(session: Session) -> None:
    end = reader_of(session, "line_transcript").end()
    assert (end.count, end.byte) == (5, os.path.getsize(session.session_ref))
    session.covered = replace(session.covered, position=end)
    with open(session.session_ref, "a") as file:
        file.write('{"answer": "z"}\n')
    assert reader_of(session, "line_transcript").end().count == 6
    Path(session.session_ref).write_text("{}\n")
    reader = reader_of(session, "line_transcript")
    assert reader.end() == Position(count=1, byte=3), "it became shorter: from its start"


def test_with_capabilities(session: Session) -> None:
    reader = reader_of(session, "transcript_analyzer", "token_calculator")
    end = reader.end()
    assert [prompt.text for prompt in reader.prompts(START, end)] == ["one"]
    assert reader.tokens(START, end).output_tokens == 7
    assert reader.tokens(Position(count=3), end).output_tokens == 4
    assert reader.summary(START) == "y"
    assert reader.files(START, end) == ["a.txt"], "paths outside are left out"


def test_paths_are_relative_to_the_top_whatever_links_lead_there(session: Session, tmp_path: Path) -> None:
    top = tmp_path / "real"
    (top / "dir").mkdir(parents=True)
    (tmp_path / "link").symlink_to(top)
    (top / "inner").symlink_to(top / "dir")
    session.worktree = replace(session.worktree, path=str(tmp_path / "link"))
    files = [str(tmp_path / "link/dir/a"), str(top / "dir/b"), "dir/../c", str(tmp_path / "x"), "../y", str(top), ""]
    Path(session.session_ref).write_text("".join(json.dumps({"file": file}) + "\n" for file in files))
    reader = SessionTranscript(with_capabilities("transcript_analyzer")(), session, str(tmp_path / "link"), Redactor())
    assert reader.files(START, reader.end()) == ["dir/a", "dir/b", "c"]


def test_subagents_are_counted_once(session: Session, objects: Objects, tmp_path: Path) -> None:
    helper = tmp_path / "helper.jsonl"
    helper.write_text('{"answer": "", "tokens": 100}\n{"file": "h.txt"}\n')
    with open(session.session_ref, "a") as file:
        file.write(json.dumps({"helper": "h1", "ref": str(helper)}) + "\n")
    reader = reader_of(session, "transcript_analyzer", "token_calculator", "subagent_extractor")
    end = reader.end()
    assert reader.files(START, end) == ["a.txt", "h.txt"]
    spent, counted = reader.subagent_tokens(START, end, {}, objects)
    assert spent is not None
    assert spent.output_tokens == 100
    assert reader.subagent_tokens(START, end, counted, objects)[0] is None
    with helper.open("a") as file:
        file.write('{"answer": "", "tokens": 5}\n')
    spent, _ = reader.subagent_tokens(START, end, counted, objects)
    assert spent is not None
    assert spent.output_tokens == 5


def test_without_a_transcript(session: Session) -> None:
    session.session_ref = SessionRef()
    reader = reader_of(session, "transcript_analyzer", "token_calculator", "subagent_extractor", "line_transcript")
    assert reader.end() == START
    assert (reader.prompts(START, START), reader.files(START, START), reader.summary(START)) == ([], [], "")


def test_each_question_is_asked_once(session: Session) -> None:
    asked: list[str] = []

    class Curious:
        """Passes every question on to the transcript, and notes it."""

        def __init__(self, native: Any) -> None:
            self.native = native

        def __getattr__(self, name: str) -> Any:
            asked.append(name)
            return getattr(self.native, name)

    agent = with_capabilities("transcript_analyzer", "token_calculator", "subagent_extractor", "line_transcript")()
    plain = agent.transcript
    agent.transcript = lambda *given: Curious(plain(*given))  # type: ignore[method-assign]
    reader = SessionTranscript(agent, session, session.worktree.path, Redactor())
    for _ in range(2):
        end = reader.end()
        reader.prompts(START, end)
        reader.files(START, end)
        reader.files_outside(START, end)
        reader.summary(START)
        reader.tokens(START, end)
        reader.subagents(START, end)
        reader.boundary(START, 1.0)
    questions = ("end", "prompts", "files", "summary", "tokens", "subagents", "answer_boundary")
    assert [asked.count(name) for name in questions] == [1] * len(questions)
