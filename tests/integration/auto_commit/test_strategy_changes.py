"""Both strategies in one repository: one after the other in a living session, and side by side in two worktrees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.kept import answers, lines, sole, tokens
from tests.integration.story import Session, Story


@pytest.fixture
def session(story: Story) -> Session:
    return story.started()


def choose(story: Story, strategy: str, cwd: Path | None = None) -> None:
    assert story.entire("enable", "--agent", "claude-code", "--strategy", strategy, cwd=cwd) == 0


def subjects(story: Story, since: str, rev: str = "HEAD") -> list[str]:
    return story.git("log", "--format=%s", f"{since}..{rev}").splitlines()


def done(story: Story) -> None:
    assert story.log_errors() == []
    assert story.git("status", "--porcelain") == ""


def test_what_is_open_comes_with_the_first_turn_that_is_committed(story: Story, session: Session) -> None:
    head = story.head()
    with session.turn("Write a"):  # answers 0 and 1
        session.write("a.py", "a\n")
    choose(story, "auto-commit")
    assert story.head() == head  # a change of strategy commits nothing by itself
    with session.turn("Write b"):  # 2 and 3
        session.write("b.py", "b\n")
    assert subjects(story, head) == ["Write b"]
    record = sole(story, session, ["a.py", "b.py"])
    assert (record["strategy"], tokens(record), lines(record)[:2]) == ("auto-commit", answers(0, 1, 2, 3), (2, 0))
    assert record["prompts"] == ["Write a", "Write b"]
    done(story)


def test_a_person_commits_again_after_it_was_left(story: Story, session: Session) -> None:
    choose(story, "auto-commit")
    with session.turn("Write a"):
        session.write("a.py", "a\n")
    first = story.head()
    assert tokens(sole(story, session, ["a.py"])) == answers(0, 1)
    choose(story, "manual-commit")
    with session.turn("Write b"):
        session.write("b.py", "b\n")
    assert story.head() == first
    story.commit("b")
    record = sole(story, session, ["b.py"])
    assert (record["strategy"], tokens(record), lines(record)[:2]) == ("manual-commit", answers(2, 3), (1, 0))
    done(story)


@pytest.mark.parametrize(
    ("before", "after", "made"), [("manual-commit", "auto-commit", 1), ("auto-commit", "manual-commit", 0)]
)
def test_the_end_of_a_turn_decides(story: Story, session: Session, before: str, after: str, made: int) -> None:
    choose(story, before)
    head = story.head()
    session.prompt("Write a")
    session.write("a.py", "a\n")
    choose(story, after)
    session.stop()
    assert len(subjects(story, head)) == made
    if not made:
        story.commit("a")
    record = sole(story, session, ["a.py"])
    assert (record["strategy"], tokens(record)) == (after, answers(0, 1))
    done(story)


def test_what_was_staged_stays_so_if_auto_commit_is_chosen_during_the_turn(story: Story, session: Session) -> None:
    story.write("README.md", "start\nmine\n")
    story.git("add", "README.md")
    staged, head = story.git("ls-files", "-s", "README.md"), story.head()
    session.prompt("Write a")
    session.edit("README.md", "mine\n", "mine\nits\n")
    session.write("a.py", "a\n")
    choose(story, "auto-commit")
    session.stop()
    assert story.git("show", "--name-only", "--format=%s").split() == ["Write", "a", "a.py"]
    assert story.git("rev-parse", "HEAD~1").strip() == head
    assert story.git("ls-files", "-s", "README.md") == staged
    assert story.read("README.md") == "start\nmine\nits\n"
    own = story.path(f".git/entire/sessions/{session.id}.json")
    assert json.loads(own.read_text())["uncommitted"] == "README.md (it is staged, maybe since before the turn)"


def test_two_worktrees_with_a_strategy_each(story: Story, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    story.git("worktree", "add", "-q", str(linked), "-b", "side")
    choose(story, "auto-commit", cwd=linked)
    head = story.head()
    here, there = story.session(), story.session()
    there.cwd = linked
    for session, top in ((here, story.root), (there, linked)):
        session.start()
        with session.turn("Write a"):
            path = str(top / "a.py")
            (top / "a.py").write_text("a\n")
            session.tool(
                "Write",
                {"file_path": path, "content": "a\n"},
                {"type": "create", "filePath": path, "content": "a\n", "structuredPatch": [], "originalFile": None},
            )
    assert subjects(story, head) == []
    assert subjects(story, head, "side") == ["Write a"]
    assert list(story.linked("side")["slots"]) == [there.id]
    assert story.linked("side")["strategy"] == "auto-commit"
    story.commit("a")
    assert list(story.linked()["slots"]) == [here.id]
    assert story.linked()["strategy"] == "manual-commit"
    done(story)


def test_why_a_turn_was_not_committed_is_forgotten_once_nobody_commits_turns(story: Story, session: Session) -> None:
    hook = story.path(".git/hooks/pre-commit")
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    choose(story, "auto-commit")
    with session.turn("Write a"):
        session.write("a.py", "a\n")
    own = story.path(f".git/entire/sessions/{session.id}.json")
    assert "pre-commit" in json.loads(own.read_text())["uncommitted"]
    choose(story, "manual-commit")
    with session.turn("Write b"):
        session.write("b.py", "b\n")
    state = json.loads(own.read_text())
    assert (state["uncommitted"], state["open_files"]) == ("", ["a.py", "b.py"])
