"""The work of sessions that is not committed yet."""

from __future__ import annotations

import pytest

from tests.integration.shown import Shown, begun, show
from tests.integration.story import Session, Story

__all__ = ["show"]


@pytest.fixture
def session(story: Story) -> Session:
    return begun(story)


def test_the_uncommitted_work(story: Story, session: Session, show: Shown) -> None:
    story.write("mine.txt", "a person's\n")
    out = show("--uncommitted")
    assert "And now the rest" in out
    assert "Say hello" not in out
    assert "  Uncommitted  rest.py\n" in out
    assert out.endswith("new file mode 100644\n--- /dev/null\n+++ b/rest.py\n@@ -0,0 +1,1 @@\n+rest\n")
    assert "mine.txt" not in out
    view = show.json("--uncommitted")
    assert [turn["prompt"] for turn in view["conversations"][0]["turns"]] == ["And now the rest"]
    session.stop()
    story.commit("Rest")
    assert show("--uncommitted") == "No session has uncommitted work here.\n"
    assert show.json("--uncommitted")["conversations"] == []


def test_work_that_an_earlier_commit_left_out(story: Story, show: Shown) -> None:
    session = story.started()
    with session.turn("Two files"):
        session.write("a.py", "first\n")
        session.write("b.py", "second\n")
    with session.turn("A third"):
        session.write("c.py", "third\n")
    story.git("add", "a.py", "c.py")
    story.commit("Some", add=False)
    (part,) = show.json("--uncommitted")["conversations"]
    assert part["open_files"] == ["b.py"]
    assert [turn["prompt"] for turn in part["turns"]] == ["Two files"]
