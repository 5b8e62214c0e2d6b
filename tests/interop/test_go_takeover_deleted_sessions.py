"""The Go CLI's ``clean``, ``reset`` and ``disable --uninstall`` end a session for us too."""

from __future__ import annotations

import json

import pytest

from tests.integration.story import Session, Story
from tests.interop import gocli

REASON = "the Go CLI removed its session"


@pytest.fixture
def session(story: Story) -> Session:
    session = story.started()
    with session.turn("Make a"):
        session.write("a.txt", "a\n")
    return session


def open_files(story: Story, capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    """Return what `status` lists as not committed yet, session by session."""
    capsys.readouterr()
    assert story.entire("status", "--json") == 0
    return [found["open_files"] for found in json.loads(capsys.readouterr().out)["sessions"] if found["open_files"]]


def is_watched(story: Story) -> bool:
    return story.path(".git/entire/live").exists()


def states(story: Story) -> list[str]:
    return [path.stem for path in story.path(".git").glob("entire-sessions/*.json")]


def test_its_open_work_is_not_linked_and_the_commit_has_a_reason(
    story: Story, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    assert open_files(story, capsys) == [["a.txt"]]
    gocli.clean(story)
    assert open_files(story, capsys) == []
    commit = story.commit("a")
    assert story.ids() == []
    assert story.reasons() == {commit: REASON}
    assert not is_watched(story)
    assert states(story) == []
    story.write("b.txt", "b\n")
    story.commit("b")
    assert list(story.reasons()) == [commit]
    assert story.log_errors() == []


def test_a_new_prompt_starts_the_session_afresh(story: Story, session: Session) -> None:
    story.commit("a")
    counted = 2**session.answers - 1
    assert story.linked()["slots"][session.id]["token_usage"]["input_tokens"] == counted
    with session.turn("Make b"):
        session.write("b.txt", "b\n")
    gocli.clean(story)
    with session.turn("Make c"):
        session.write("c.txt", "c\n")
    assert session.state()["files_touched"] == ["c.txt"]
    story.commit("b and c")
    slot = story.linked()["slots"][session.id]
    assert slot["files_touched"] == ["c.txt"]
    assert slot["initial_attribution"]["agent_lines"] == 1
    assert slot["transcript"] == session.file.read_text()
    assert slot["token_usage"]["input_tokens"] == 2**session.answers - 1 - counted  # each answer once
    assert story.log_errors() == []


@pytest.mark.parametrize("verb", ["stop", "session-end"])
def test_the_end_of_a_removed_turn_or_session_brings_nothing_back(story: Story, session: Session, verb: str) -> None:
    session.prompt("Make b")
    session.write("b.txt", "b\n")
    gocli.clean(story)
    session.hook(verb)
    assert states(story) == []
    assert not is_watched(story)
    story.commit("a and b")
    assert story.ids() == []
    assert story.log_errors() == []


def test_nothing_of_a_removed_session_is_missing_once_git_collected_it(
    story: Story, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    gocli.clean(story)
    story.git("reflog", "expire", "--expire=now", "--all")
    story.git("gc", "-q", "--prune=now")
    with session.turn("Make b"):
        session.write("b.txt", "b\n")
    story.commit("a and b")
    assert story.linked()["files_touched"] == ["b.txt"]
    assert story.linked()["slots"][session.id]["transcript"] == session.file.read_text()
    capsys.readouterr()
    story.entire("doctor")
    assert "missing" not in capsys.readouterr().out
    assert story.log_errors() == []


def test_another_session_goes_on(story: Story, session: Session) -> None:
    other = story.session()
    with other.turn("Make b"):
        other.write("b.txt", "b\n")
    story.git("update-ref", "-d", f"refs/heads/{gocli.shadow(story)}")
    story.path(f".git/entire-sessions/{session.id}.json").unlink()
    story.commit("a and b")
    assert list(story.linked()["slots"]) == [other.id]
    assert story.linked()["files_touched"] == ["b.txt"]
    assert story.log_errors() == []


def test_a_state_that_is_lost_while_its_steps_are_there_is_restored(story: Story, session: Session) -> None:
    story.path(f".git/entire-sessions/{session.id}.json").unlink()
    story.commit("a")
    assert list(story.linked()["slots"]) == [session.id]


def test_a_broken_state_that_was_moved_aside_is_restored(story: Story, session: Session) -> None:
    gocli.clean(story)
    story.path(f".git/entire-sessions/{session.id}.json.broken").write_text("{]")
    story.commit("a")
    assert list(story.linked()["slots"]) == [session.id]


def test_enabled_again_after_an_uninstall_nothing_is_left_of_it(
    story: Story, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    gocli.uninstall(story)
    assert story.entire("enable", "--agent", "claude-code") == 0
    assert open_files(story, capsys) == []
    story.commit("a")
    assert story.ids() == []
    assert not is_watched(story)
    with session.turn("Make b"):
        session.write("b.txt", "b\n")
    story.commit("b")
    assert story.linked()["files_touched"] == ["b.txt"]
    assert story.log_errors() == []
