"""Which adapter reads a session, and that a call sees one state of a transcript."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from entire import layout
from entire.directory import AgentDirectory
from entire.git.read import Objects
from entire.log import Log
from entire.model.positions import SessionRef
from entire.model.session import Session, SessionAgent
from entire.recording.readers import Adapters, Transcripts
from entire.recording.stored_agent import StoredAgent
from entire.redact import Redactor
from tests.unit.git.repo import Repo


@pytest.fixture
def adapters(tmp_path: Path) -> Adapters:
    place = layout.find(Repo(tmp_path / "repo").top)
    assert place is not None
    return Adapters(place, AgentDirectory.without_plugins())


@pytest.fixture
def transcripts(adapters: Adapters, tmp_path: Path) -> Transcripts:
    tools = SimpleNamespace(objects=Objects(str(tmp_path)), redactor=Redactor())
    return Transcripts(adapters, tools, Log(str(tmp_path / "log")), str(tmp_path))


def session(tmp_path: Path, **changes: Any) -> Session:
    made = Session("s", "demo", "Demo Agent")
    made.session_ref = SessionRef(str(tmp_path / "s.jsonl"))
    Path(made.session_ref).write_text('{"type": "prompt"}\n')
    made.__dict__.update(changes)
    return made


def test_an_adapter_is_made_once_until_the_metadata_change(adapters: Adapters, tmp_path: Path) -> None:
    state = session(tmp_path)
    first = adapters.of(state)
    assert first is not None
    assert adapters.of(state) is first
    state.note({"folder": "/x"})
    second = adapters.of(state)
    assert second is not first
    adapters.forget()
    assert adapters.of(state) is not second


def test_what_is_stored_answers_for_an_agent_that_is_not_installed(adapters: Adapters, tmp_path: Path) -> None:
    state = session(tmp_path, agent=SessionAgent(name="nobody", type="Nobody"))
    assert adapters.of(state) is None
    assert isinstance(adapters.reader(state), StoredAgent)
    assert adapters.reader(session(tmp_path)) is adapters.of(session(tmp_path))


def test_a_call_sees_one_state_of_a_transcript(transcripts: Transcripts, tmp_path: Path) -> None:
    state = session(tmp_path)
    known = transcripts.of(state)
    assert transcripts.of(state) is known
    assert transcripts.whole(state) is known
    moved = session(tmp_path, session_ref=SessionRef(tmp_path / "other.jsonl"))
    assert transcripts.of(moved) is not known, "another file"
    transcripts.forget()
    assert transcripts.of(state) is not known


def test_why_a_transcript_is_not_stored_is_noted_and_logged_once(transcripts: Transcripts, tmp_path: Path) -> None:
    state = session(tmp_path)
    transcripts.of(state).problem = "too large"
    transcripts.note_problem(state)
    transcripts.note_problem(state)
    assert state.storage.problem == "too large"
    assert (tmp_path / "log").read_text().count("is too large") == 1
