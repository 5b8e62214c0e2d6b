"""Rewinds among the commits that auto-commit makes: one point for each turn, and the ways back."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.errors import EntireError
from entire.model.views.points import PointView
from entire.workspace import Workspace
from tests.integration.auto_commit.test_task_checkpoints import SUBJECT, TASK, delegate
from tests.integration.rewinding import rewind, undo
from tests.integration.story import Session, Story
from tests.integration.turn_commits import committing


@pytest.fixture
def auto(tmp_path: Path) -> Story:
    return committing(tmp_path / "repo")


@pytest.fixture
def session(auto: Story) -> Session:
    session = auto.started()
    for name in ("one", "two"):
        with session.turn(f"Write {name}"):
            session.write("all.txt", f"{name}\n")
            session.write(f"{name}.txt", f"{name}\n")
    return session


def points(story: Story) -> list[PointView]:
    return Workspace.find(story.root).points.listing(0)


def heads(story: Story) -> list[str]:
    return story.git("rev-list", "HEAD").split()


def test_a_turn_is_one_point(auto: Story, session: Session) -> None:
    found = points(auto)
    assert [(point.id, point.kind, point.prompt) for point in found] == [
        (heads(auto)[0], "checkpoint", "Write two"),
        (heads(auto)[1], "checkpoint", "Write one"),
    ]
    assert all(point.before_prompt for point in found)


def test_a_turn_that_was_not_committed_is_a_step(auto: Story, session: Session) -> None:
    hook = auto.path(".git/hooks/pre-commit")
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with session.turn("Write three"):
        session.write("all.txt", "three\n")
    hook.unlink()
    assert [(point.kind, point.prompt) for point in points(auto)][:2] == [
        ("step", "Write three"), ("checkpoint", "Write two"),
    ]  # fmt: skip
    with session.turn("Write four"):
        session.write("four.txt", "four\n")
    assert [(point.kind, point.prompt) for point in points(auto)][:3] == [
        ("checkpoint", "Write four"), ("step", "Write three"), ("checkpoint", "Write two"),
    ]  # fmt: skip


def test_back_by_branch_and_again(auto: Story, session: Session) -> None:
    second, first = heads(auto)[:2]
    rewind(auto, first, reset=True)
    assert (auto.head(), auto.read("all.txt"), auto.path("two.txt").exists()) == (first, "one\n", False)
    assert auto.git("status", "--porcelain") == ""
    undo(auto)
    assert (auto.head(), auto.read("all.txt")) == (second, "two\n")
    auto.git("branch", "keep")
    with pytest.raises(EntireError, match="are also on keep"):
        rewind(auto, first, reset=True)


def test_the_next_turn_is_committed_after_a_rewind(auto: Story, session: Session) -> None:
    second, first = heads(auto)[:2]
    view = rewind(auto, first, take_back=True)
    assert heads(auto)[:3] == [view.commit, second, first]
    with session.turn("Write three"):
        session.write("all.txt", "three\n")
    assert heads(auto)[1] == view.commit
    assert auto.linked()["slots"][session.id]["files_touched"] == ["all.txt"]
    assert [(point.kind, point.prompt) for point in points(auto)] == [
        ("checkpoint", "Write three"), ("checkpoint", "Write two"), ("checkpoint", "Write one"),
    ]  # fmt: skip
    assert auto.git("status", "--porcelain") == ""
    assert auto.log_errors() == []


def test_only_files_are_restored_and_the_next_turn_commits_them(auto: Story, session: Session) -> None:
    first = heads(auto)[1]
    rewind(auto, first)
    with session.turn("Write three"):
        session.write("three.txt", "three\n")
    assert auto.git("show", "--name-only", "--format=").split() == ["all.txt", "three.txt"]
    assert (auto.git("show", "HEAD:all.txt"), auto.git("status", "--porcelain")) == ("one\n", "")


def test_a_tasks_own_commit_is_one_point(auto: Story) -> None:
    session = auto.started()
    with session.turn("Use a helper"):
        delegate(session)
        session.write("more.txt", "more\n")
    listed = [(point.kind, point.message, point.tool_use_id) for point in points(auto)]
    assert listed == [("checkpoint", "Use a helper", ""), ("checkpoint", SUBJECT, TASK)]
    task = heads(auto)[1]
    rewind(auto, task, take_back=True)
    assert (auto.read("note.txt"), auto.path("more.txt").exists()) == ("note\n", False)
    assert auto.git("status", "--porcelain") == ""


def test_a_staged_file_of_a_person(auto: Story, session: Session) -> None:
    first = heads(auto)[1]
    auto.write("mine.txt", "mine\n")
    auto.git("add", "mine.txt")
    rewind(auto, first, take_back=True)
    assert auto.git("status", "--porcelain") == "A  mine.txt\n"
    undo(auto)
    assert auto.git("status", "--porcelain") == "A  mine.txt\n"
