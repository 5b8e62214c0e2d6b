"""What clean and reset take out of a journal comes back, joined with what the journal knows by then."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire import files
from entire.errors import EntireError
from entire.layout import Place
from entire.maintenance import undo_notes
from entire.model import jsontext
from entire.model.session import Entry, Session
from entire.model.turns import RunningTurn, TurnKey, TurnMark
from entire.model.value import replace
from entire.store import sessions
from entire.store.journal import Journal, RetainedSteps
from entire.undo import inverse
from entire.undo.draft import Draft
from entire.undo.transaction import Transaction

NOW = 1_770_000_000.25
SHADOW = "entire/1234567-e3b0c4"
KEPT = [f"refs/entire/kept/e3b0c4/{at}/1" for at in "abc"]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    git_dir = tmp_path / ".git"
    git_dir.mkdir()
    (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
    return Place(top=str(tmp_path), git_dir=str(git_dir), common_dir=str(git_dir))


def made(number: int, by: str, running: tuple[str, ...], paths: tuple[str, ...], mark: str = "") -> Entry:
    """Return a snapshot's entry, its names as plain text."""
    return Entry(
        tree=f"{number}" * 40, time=float(number), by=TurnKey(by), running=tuple(map(RunningTurn, running)),
        paths=paths, mark=TurnMark(mark),
    )  # fmt: skip


def full(place: Place) -> Journal:
    """Return a journal of two sessions, one of them at work behind the other's back."""
    journal = Journal(place)
    for entry in (
        Entry(tree="1" * 40, time=1.0),
        made(2, "s/1", ("s/1", "t/1"), ("a", "b"), "step"),
        made(3, "t/1", ("t/1", "?s/2"), ("b",), "other step"),
        Entry(tree="4" * 40, time=4.0, commit="c" * 40, paths=("a",)),
    ):
        journal.attribution.note(entry)
    journal.attribution.reports = {TurnKey("s/1"): ["a"], TurnKey("t/1"): ["b"]}
    journal.attribution.note_agent_paths(["a", "b"])
    journal.sessions = ["s", "t"]
    journal.retention.shadow_tips = {SHADOW: "d" * 40, "entire/7654321-e3b0c4": "e" * 40}
    journal.retention.steps = [RetainedSteps(ref=ref, tip="f" * 40, time=1.0, size=10) for ref in KEPT[:2]]
    return journal


def told(journal: Journal) -> tuple[object, ...]:
    return journal.attribution.to_json(), journal.retention.to_json(), journal.sessions


def by_json(value: object) -> object:
    """Return a value as it is after it lay in an undo point's file."""
    return jsontext.loads(files.json_bytes({"value": value}).decode())["value"]


# ---------------------------------------------------------------- the journal


def test_what_a_forgotten_session_made_is_a_persons(place: Place) -> None:
    journal = full(place)
    undo_notes.forget_sessions(journal, ["s"])
    assert [(one.by, one.running, one.mark) for one in journal.attribution.entries] == [
        ("", (), ""), ("", ("t/1",), ""), ("t/1", ("t/1",), "other step"), ("", (), ""),
    ]  # fmt: skip
    assert [one.paths for one in journal.attribution.entries] == [(), ("a", "b"), ("b",), ("a",)]
    assert journal.attribution.reports == {"t/1": ["b"]}
    assert list(journal.attribution.agent_paths) == [
        "a",
        "b",
    ]  # both may be the other session's, which was at work then


def test_paths_that_no_session_is_left_to_have_made_are_forgotten(place: Place) -> None:
    journal = full(place)
    undo_notes.forget_sessions(journal, ["s", "t"])
    assert list(journal.attribution.agent_paths) == []
    assert not any(one.by or one.running or one.mark for one in journal.attribution.entries)


@pytest.mark.parametrize("gone", [["s"], ["t"], ["s", "t"], []])
def test_forgotten_sessions_come_back_as_they_were(place: Place, gone: list[str]) -> None:
    journal, before = full(place), told(full(place))
    memory = by_json(undo_notes.forget_sessions(journal, gone).to_json())
    journal.sessions = [one for one in journal.sessions if one not in gone]
    assert isinstance(memory, dict)
    undo_notes.recall_sessions(journal, undo_notes.memory_from_json(memory))
    journal.sessions.sort()
    assert told(journal) == before


def test_forgotten_sessions_come_back_into_a_journal_that_went_on(place: Place) -> None:
    journal = full(place)
    memory = undo_notes.forget_sessions(journal, ["s"])
    journal.sessions = ["t", "u"]
    journal.attribution.drop(2)
    journal.attribution.note(made(5, "u/1", ("u/1",), ("c",)))
    journal.attribution.reports[TurnKey("u/1")] = ["c"]
    journal.attribution.note_agent_paths(["c"])
    undo_notes.recall_sessions(journal, memory)
    assert [(one.tree[0], one.by, one.running) for one in journal.attribution.entries] == [
        ("3", "t/1", ("t/1", "?s/2")), ("4", "", ()), ("5", "u/1", ("u/1",)),
    ]  # fmt: skip
    assert journal.attribution.reports == {"s/1": ["a"], "t/1": ["b"], "u/1": ["c"]}
    assert list(journal.attribution.agent_paths) == ["a", "b", "c"]
    assert journal.sessions == ["t", "u", "s"]


def test_forgotten_refs(place: Place) -> None:
    journal = full(place)
    lines = undo_notes.forget_refs(journal, {f"refs/heads/{SHADOW}", KEPT[0], KEPT[2]})
    assert lines == [[KEPT[0], "f" * 40, 1.0, 10]]
    assert list(journal.retention.shadow_tips) == ["entire/7654321-e3b0c4"]
    assert [steps.ref for steps in journal.retention.steps] == [KEPT[1]]
    assert undo_notes.recall_refs(journal, lines, present={KEPT[1]}) is False  # the ref itself did not come back
    assert undo_notes.recall_refs(journal, lines, present={KEPT[0], KEPT[1]}) is True
    assert [steps.ref for steps in journal.retention.steps] == [KEPT[1], KEPT[0]]
    assert undo_notes.recall_refs(journal, lines, present={KEPT[0], KEPT[1]}) is False  # known already
    assert len(journal.retention.steps) == 2


def test_refs_that_a_journal_does_not_know(place: Place) -> None:
    journal, before = full(place), told(full(place))
    assert undo_notes.forget_refs(journal, {"refs/heads/main", KEPT[2]}) == []
    assert told(journal) == before


# ---------------------------------------------------------------- sessions' states


def deleted(place: Place, session_id: str) -> Transaction:
    change = Draft(place, "clean", "a session", now=NOW)
    undo_notes.delete_state(place, change, session_id)
    return change.carry_out()


def test_a_state_that_is_there_again(place: Place) -> None:
    one, other = Session("one"), Session("other")
    for state in (one, other):
        sessions.save(place, state)
    done = deleted(place, "one")
    assert sessions.ids(place) == ["other"]
    assert undo_notes.digest(place, "one") == ""
    assert undo_notes.deleted_states(place, done) == {}
    sessions.save(place, one)
    assert undo_notes.deleted_states(place, done) == {"one": ""}
    with pytest.raises(EntireError, match="session one has continued since"):
        undo_notes.check_states(place, undo_notes.deleted_states(place, done))


def test_a_state_that_the_go_cli_wrote_again(place: Place) -> None:
    sessions.save(place, Session("one"))
    done = deleted(place, "one")
    files.write(sessions.go_path(place, "one"), b"{}")
    with pytest.raises(EntireError, match="session one has continued since"):
        undo_notes.check_states(place, undo_notes.deleted_states(place, done))
    with pytest.raises(EntireError, match="session one has continued since"):
        undo_notes.check_states(place, {"one": ""})


def test_a_state_that_changed(place: Place) -> None:
    state = Session("one")
    sessions.save(place, state)
    left = {"one": undo_notes.digest(place, "one")}
    undo_notes.check_states(place, left)
    state.work = replace(state.work, steps=1)
    sessions.save(place, state)
    with pytest.raises(EntireError, match="session one has continued since"):
        undo_notes.check_states(place, left)


# ---------------------------------------------------------------- the undo point


def test_a_command_is_undone_once_and_the_newest_first(place: Place) -> None:
    with pytest.raises(EntireError, match="no `entire clean` to undo"):
        inverse.not_undone(place, "clean")
    for name in ("one", "other"):
        sessions.save(place, Session(name))
    first, second = deleted(place, "one"), deleted(place, "other")
    for expected in (second, first):
        last = inverse.not_undone(place, "clean")
        assert last.id == expected.id
        done = undo_notes.view(inverse.of(place, last, now=NOW).carry_out())
        assert (done.undoes, done.title, done.refs, done.files) == (last.id, "a session", (), expected.private)
    assert sessions.ids(place) == ["one", "other"]
    with pytest.raises(EntireError, match="no `entire clean` to undo"):
        inverse.not_undone(place, "clean")
