"""The bases of adapters' transcripts, where no promise of an agent reaches: forks, positions of one form in another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire.agents import transcripts
from entire.agents.documents import DocumentTranscript
from entire.agents.lines import LineTranscript
from entire.agents.opaque import OpaqueTranscript, is_later
from entire.model.positions import START, Position
from entire.model.transcripts import Agreement
from tests.unit.entire_secrets.built_in import redact_json, redact_jsonl

SECRET = "ghp_" + "Zx81kQ0aLm3rTt5vWy7cBd9eFg2hJk4nPq6s"
ANSWERS = [{"id": "m1", "text": "one"}, {"id": "m2", "text": "two"}]


@pytest.mark.parametrize(
    "transcript",
    [
        LineTranscript("", b"".join(json.dumps(answer).encode() + b"\n" for answer in ANSWERS)),
        DocumentTranscript("", json.dumps({"messages": ANSWERS}).encode()),
    ],
    ids=["lines", "document"],
)
def test_an_answer_of_another_session_is_found_by_its_mark(transcript: LineTranscript | DocumentTranscript) -> None:
    """So a fork does not count again what its origin counted."""
    assert transcript.shares_answer(Position(count=9, mark="m2"))
    assert not transcript.shares_answer(Position(count=2, mark="m3"))
    assert not transcript.shares_answer(Position(count=2))
    assert not transcript.shares_answer(START)


@pytest.mark.parametrize(
    ("form", "data"),
    [
        (LineTranscript, b"{}\n{}\n"),
        (DocumentTranscript, json.dumps({"messages": ANSWERS}).encode()),
        (OpaqueTranscript, b"any content"),
    ],
)
def test_a_position_behind_the_end_is_not_held(form: type[LineTranscript], data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "own"
    path.write_bytes(data)
    end = form(str(path)).end()
    assert form(str(path)).holds(end)
    assert form("", data).holds(end)
    path.write_bytes(b"")
    assert form(str(path)).holds(START)
    assert not form(str(path)).holds(end)
    assert not form("", b"").holds(end)


def test_content_of_unknown_form_is_cut_where_it_ended() -> None:
    end = OpaqueTranscript("", b"one").end()
    longer = OpaqueTranscript("", b"one two")
    assert longer.cut(end) == b"one"
    assert longer.cut(longer.end()) == b"one two"
    assert longer.cut(longer.at(0)) == b""


def test_a_position_in_the_agents_own_lines_is_the_same_line_of_a_redacted_copy(tmp_path: Path) -> None:
    """Redaction makes lines shorter or longer, so that the bytes before a position differ."""
    path = tmp_path / "own.jsonl"
    path.write_bytes(b"".join(json.dumps({"text": f"{text} {SECRET}"}).encode() + b"\n" for text in ("one", "two")))
    own = LineTranscript(str(path))
    copy = LineTranscript(str(path), bytes(redact_jsonl(own.snapshot())))
    first, second = copy.snapshot().splitlines(keepends=True)
    assert len(copy.snapshot()) < len(own.snapshot())
    assert copy.cut(own.at(1)) == first
    assert copy.cut(own.end()) == first + second
    assert copy.holds(own.end())
    assert copy.end(own.at(1)) == copy.end()


@pytest.mark.parametrize(("stored", "differs"), [(b"{torn", True), (b"{broken", False)])
def test_documents_that_cannot_be_read_agree_only_if_they_are_the_same(stored: bytes, *, differs: bool) -> None:
    found = DocumentTranscript("", b"{broken").agreement(stored)
    assert (found.stored_is_longer, found.own_is_longer, found.extent) == (differs, differs, 0)
    assert found.joined == (stored if differs else b"")


def agreement(own: bytes, stored: bytes) -> Agreement:
    return OpaqueTranscript("", own).agreement(stored)


def test_content_of_unknown_form_agrees_with_its_redacted_copy() -> None:
    own = f"key {SECRET} end".encode()
    stored = bytes(redact_json(own))
    assert SECRET.encode() not in stored
    found = agreement(own, stored)
    assert (found.common, found.joined, found.extent) == (own, own, len(stored))
    assert not found.stored_is_longer
    assert not found.own_is_longer


def test_content_of_unknown_form_that_goes_on() -> None:
    longer, shorter = agreement(b"one two", b"one"), agreement(b"one", b"one two")
    assert (longer.common, longer.stored_is_longer, longer.own_is_longer) == (b"one", False, True)
    assert (shorter.joined, shorter.stored_is_longer, shorter.own_is_longer) == (b"one two", True, False)


def test_content_of_unknown_form_that_went_another_way() -> None:
    found = agreement(b"one three", b"one two")
    assert (found.common, found.joined, found.extent) == (b"", b"one two", 0)
    assert found.stored_is_longer
    assert found.own_is_longer


def test_positions_are_compared_by_the_adapters_number_alone() -> None:
    assert is_later(Position(count=2, byte=1), Position(count=1, byte=9))
    assert not is_later(Position(count=1, byte=9), Position(count=1, byte=1))


@pytest.mark.parametrize(
    ("end", "counted"), [(b'{"c": 3}', 4), (b'{"c": ', 3), (b"{skip", 3), (b'{"skip": 4}', 4), (b"5", 4), (b"", 3)]
)
def test_a_last_line_without_a_newline_counts_if_it_is_complete(end: bytes, counted: int) -> None:
    data = b'{"a": 1}\nbroken\n{"skip": 2}\n' + end
    natives = list(transcripts.natives(data, skipped=(b'{"skip"',)))
    assert len(natives) == counted
    assert [objects for objects, _ in natives[:3]] == [[{"a": 1}], [], []]
    assert natives[-1][1] == (len(data) if counted == 4 else len(data) - len(end))


def test_the_files_of_sessions(tmp_path: Path) -> None:
    for name in ("one.jsonl", "two.json", ".jsonl"):
        (tmp_path / name).write_text("")
    (tmp_path / "three.jsonl").mkdir()
    assert [file.session_id for file in transcripts.session_files(str(tmp_path))] == ["one"]
    named = transcripts.session_files(str(tmp_path), lambda path: "own" if path.endswith(".json") else "")
    assert [(file.session_id, file.session_ref) for file in named] == [("own", str(tmp_path / "two.json"))]
    assert transcripts.session_files(str(tmp_path / "missing")) == []
