"""A session's transcript through an agent's capabilities, and without them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from entire.lifecycle.session_transcript import ScratchTranscript, SessionTranscript
from entire.model.session import Session
from entire.model.transcripts import START, Position, TokenUsage
from tests.integration.bare_agent import with_capabilities

RECORDS = [
    {"prompt": "one"},
    {"file": "a.txt"},
    {"answer": "x", "tokens": 3},
    {"file": "/outside"},
    {"answer": "y", "tokens": 4},
]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    one = Session("s")
    one.worktree_path = str(tmp_path)
    one.transcript_path = str(tmp_path / "s.jsonl")
    Path(one.transcript_path).write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    return one


def transcript(session: Session, *names: str) -> SessionTranscript:
    return SessionTranscript(with_capabilities(*names)(), session, session.worktree_path)


def test_without_capabilities(session: Session) -> None:
    one = transcript(session)
    end = one.end()
    assert (end.count, end.byte) == (0, os.path.getsize(session.transcript_path))
    assert (one.prompts(START, end), one.files(START, end), one.summary(START)) == ([], [], "")
    assert one.tokens(START, end) == TokenUsage()
    assert one.subagents(START, end) == []
    assert one.subagent_tokens(START, end, {"x": [1, 2, ""]}) == (None, {"x": [1, 2, ""]})
    assert one.boundary(START, 0.0) == end
    assert not one.grows_by_lines


def test_a_file_of_lines_is_counted_on_from_where_it_is_known(session: Session) -> None:
    one = transcript(session, "line_transcript")
    end = one.end()
    assert (end.count, end.byte) == (5, os.path.getsize(session.transcript_path))
    session.stored = Position(count=5, byte=end.byte)
    with open(session.transcript_path, "a") as file:
        file.write('{"answer": "z"}\n')
    assert one.end().count == 6
    Path(session.transcript_path).write_text("{}\n")
    assert one.end() == Position(count=1, byte=3), "it became shorter: from its start"


def test_with_capabilities(session: Session) -> None:
    one = transcript(session, "transcript_analyzer", "token_calculator")
    end = one.end()
    assert [prompt.text for prompt in one.prompts(START, end)] == ["one"]
    assert one.tokens(START, end).output_tokens == 7
    assert one.tokens(Position(count=3), end).output_tokens == 4
    assert one.summary(START) == "y"
    assert one.files(START, end) == ["a.txt"], "what lies outside is not the repository's"


def test_paths_are_told_from_the_top_whatever_links_lead_there(session: Session, tmp_path: Path) -> None:
    top = tmp_path / "real"
    (top / "dir").mkdir(parents=True)
    (tmp_path / "link").symlink_to(top)
    (top / "inner").symlink_to(top / "dir")
    session.worktree_path = str(tmp_path / "link")
    files = [str(tmp_path / "link/dir/a"), str(top / "dir/b"), "dir/../c", str(tmp_path / "x"), "../y", str(top), ""]
    Path(session.transcript_path).write_text("".join(json.dumps({"file": file}) + "\n" for file in files))
    one = SessionTranscript(with_capabilities("transcript_analyzer")(), session, str(tmp_path / "link"))
    assert one.files(START, one.end()) == ["dir/a", "dir/b", "c"]


def test_subagents_are_counted_once(session: Session, tmp_path: Path) -> None:
    helper = tmp_path / "helper.jsonl"
    helper.write_text('{"answer": "", "tokens": 100}\n{"file": "h.txt"}\n')
    with open(session.transcript_path, "a") as file:
        file.write(json.dumps({"helper": "h1", "ref": str(helper)}) + "\n")
    one = transcript(session, "transcript_analyzer", "token_calculator", "subagent_extractor")
    end = one.end()
    assert one.files(START, end) == ["a.txt", "h.txt"]
    spent, counted = one.subagent_tokens(START, end, {})
    assert spent is not None
    assert spent.output_tokens == 100
    assert one.subagent_tokens(START, end, counted)[0] is None
    with helper.open("a") as file:
        file.write('{"answer": "", "tokens": 5}\n')
    spent, _ = one.subagent_tokens(START, end, counted)
    assert spent is not None
    assert spent.output_tokens == 5


def test_without_a_transcript(session: Session) -> None:
    session.transcript_path = ""
    one = transcript(session, "transcript_analyzer", "token_calculator", "subagent_extractor", "line_transcript")
    assert one.end() == START
    assert (one.prompts(START, START), one.files(START, START), one.summary(START)) == ([], [], "")


def test_bytes_that_are_in_no_place_yet_are_read_from_a_file_that_goes_again(tmp_path: Path) -> None:
    agent = with_capabilities("line_transcript", "transcript_analyzer")()
    data = "".join(json.dumps(record) + "\n" for record in RECORDS).encode()
    with ScratchTranscript(agent, data, str(tmp_path), session_id="s", top="/r") as one:
        assert Path(one.path).read_bytes() == data
        assert os.stat(one.path).st_mode & 0o777 == 0o600
        assert (one.end().count, one.end().byte) == (5, len(data))
        assert [prompt.text for prompt in one.prompts(START)] == ["one"]
    with pytest.raises(ZeroDivisionError), ScratchTranscript(agent, data, str(tmp_path)) as one:
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
