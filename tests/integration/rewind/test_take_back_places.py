"""A commit that takes back, in all kinds of repositories and worktrees."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from entire.errors import EntireError
from entire.workspace import Workspace
from tests.integration.rewinding import rewind, undo
from tests.integration.story import Session, Story


@pytest.fixture
def session(story: Story) -> Session:
    return story.started()


def turn(story: Story, session: Session, text: str, *names: str) -> str:
    with session.turn(text):
        for name in names:
            session.write(name, f"{text}\n")
    return story.commit(text)


def clean(story: Story) -> bool:
    return not story.git("status", "--porcelain")


def test_hostile_names(story: Story, session: Session) -> None:
    names = ('-e "f', "n\nl", "d/ü", "*", ":colon", "tab\t")
    first = turn(story, session, "one", *names[:3])
    head = turn(story, session, "two", *names)
    rewind(story, first, take_back=True)
    assert [story.path(name).exists() for name in names] == [True] * 3 + [False] * 3
    assert story.git("diff", "--name-only", first) == ""
    assert clean(story)
    undo(story)
    assert story.head() == head
    assert clean(story)


@pytest.mark.parametrize("swap", [False, True])
def test_a_folder_in_a_files_place(story: Story, session: Session, swap: bool) -> None:
    before, after = ("d", "d/x") if not swap else ("d/x", "d")
    first = turn(story, session, "one", before, "a")
    story.git("rm", "-q", before)
    with session.turn("two"):
        session.write(after, "two\n")
    head = story.commit("two")
    view = rewind(story, first, take_back=True)
    assert view.left == ()
    assert story.read(before) == "one\n"
    assert story.git("diff", "--name-only", first) == ""
    assert clean(story)
    undo(story)
    assert (story.head(), story.read(after)) == (head, "two\n")
    assert clean(story)


def test_from_a_folder_below(story: Story, session: Session) -> None:
    first = turn(story, session, "one", "sub/a", "b")
    head = turn(story, session, "two", "sub/a", "b", "c")
    assert story.entire("rewind", "--to", first, "--take-back", cwd=story.path("sub")) == 0
    assert story.git("rev-parse", "HEAD^").strip() == head
    assert (story.read("sub/a"), story.read("b"), story.path("c").exists()) == ("one\n", "one\n", False)
    assert clean(story)


def test_a_linked_worktree(story: Story, session: Session) -> None:
    """Its own branch, HEAD and index; the other worktree is left alone."""
    folder = story.root.parent / "beside"
    story.git("worktree", "add", "-q", "-b", "beside", str(folder))
    beside = Story.__new__(Story)
    beside.__dict__.update(story.__dict__, root=folder)
    other = beside.started()
    first = turn(beside, other, "one", "a")
    head = turn(beside, other, "two", "a", "b")
    main = story.head()
    view = rewind(beside, first, take_back=True)
    assert (beside.git("rev-parse", "HEAD^").strip(), view.branch) == (head, "beside")
    assert (beside.read("a"), beside.path("b").exists()) == ("one\n", False)
    assert clean(beside)
    assert (story.head(), clean(story)) == (main, True)
    undo(beside)
    assert beside.head() == head
    assert clean(beside)


def test_a_sparse_worktree(story: Story, session: Session) -> None:
    """What lies outside of it goes from the branch, and is still left out of the worktree."""
    first = turn(story, session, "one", "in/a")
    turn(story, session, "two", "in/a", "out/b")
    story.git("sparse-checkout", "set", "in", ".entire", ".claude")
    assert not story.path("out").exists()
    rewind(story, first, take_back=True)
    assert story.git("ls-tree", "-r", "--name-only", "HEAD", "out") == ""
    assert story.read("in/a") == "one\n"
    assert clean(story)


def test_a_conflict_in_the_index(story: Story, session: Session) -> None:
    """It is a person's to resolve: nothing is committed around it."""
    first = turn(story, session, "one", "a")
    turn(story, session, "two", "a", "b")
    story.write("README.md", "stashed\n")
    story.git("stash", "-q")
    story.write("README.md", "other\n")
    story.git("commit", "-q", "-a", "-m", "Other")
    head = story.head()
    story.git("stash", "pop", ok=False)
    index = story.git("ls-files", "-s")
    assert "UU README.md" in story.git("status", "--porcelain")
    with pytest.raises(EntireError, match=r"conflicts in README\.md are not resolved; nothing was changed"):
        rewind(story, first, take_back=True)
    assert (story.head(), story.git("ls-files", "-s"), story.read("a")) == (head, index, "two\n")
    assert not list(Path(story.root, ".git/entire/undo").glob("*"))


def without_b(story: Story, session: Session) -> str:
    with session.turn("two"):
        story.path("b").unlink()
        session.write("a", "two\n")
    return story.commit("two")


def test_a_folder_that_is_staged_and_gone(story: Story, session: Session) -> None:
    first = turn(story, session, "one", "a", "b")
    without_b(story, session)
    story.write("b/mine", "mine\n")
    story.git("add", "b/mine")
    shutil.rmtree(story.path("b"))
    staged = story.git("ls-files", "-s", "b/mine")
    rewind(story, first, take_back=True)
    assert story.git("ls-files", "-s", "b/mine") == staged
    assert (story.git("show", "HEAD:b"), story.read("b")) == ("one\n", "one\n")


def test_a_folder_that_is_staged_in_a_files_place(story: Story, session: Session) -> None:
    first = turn(story, session, "one", "a", "b")
    head = without_b(story, session)
    story.write("b/mine", "mine\n")
    story.git("add", "b/mine")
    index = story.git("ls-files", "-s")
    view = rewind(story, first, take_back=True)
    assert [left.path for left in view.left] == ["b"]
    assert story.git("rev-parse", "HEAD^").strip() == head
    assert (story.read("a"), story.read("b/mine")) == ("one\n", "mine\n")
    assert story.git("status", "--porcelain") == "A  b/mine\n"
    undo(story)
    assert story.git("ls-files", "-s") == index


def test_the_repositorys_hooks_do_not_run(story: Story, session: Session) -> None:
    first = turn(story, session, "one", "a")
    turn(story, session, "two", "a")
    hook = story.path(".git/hooks/pre-commit")
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    rewind(story, first, take_back=True)
    assert story.read("a") == "one\n"


def test_two_in_a_row_and_both_undone(story: Story, session: Session) -> None:
    first = turn(story, session, "one", "a")
    second = turn(story, session, "two", "a", "b")
    third = turn(story, session, "three", "a", "c")
    assert rewind(story, second, take_back=True).taken_back == (third,)
    view = rewind(story, first, take_back=True)
    assert view.taken_back == (third, second)
    assert story.git("diff", "--name-only", first) == ""
    workspace = Workspace.find(story.root)
    with workspace.undo.rewind(workspace.undo.points()[-1].id) as planned:
        planned.carry_out()
    assert (story.head(), story.read("a"), story.read("c")) == (third, "three\n", "three\n")
    assert clean(story)
