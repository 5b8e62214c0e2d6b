"""Lines of commits that a reset took back, or a squash brings, where no snapshot has them."""

from __future__ import annotations

import pytest

from entire.model.origins import PERSON
from tests.integration.commits.test_places import linked_worktree
from tests.integration.story import Story
from tests.integration.why.test_origins_uncommitted import SESSIONS, prompts, started, story

__all__ = ["story"]


@pytest.mark.parametrize("is_clone", [False, True], ids=["linked worktree", "clone"])
def test_lines_of_commits_taken_back_where_no_snapshot_has_them_are_their_writers(
    story: Story, *, is_clone: bool
) -> None:
    for name in ("one", "two"):
        with started(story).turn(name):
            SESSIONS[story][-1].write("a.txt", "one\n" if name == "one" else "one\n}\ntwo\n")
        story.commit(name)
    other = story.root.parent / "other"
    if is_clone:
        story.git("clone", "-q", str(story.root), str(other))
        story.git("-C", str(other), "branch", "-q", "entire/checkpoints/v1", "origin/entire/checkpoints/v1")
    else:
        story.git("worktree", "add", "-q", "-b", "other", str(other))
    story.git("-C", str(other), "reset", "-q", "--soft", "HEAD~2")
    (other / "a.txt").write_text("one\nmine\n}\ntwo\n")
    assert prompts(story, "a.txt", other) == ["one", PERSON, PERSON, "two"]


@pytest.mark.parametrize(
    "command",
    [("merge", "--squash", "side"), ("merge", "--no-commit", "--no-ff", "side"), ("cherry-pick", "-n", "side")],
)
def test_lines_that_a_merge_brings_from_another_worktrees_branch_are_their_writers(
    story: Story, command: tuple[str, ...]
) -> None:
    side = linked_worktree(story, "side")
    with started(side).turn("there"):
        SESSIONS[side][-1].write("a.txt", "one\n}\n")
    side.commit("There")
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    story.git(*command)
    story.write("a.txt", "one\nmine\n}\n")
    assert prompts(story, "a.txt", story.root) == ["there", PERSON, PERSON]
