"""What is known of a transcript that is put back: from the present, and from where rewinds left other pasts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from entire.directory import AgentDirectory
from entire.layout import Place
from entire.model.positions import START, Position, SessionRef
from entire.model.session import Session
from entire.model.value import replace
from entire.redact import Redactor
from entire.resume import recount
from entire.store import sessions, turnlog
from entire.store.turnlog import TurnNote
from entire.undo.draft import Draft

ID = "a-session"
AGENT: Any = AgentDirectory.without_plugins().make("demo")


class Desk:
    """A repository's private folder, a session in it, and its transcript in the demo agent's form."""

    def __init__(self, folder: Path) -> None:
        git_dir = folder / "work" / ".git"
        git_dir.mkdir(parents=True)
        (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
        self.place = Place(top=str(folder / "work"), git_dir=str(git_dir), common_dir=str(git_dir))
        self.session = Session(ID, AGENT.name, AGENT.type)
        self.session.session_ref = SessionRef(str(folder / "talk.jsonl"))
        self.draft = self.new_draft()

    def new_draft(self) -> Draft:
        return Draft(self.place, "rewind", "a rewind", now=1.0)

    def now(self, *prompts: tuple[str, int], counted: int, notes: list[TurnNote]) -> None:
        """Let the session be so, and the next rewind leave it so."""
        Path(self.session.session_ref).write_bytes(talk(*prompts))
        self.session.covered = replace(self.session.covered, position=Position(count=counted))
        sessions.save(self.place, self.session)
        Path(turnlog.path(self.place, ID)).write_bytes(turnlog.dumps(notes, Redactor()))

    def leave(self) -> None:
        """Leave this past, as a rewind does."""
        draft = self.new_draft()
        paths = (self.session.session_ref, sessions.own_path(self.place, ID), turnlog.path(self.place, ID))
        for path in paths:
            draft.write_private(path, b"{}\n")
        draft.carry_out()

    def counted(self, *prompts: tuple[str, int]) -> Position | None:
        return recount.counted(self.place, AGENT, self.session, talk(*prompts))

    def turns(self, *prompts: tuple[str, int]) -> list[tuple[str, int]]:
        found = recount.turns(self.place, AGENT, self.session, talk(*prompts), Redactor())
        return [(note.turn, note.position) for note in found]


def talk(*prompts: tuple[str, int]) -> bytes:
    """Return a transcript: a record of the session, then for each (words, minute) a prompt and an answer."""
    records: list[dict[str, Any]] = [{"type": "session", "id": "s", "session_id": ID}]
    for words, minute in prompts:
        time, name = f"2026-01-01T00:{minute:02}:00.000000Z", f"{words}-{minute}"
        records.append({"type": "prompt", "id": name, "prompt_id": name, "text": words, "time": time})
        usage = {"input": 1, "output": 1, "cache_read": 0, "cache_write": 0}
        records.append({"type": "answer", "id": "a" + name, "prompt_id": name, "text": "ok", "usage": usage})
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def note(turn: str, words: str, minute: int, position: int) -> TurnNote:
    return TurnNote(turn=turn, prompt=words, position=position, time=1_767_225_600.0 + 60 * minute)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


FIRST, HERE, THERE = ("first", 1), ("go on", 2), ("go on", 9)
T1, T2, T9 = note("t1", "first", 1, 0), note("t2", "go on", 2, 3), note("t9", "go on", 9, 3)


def test_each_past_has_its_own_turns_though_the_words_are_the_same(desk: Desk) -> None:
    desk.now(FIRST, HERE, counted=0, notes=[T1, T2])
    desk.leave()
    desk.now(FIRST, THERE, counted=0, notes=[T1, T9])
    assert desk.turns(FIRST, HERE) == [("t1", 0), ("t2", 3)]
    assert desk.turns(FIRST, THERE) == [("t1", 0), ("t9", 3)]
    assert desk.turns(FIRST) == [("t1", 0)]
    assert desk.turns(FIRST, ("never noted", 3)) == [("t1", 0), ("", 3)]


def test_what_any_past_counted_is_counted_as_far_as_it_is_the_same(desk: Desk) -> None:
    assert desk.counted(FIRST, HERE) == START
    desk.now(FIRST, HERE, counted=5, notes=[])
    desk.leave()
    desk.now(FIRST, THERE, counted=3, notes=[])
    desk.leave()
    desk.now(FIRST, counted=0, notes=[])
    counts = {name: found.count for name, *prompts in (("here", FIRST, HERE), ("there", FIRST, THERE),
              ("first", FIRST), ("other", ("other", 1)))  if (found := desk.counted(*prompts))}  # fmt: skip
    assert counts == {"here": 5, "there": 3, "first": 3, "other": 1}
    found = desk.counted(FIRST, HERE)
    assert found is not None
    assert found.byte == len(talk(FIRST, HERE))


def test_a_past_that_nobody_can_read_is_passed_over(desk: Desk) -> None:
    desk.now(FIRST, counted=3, notes=[T1])
    Path(sessions.own_path(desk.place, ID)).write_bytes(b"\xff{")
    Path(turnlog.path(desk.place, ID)).write_bytes(b'{"turn"\n')
    desk.leave()
    desk.session.covered = replace(desk.session.covered, position=START)
    assert desk.counted(FIRST) == START
    assert desk.turns(FIRST) == [("", 0)]


def test_transcripts_that_no_one_reads_have_no_place_to_count_to(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(AGENT), "capabilities", frozenset())
    assert desk.counted(FIRST) is None
