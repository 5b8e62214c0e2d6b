"""A session whose tools write in another worktree of the repository (linking.md section 1)."""

from __future__ import annotations

from tests.integration.expect import lines, slot_of
from tests.integration.story import Story
from tests.integration.test_places import linked_worktree, session


def test_a_tool_that_writes_in_another_worktree_counts_there(story: Story) -> None:
    other = linked_worktree(story)
    a = session(story)
    with a.turn("Write here and there"):
        a.write("here.txt", "here\n")
        there = str(other.root / "there.txt")
        other.write("there.txt", "one\ntwo\n")
        result: dict[str, object] = {"type": "create", "filePath": there, "structuredPatch": [], "originalFile": None}
        a.tool("Write", {"file_path": there, "content": "one\ntwo\n"}, result)
    other.write("mine.txt", "mine\n")
    other.commit("There")
    record = slot_of(other, a)
    assert (record["files_touched"], other.linked()["files_touched"]) == (["there.txt"], ["there.txt"])
    assert lines(record) == (2, 1, 0, 0, 3)
    assert a.state()["files_touched"] == ["here.txt"]
    story.commit("Here")
    assert slot_of(story, a)["files_touched"] == ["here.txt"]
    assert lines(slot_of(story, a)) == (1, 0, 0, 0, 1)
    total = [one["token_usage"]["input_tokens"] for one in (record, slot_of(story, a)) if "token_usage" in one]
    assert sum(total) == 2**a.answers - 1
    other.write("later.txt", "later\n")
    other.commit("Mine alone")
    assert other.ids() == []
    assert story.log_errors() + other.log_errors() == []


def test_only_what_its_tools_reported_is_the_sessions(story: Story) -> None:
    other = linked_worktree(story)
    a = session(story)
    with a.turn("Write there by shell"), a.shell():
        other.write("shell.txt", "one\n")
    other.commit("There")
    assert other.ids() == []
    assert story.log_errors() + other.log_errors() == []
