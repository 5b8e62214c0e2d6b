"""A rewind moves the branch only if no other branch holds the commits that it would leave, where turns were committed
without a person's decision.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from entire.errors import EntireError
from entire.model.requests import RewindRequest
from entire.model.views.points import WaysBackView
from entire.workspace import Workspace
from tests.integration.rewinding import commit_turns, rewind, undo
from tests.integration.story import Story


@pytest.fixture
def first(story: Story) -> str:
    """Return the first of two commits of a session's turns."""
    session = story.started()
    commits = []
    for name in ("one", "two"):
        with session.turn(f"Write {name}"):
            session.write(f"{name}.txt", f"{name}\n")
        commits.append(story.commit(f"Write {name}"))
    commit_turns(story)
    return commits[0]


def pushed(story: Story) -> None:
    remote = story.root.parent / "remote.git"
    story.git("init", "-q", "--bare", str(remote))
    story.git("remote", "add", "origin", str(remote))
    story.git("push", "-q", "origin", "main")


def in_a_worktree(story: Story) -> None:
    story.git("worktree", "add", "-q", "-b", "beside", str(story.root.parent / "beside"))


def merged(story: Story) -> None:
    """Put the commit on another branch that has gone on."""
    story.git("checkout", "-q", "-b", "other", "HEAD~2")
    story.write("other.txt", "other\n")
    story.commit("Other")
    story.git("merge", "-q", "--no-edit", "main")
    story.git("checkout", "-q", "main")


SHARED: dict[str, tuple[Callable[[Story], object], str]] = {
    "remote-tracking": (pushed, "origin/main"),
    "branch": (lambda story: story.git("branch", "keep"), "keep"),
    "worktree": (in_a_worktree, "beside"),
    "merged": (merged, "other"),
}


@pytest.mark.parametrize("way", SHARED)
def test_the_branch_keeps_what_others_have(story: Story, first: str, way: str) -> None:
    share, name = SHARED[way]
    share(story)
    before = (story.head(), story.read("two.txt"), story.git("for-each-ref"))
    with pytest.raises(EntireError, match=f"are also on {name}; nothing was changed") as raised:
        rewind(story, first, reset=True)
    assert "--take-back" in raised.value.hint
    assert "--logs-only" in raised.value.hint
    assert (story.head(), story.read("two.txt"), story.git("for-each-ref")) == before
    assert not list(Path(story.root, ".git/entire/undo").glob("*"))


def test_the_ways_on_work(story: Story, first: str) -> None:
    pushed(story)
    head = story.head()
    rewind(story, first, logs_only=True)
    assert (story.head(), story.read("two.txt")) == (head, "two\n")
    rewind(story, first, take_back=True)
    assert story.git("rev-parse", "HEAD^").strip() == head
    assert not story.path("two.txt").exists()


def test_what_only_the_present_branch_has_goes(story: Story, first: str) -> None:
    story.git("branch", "earlier", first)
    story.git("branch", "entire/mine")
    story.git("update-ref", "refs/remotes/origin/entire/mine", "HEAD")
    story.git("tag", "v1")
    head = story.head()
    view = rewind(story, first, reset=True)
    assert (story.head(), view.shared) == (first, ())
    undo(story)
    assert story.head() == head


def test_the_newest_commit_alone_is_shared_with_a_stale_remote(story: Story, first: str) -> None:
    story.git("update-ref", "refs/remotes/origin/main", first)
    rewind(story, first, reset=True)
    assert story.head() == first


def test_a_detached_head_leaves_the_branch_its_commits(story: Story, first: str) -> None:
    story.git("checkout", "-q", "--detach")
    with pytest.raises(EntireError, match="are also on main"):
        rewind(story, first, reset=True)


def test_a_person_who_commits_decides(story: Story) -> None:
    """Without the strategy, the branch moves as it always did, and the view says where its commits are still."""
    session = story.started()
    with session.turn("One"):
        session.write("one.txt", "one\n")
    first = story.commit("One")
    with session.turn("Two"):
        session.write("two.txt", "two\n")
    story.commit("Two")
    pushed(story)
    view = rewind(story, first, reset=True)
    assert (story.head(), view.shared) == (first, ("origin/main",))


def test_an_undone_reset_is_not_repeated_after_a_push(story: Story, first: str) -> None:
    head = story.head()
    rewind(story, first, reset=True)
    undo(story)
    pushed(story)
    with pytest.raises(EntireError, match="are also on origin/main; nothing was changed"):
        undo(story)
    assert story.head() == head


def test_which_ways_there_are(story: Story, first: str) -> None:
    workspace = Workspace.find(story.root)
    assert workspace.points.ways_back(story.head()) == WaysBackView(has_later_commits=False)
    assert workspace.points.ways_back(first) == WaysBackView(has_later_commits=True, may_move=True, may_take_back=True)
    story.git("branch", "keep")
    assert workspace.points.ways_back(first) == WaysBackView(
        has_later_commits=True, may_move=False, may_take_back=True, shared=("keep",)
    )


def test_ways_back_from_a_persons_commits(story: Story, first: str) -> None:
    point = story.head()
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    ways = Workspace.find(story.root).points.ways_back(point)
    assert (ways.may_move, ways.may_take_back) == (True, False)


def test_the_command_names_the_ways_on(story: Story, first: str, capsys: pytest.CaptureFixture[str]) -> None:
    story.git("branch", "keep")
    assert story.entire("rewind", "--to", first, "--reset") == 1
    said = capsys.readouterr().err
    assert "are also on keep" in said
    assert "--take-back" in said
    with Workspace.find(story.root).points.rewind(RewindRequest(to=first)) as planned:
        assert planned.view.shared == ()
