"""A session's files that lie in a stash for a while."""

from __future__ import annotations

import os

import pytest

from tests.integration.kept import PERSON, lines, sole
from tests.integration.story import Session, Story


@pytest.fixture
def session(story: Story) -> Session:
    return story.started()


def test_a_new_file_comes_back_from_a_stash_and_a_person_adds_to_it(story: Story, session: Session) -> None:
    with session.turn("Work"):
        session.write("new.py", "x\ny\nz\n")
    story.git("stash", "push", "-q", "-u")
    with session.turn("Talk"):
        pass
    assert not story.path("new.py").exists()
    story.git("stash", "pop", "-q")
    story.write("new.py", "x\ny\nz\nmine\n")
    story.commit("All")
    assert lines(sole(story, session, ["new.py"])) == (3, 1, 0, 0, 4)
    assert story.log_errors() == []


def test_a_part_is_committed_and_the_rest_comes_back_from_a_stash(story: Story, session: Session) -> None:
    story.write("a.py", "1\n")
    story.commit("a")
    with session.turn("Work"):
        session.write("a.py", "1\nx\ny\n")
    story.write("a.py", "1\nx\n")
    story.git("add", "a.py")
    story.write("a.py", "1\nx\ny\n")
    story.commit("Part", add=False)
    assert lines(sole(story, session, ["a.py"])) == (1, 0, 0, 0, 1)
    story.git("stash", "push", "-q")
    with session.turn("Talk"):
        pass
    story.git("stash", "pop", "-q")
    story.commit("Rest")
    assert lines(sole(story, session, ["a.py"])) == (1, 0, 0, 0, 1)
    assert story.log_errors() == []


def test_a_stash_from_before_brings_no_line_back(story: Story, session: Session) -> None:
    story.write("README.md", "other\n")
    story.git("stash", "push", "-q", env={"GIT_COMMITTER_DATE": "@1700000000 +0000"})
    with session.turn("Work"):
        session.write("new.py", "x\ny\nz\n")
    story.path("new.py").unlink()
    with session.turn("Talk"):
        pass
    story.write("new.py", "a\nb\nz\n")
    story.commit("All")
    assert story.ids() == []
    assert story.log_errors() == []


@pytest.mark.parametrize("is_known", [True, False], ids=["known there", "new there"])
def test_a_stash_that_is_popped_and_committed_in_another_worktree(story: Story, *, is_known: bool) -> None:
    story.write("a.py", "1\n2\n")
    story.commit("a", env=PERSON)
    story.git("worktree", "add", "-q", "-b", "side", "../side")
    side = Story(story.root.parent / "side", enable=False, first_commit=False)
    if is_known:
        with (other := side.started()).turn("Look"):
            other.write("other.py", "other\n")
        side.commit("Other", env=PERSON)
    session = story.started()
    with session.turn("Work"):
        session.write("new.py", "x\ny\n")
        session.write("a.py", "1\nz\n2\n")
    story.git("stash", "push", "-q", "-u")
    side.git("stash", "pop", "-q")
    side.write("new.py", "x\ny\nmine\n")
    side.write("mine.py", "mine\n")
    side.commit("All", env=PERSON)
    assert lines(sole(side, session, ["a.py", "new.py"])) == (3, 2, 0, 0, 5)
    with session.turn("Look"):
        pass
    assert session.state().get("files_touched", []) == []
    assert story.log_errors() == []


def test_new_files_alone_popped_and_committed_in_a_new_worktree(story: Story) -> None:
    story.git("worktree", "add", "-q", "-b", "side", "../side")
    side = Story(story.root.parent / "side", enable=False, first_commit=False)
    session = story.started()
    with session.turn("Work"):
        session.write("new.py", "x\ny\n")
    story.git("stash", "push", "-q", "-u")
    log = story.path(".git/worktrees/side/logs/HEAD")
    os.utime(log, (log.stat().st_mtime - 5, log.stat().st_mtime - 5))  # HEAD last moved a while ago
    side.git("stash", "pop", "-q")
    side.commit("All", env=PERSON)
    assert lines(sole(side, session, ["new.py"])) == (2, 0, 0, 0, 2)
    assert story.log_errors() == []


def test_new_files_popped_in_another_worktree_beside_a_sessions_own_there(story: Story) -> None:
    story.git("worktree", "add", "-q", "-b", "side", "../side")
    side = Story(story.root.parent / "side", enable=False, first_commit=False)
    session, other = story.started(), side.started()
    with session.turn("Work"):
        session.write("new.py", "x\ny\n")
        session.write("same.py", "same\n")
    story.git("stash", "push", "-q", "-u", "new.py")
    side.git("stash", "pop", "-q")
    with other.turn("Work"):
        other.write("other.py", "other\n")
    side.write("new.py", "x\ny\nmine\n")
    side.write("same.py", "same\n")
    side.commit("All", env=PERSON)
    slots = side.linked()["slots"]
    assert {name: slot["files_touched"] for name, slot in slots.items()} == {
        session.id: ["new.py"],
        other.id: ["other.py"],
    }
    assert {name: lines(slot) for name, slot in slots.items()} == {
        session.id: (2, 2, 0, 0, 5),
        other.id: (1, 2, 0, 0, 5),
    }
    assert story.log_errors() == []
