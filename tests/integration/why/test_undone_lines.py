"""Lines of commits that a reset took back, where no snapshot has them."""

from __future__ import annotations

import pytest

from entire.model.origins import PERSON
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
