"""Session states: ours and the form that the Go CLI reads beside it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.layout import Place
from entire.model.phases import Phase
from entire.model.positions import Position, SessionRef, StoredLines
from entire.model.session import Process, Session, SubagentTask, Turn, TurnCheckpoint
from entire.model.tokens import TokenUsage
from entire.model.value import replace
from entire.store import sessions
from entire.store.sessions import from_own, to_go, to_own

# docs/reference/formats.md section 5, in its order; "o" where empty ones are left out.
KEYS = {
    "session_id": "", "cli_version": "o", "base_commit": "", "attribution_base_commit": "o", "worktree_path": "o",
    "worktree_id": "o", "started_at": "", "ended_at": "o", "phase": "o", "turn_id": "o", "turn_checkpoint_ids": "o",
    "last_interaction_time": "o", "checkpoint_count": "", "checkpoint_transcript_start": "o",
    "condensed_transcript_lines": "o", "untracked_files_at_start": "o", "files_touched": "o", "last_checkpoint_id": "o",
    "agent_type": "o", "token_usage": "o", "transcript_lines_at_start": "o", "transcript_identifier_at_start": "o",
    "transcript_path": "o", "first_prompt": "o", "prompt_attributions": "o", "pending_prompt_attribution": "o",
}  # fmt: skip

OWN_KEYS = """
    session_id agent agent_type phase worktree_path worktree_name base_commit started ended last_seen
    transcript_path model first_prompt process turn queued ended_ref turn_checkpoints
    open_files staged_before is_staged_known uncommitted untracked_at_start steps head_logs counted
    counted_subagents stored parts last_line document redacted_with copied transcript_problem conversation
    last_checkpoint tasks background oid_size is_external caller_variables is_incomplete metadata foreign removed
"""

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
number = st.integers(0, 10**6)
moment = st.floats(1.6e9, 2e9).map(lambda value: round(value, 6))
position = st.builds(Position, count=number, byte=number, mark=text)
usage = st.builds(TokenUsage, input_tokens=number, output_tokens=number, api_call_count=number)
turn = st.builds(
    Turn, id=text, ref=text, prompt=text, start=position, finish=position, started=moment, model=text, tokens=usage
)
checkpoint = st.builds(
    TurnCheckpoint,
    id=text,
    commit=text,
    moment=moment,
    since=position,
    base=st.none() | usage.filter(bool),
    subagents=st.dictionaries(text, st.lists(number, max_size=2), max_size=2),
)


@st.composite
def states(draw: st.DrawFn) -> Session:
    """A session with anything in it."""
    session = Session("s-1", "claude-code", "Claude Code")
    session.phase = draw(st.sampled_from(list(Phase)))
    session.worktree = replace(session.worktree, base_commit=draw(st.sampled_from(["", "0" * 40, "ab" * 20])))
    session.worktree = replace(session.worktree, path=draw(text), name=draw(text))
    session.times = replace(session.times, started=draw(moment), last_seen=draw(moment))
    session.times = replace(session.times, ended=draw(st.just(0.0) | moment))
    session.session_ref, session.first_prompt, session.model = SessionRef(draw(text)), draw(text), draw(text)
    session.note(draw(st.dictionaries(text, text, max_size=3)))
    session.process = Process(pid=draw(number), started=draw(text))
    session.turn = draw(st.none() | turn)
    session.turn_checkpoints = draw(st.lists(checkpoint, max_size=2))
    session.work = replace(session.work, open_files=draw(st.lists(text, max_size=3)))
    session.work = replace(session.work, uncommitted=draw(text))
    session.work = replace(session.work, untracked_at_start=draw(st.lists(text, max_size=3)))
    session.work = replace(session.work, steps=draw(number))
    session.covered = replace(session.covered, position=draw(position))
    session.storage = replace(
        session.storage, extent=StoredLines(lines=draw(number), size=draw(number), mark=draw(text))
    )
    session.storage = replace(session.storage, parts=draw(st.lists(st.tuples(text, number).map(list), max_size=3)))
    session.storage = replace(session.storage, last_line=draw(st.just([]) | st.tuples(number, text, text).map(list)))
    session.last_checkpoint = draw(st.sampled_from(["", "a1b2c3d4e5f6"]))
    session.tasks = draw(st.dictionaries(text, st.builds(lambda kind: SubagentTask(kind=kind), text), max_size=2))
    session.background = draw(st.lists(text, max_size=2))
    session.oid_size = draw(st.sampled_from([40, 64]))
    return session


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(top=str(tmp_path), git_dir=str(tmp_path / ".git"), common_dir=str(tmp_path / ".git"))


def shared(place: Place, session_id: str = "s") -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(Path(sessions.go_path(place, session_id)).read_text())
    return loaded


def by_the_go_cli(place: Place, **value: Any) -> None:
    """Write a state as the Go CLI does: without the keys that it does not know."""
    path = Path(sessions.go_path(place, value.get("session_id", "s")))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"session_id": "s", "base_commit": "", "started_at": "2026-01-01T10:00:00Z", **value}))


def saved(place: Place) -> Session:
    session = Session("s", "claude-code", "Claude Code")
    session.times = replace(session.times, started=1.7e9, last_seen=1.7e9)
    session.worktree = replace(session.worktree, base_commit="ab" * 20)
    session.worktree = replace(session.worktree, path=place.top)
    sessions.save(place, session)
    return session


@given(states())
def test_our_own_form_keeps_everything(session: Session) -> None:
    again = from_own(json.loads(json.dumps(to_own(session))))
    assert again.__dict__ == session.__dict__


@given(states())
def test_the_shared_form_has_the_promised_keys_in_their_order(session: Session) -> None:
    value = to_go(session)
    assert [key for key in KEYS if key in value] == list(value)
    for key, kind in KEYS.items():
        assert (key in value) or kind == "o", key
        assert kind == "" or key not in value or value[key], f"{key} is left out when empty"
    assert value["phase"] in ("active", "idle", "ended")
    assert "condensed_transcript_lines" not in value


@given(states())
def test_what_the_shared_form_says_is_taken_over_again(session: Session) -> None:
    again = Session("s-1")
    sessions.take_over(again, json.loads(json.dumps(to_go(session))))
    assert to_go(again)["base_commit"] == session.worktree.base_commit
    assert again.work.open_files == session.work.open_files
    assert again.work.steps == session.work.steps
    assert again.is_running == session.is_running
    assert again.foreign
    if session.is_running:
        assert (again.phase is Phase.ACTIVE_COMMITTED) == bool(session.turn_checkpoints)


@given(
    st.dictionaries(st.sampled_from(sorted(KEYS)), st.none() | number | text | st.lists(text, max_size=2), max_size=8)
)
def test_a_strange_shared_state_breaks_nothing(value: dict[str, Any]) -> None:
    try:
        sessions.take_over(Session("s"), value)
    except (TypeError, ValueError, AttributeError) as error:
        raise AssertionError(f"{value}: {error!r}") from error


def test_both_files_are_written_and_found(place: Place) -> None:
    session = saved(place)
    again = sessions.find(place, "s")
    assert again is not None
    assert again.__dict__ == session.__dict__
    assert shared(place)["entire_py"] == 1
    sessions.save(place, again)
    assert shared(place)["entire_py"] == 2
    for path in (sessions.own_path(place, "s"), sessions.go_path(place, "s")):
        assert os.stat(path).st_mode & 0o777 == 0o600, path
    assert os.stat(place.sessions_dir).st_mode & 0o777 == 0o750
    assert sorted(os.listdir(place.sessions_dir)) == ["s.json"], "nothing half-written is left"


def test_what_the_go_cli_wrote_last_is_taken_over_and_the_rest_kept(place: Place) -> None:
    session = saved(place)
    session.model = "claude-x"
    session.work = replace(session.work, open_files=["mine.txt"])
    sessions.save(place, session)
    by_the_go_cli(place, phase="ended", files_touched=["b.txt"], checkpoint_count=3, worktree_path=place.top)
    again = sessions.find(place, "s")
    assert again is not None
    assert (again.phase, again.work.open_files, again.work.steps) == (Phase.ENDED, ["b.txt"], 3)
    assert (again.model, again.foreign) == ("claude-x", True)
    sessions.save(place, again)
    after = sessions.find(place, "s")
    assert after is not None
    assert (after.foreign, after.work.open_files) == (False, ["b.txt"])


def test_tokens_that_are_counted_stay_counted_whatever_the_go_cli_wrote_back(place: Place) -> None:
    """It writes back the start that we gave it, one line before what is counted, or counts on from there."""
    session = saved(place)
    session.covered = replace(session.covered, position=Position(count=10, byte=500, mark="m"))
    sessions.save(place, session)
    for start, counted in ((9, session.covered.position), (10, session.covered.position), (14, Position(count=14))):
        by_the_go_cli(place, checkpoint_transcript_start=start, worktree_path=place.top)
        again = sessions.find(place, "s")
        assert again is not None
        assert again.covered.position == counted


def test_the_state_of_another_session_is_not_accepted(place: Place) -> None:
    """A file that was copied or renamed."""
    session = saved(place)
    Path(sessions.own_path(place, "t")).write_bytes(Path(sessions.own_path(place, "s")).read_bytes())
    assert sessions.find(place, "t") is not None
    assert [found.session_id for found in sessions.list_states(place)] == ["s", "t"]
    found = sessions.find(place, "t", repair=True)
    assert found is not None
    assert (found.session_id, found.worktree.base_commit, found.worktree.path) == ("t", "", "")
    assert not Path(sessions.own_path(place, "t")).exists()
    assert sessions.find(place, "s") is not None
    assert session.session_id == "s"


def test_killed_between_the_two_files_ours_is_the_truth(place: Place) -> None:
    session = saved(place)
    before = Path(sessions.go_path(place, "s")).read_bytes()
    session.work = replace(session.work, open_files=["new.txt"])
    sessions.save(place, session)
    Path(sessions.go_path(place, "s")).write_bytes(before)
    again = sessions.find(place, "s")
    assert again is not None
    assert (again.work.open_files, again.foreign) == (["new.txt"], False)


def test_a_state_with_old_names_and_phases_is_read(place: Place) -> None:
    by_the_go_cli(place, phase="active_committed", turn_checkpoint_ids=["a1b2c3d4e5f6"], condensed_transcript_lines=7,
                  turn_id="0123456789ab", files_touched=None)  # fmt: skip
    session = sessions.find(place, "s")
    assert session is not None
    assert (session.phase, session.covered.position.count) == (Phase.ACTIVE_COMMITTED, 7)
    assert [checkpoint.id for checkpoint in session.turn_checkpoints] == ["a1b2c3d4e5f6"]
    by_the_go_cli(place, phase="something new", transcript_lines_at_start=5, checkpoint_transcript_start=0)
    session = sessions.find(place, "s")
    assert session is not None
    assert (session.phase, session.covered.position.count) == (Phase.IDLE, 5)


def test_in_the_shared_form_a_commit_within_a_turn_shows_as_active_with_ids() -> None:
    session = Session("s")
    session.phase = Phase.ACTIVE_COMMITTED
    session.turn_checkpoints = [TurnCheckpoint(id="a1b2c3d4e5f6", commit="", moment=0.0, since=Position())]
    value = to_go(session)
    assert (value["phase"], value["turn_checkpoint_ids"]) == ("active", ["a1b2c3d4e5f6"])


def test_carried_work_starts_one_line_before_what_was_counted() -> None:
    """So the Go CLI can continue it (docs/reference/linking.md section 2)."""
    session = Session("s")
    session.covered = replace(session.covered, position=Position(count=10))
    session.work = replace(session.work, steps=1)
    session.work = replace(session.work, open_files=["b.txt"])
    session.last_checkpoint = "a1b2c3d4e5f6"
    assert to_go(session)["checkpoint_transcript_start"] == 9
    session.work = replace(session.work, open_files=[])
    assert to_go(session)["checkpoint_transcript_start"] == 10


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"null", b'{"session_id": "s", "phase"'])
def test_a_broken_file_is_put_aside_and_counts_as_none(place: Place, content: bytes) -> None:
    saved(place)
    Path(sessions.go_path(place, "s")).write_bytes(content)
    assert sessions.find(place, "s", repair=True) is not None, "ours is there"
    Path(sessions.own_path(place, "s")).write_bytes(content)
    assert sessions.find(place, "s") is None
    assert Path(sessions.own_path(place, "s")).read_bytes() == content, "who only looks changes nothing"
    assert sessions.find(place, "s", repair=True) is None
    assert Path(sessions.own_path(place, "s") + ".broken").read_bytes() == content
    saved(place)
    assert sessions.find(place, "s") is not None


def test_states_are_bounded(place: Place) -> None:
    session = Session("s")
    session.work = replace(session.work, untracked_at_start=[f"some/folder/file-{n}.txt" for n in range(100_000)])
    assert len(to_go(session)["untracked_files_at_start"]) == 2000


def test_states_are_listed_the_last_seen_first_and_strange_names_left_out(place: Place) -> None:
    for name, seen in (("a", 1.0), ("b", 3.0), ("c", 2.0)):
        session = Session(name)
        session.times = replace(session.times, last_seen=seen)
        sessions.save(place, session)
    Path(place.sessions_dir, "README").write_text("x")
    Path(place.sessions_dir, ".hidden.json").write_text("{}")
    Path(place.sessions_dir, "x.json.tmp").write_text("{}")
    assert sessions.ids(place) == ["a", "b", "c"]
    assert [state.session_id for state in sessions.list_states(place)] == ["b", "c", "a"]
    sessions.remove(place, "b")
    sessions.remove(place, "b")
    assert sessions.ids(place) == ["a", "c"]
    assert sessions.find(place, "../a") is None


def test_states_written_since_a_moment_are_told(place: Place) -> None:
    assert sessions.foreign_since(place, 0.0) == []
    by_the_go_cli(place, session_id="old")
    by_the_go_cli(place, session_id="new")
    os.utime(sessions.go_path(place, "old"), (1000, 1000))
    assert sessions.foreign_since(place, 2000.0) == ["new"]


@pytest.mark.parametrize("broken", [None, "2", [], {}, 1e400, True, -3])
def test_a_broken_counter_begins_anew(place: Place, broken: object) -> None:
    sessions.save(place, Session("s"))
    path = Path(sessions.own_path(place, "s"))
    path.write_text(json.dumps({**json.loads(path.read_text()), "entire_py": broken}))
    Path(sessions.go_path(place, "s")).unlink()
    session = sessions.find(place, "s")
    assert session is not None
    assert not session.removed
    sessions.save_removed(place, session)
    sessions.save(place, session)
    assert shared(place)["entire_py"] == 1


@pytest.mark.parametrize(
    ("field", "broken"),
    [
        ("turn", {"id": "t", "prompt": None}),
        ("turn", {"id": True}),
        ("turn", {"id": "t", "start": [0, "x", ""]}),
        ("process", ["1", 2]),
        ("stored", [None, 0, ""]),
        ("counted", [0, 0]),
        ("turn_checkpoints", [{"id": None, "commit": "", "moment": 0.0, "since": None}]),
    ],
)
def test_a_state_with_a_broken_record_is_one_that_was_never_written(place: Place, field: str, broken: object) -> None:
    sessions.save(place, Session("s", "demo", "Demo"))
    path = Path(sessions.own_path(place, "s"))
    path.write_text(json.dumps({**json.loads(path.read_text()), field: broken}))
    session = sessions.find(place, "s", repair=True)
    assert session is not None
    assert (session.agent.name, session.agent.type) == ("", "Demo")  # what the shared file says
    assert not path.exists()


@pytest.mark.parametrize(
    ("field", "broken"),
    [
        ("open_files", ["a", None]),
        ("metadata", {"a": 1}),
        ("parts", [["a", "b"]]),
        ("document", [1]),
        ("counted_subagents", {"a": 1}),
    ],
)
def test_a_list_with_what_does_not_belong_there_is_empty(place: Place, field: str, broken: object) -> None:
    sessions.save(place, Session("s", "demo", "Demo"))
    path = Path(sessions.own_path(place, "s"))
    path.write_text(json.dumps({**json.loads(path.read_text()), field: broken}))
    session = sessions.find(place, "s")
    assert session is not None
    assert (session.agent.name, sessions.to_own(session)[field]) == ("demo", type(broken)())


def test_the_keys_of_a_state_keep_their_order() -> None:
    """What belongs together is one value of a session, but not of its file."""
    assert [*sessions.to_own(Session("s"))] == OWN_KEYS.split()
