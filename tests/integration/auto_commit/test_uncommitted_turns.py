"""Why the work of a turn was not committed is kept in the session and shown, as long as the work is uncommitted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entire import layout
from entire.model.session import Session as State
from entire.model.value import replace
from entire.store import sessions
from tests.integration.commandline import Repo
from tests.integration.story import Session, Story

REASON = "the hook pre-commit failed"


@pytest.fixture
def repo(story: Story, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.chdir(story.root)
    return Repo(story.root, capsys)


@pytest.fixture
def session(story: Story) -> Session:
    """A session whose turn was kept as a step, for a reason."""
    found = story.started()
    with found.turn("Write a"):
        found.write("a.py", "a\n")
    place = layout.find(str(story.root))
    assert place is not None
    state = sessions.find(place, found.id)
    assert state is not None
    state.work = replace(state.work, uncommitted=REASON)
    sessions.save(place, state)
    return found


def shown(repo: Repo) -> list[str]:
    return [session["uncommitted"] for session in repo.json("status")["sessions"]]


def state_of(story: Story, session: Session) -> State:
    place = layout.find(str(story.root))
    assert place is not None
    found = sessions.find(place, session.id)
    assert found is not None
    return found


def test_the_reason_is_shown_until_the_work_is_committed(story: Story, session: Session, repo: Repo) -> None:
    assert shown(repo) == [REASON]
    assert f"    not committed: {REASON}" in repo.ok("status").splitlines()
    story.commit("a")
    assert shown(repo) == [""]
    assert "not committed" not in repo.ok("status")


def test_the_reason_goes_with_work_that_a_person_throws_away(story: Story, session: Session, repo: Repo) -> None:
    """No hook runs then: the state still names the file."""
    for path in state_of(story, session).work.open_files:
        story.path(path).unlink()
    assert shown(repo) == [""]
    assert state_of(story, session).work.uncommitted == REASON


def test_doctor_finds_nothing_wrong(session: Session, repo: Repo) -> None:
    found = repo.json("doctor")
    assert (found["healthy"], found["findings"]) == (True, [])


def test_the_go_cli_does_not_lose_it(story: Story, session: Session) -> None:
    path = Path(story.root, ".git/entire-sessions", f"{session.id}.json")
    value = json.loads(path.read_text())
    assert "uncommitted" not in value
    del value["entire_py"]  # as if the Go CLI had written the file
    path.write_text(json.dumps(value))
    assert state_of(story, session).work.uncommitted == REASON
