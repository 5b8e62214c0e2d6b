"""Several sessions in one repository: content decides which of them a commit belongs to (linking.md section 1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.kept import PERSON, answers, check, lines, shadows, sole, tokens, unlinked
from tests.integration.story import Session, Story

Two = tuple[Session, Session]


@pytest.fixture
def two(story: Story) -> Two:
    story.write("old.py", "1\n2\n3\n4\n5\n6\n7\n8\n")
    story.commit("old")
    first, second = story.session(), story.session()
    first.start()
    second.start()
    return first, second


def done(story: Story) -> None:
    assert story.log_errors() == []


def test_only_one_is_in_the_commit(story: Story, two: Two) -> None:
    a, b = two
    with a.turn("A"):
        a.write("a.py", "a\n")
    with b.turn("B"):
        b.write("b.py", "b\nb\n")
    story.git("add", "a.py")
    story.commit("a", add=False)
    assert tokens(sole(story, a, ["a.py"])) == answers(0, 1)
    story.commit("b")
    record = sole(story, b, ["b.py"])
    assert tokens(record) == answers(0, 1)
    assert lines(record) == (2, 0, 0, 0, 2)
    assert shadows(story) == []
    done(story)


def test_both_are_in_the_commit(story: Story, two: Two) -> None:
    a, b = two
    with a.turn("A"):
        a.write("a.py", "a\n")
    with b.turn("B"):
        b.write("b.py", "b\nb\n")
        b.answer({"type": "text", "text": "more"})
    story.write("mine.py", "p\n")
    story.commit("ab")
    found = check(story, "HEAD", ["a.py", "b.py"])
    one, other = found["slots"][a.id], found["slots"][b.id]
    assert len(found["slots"]) == 2
    assert (one["files_touched"], other["files_touched"]) == (["a.py"], ["b.py"])
    assert (tokens(one), tokens(other)) == (answers(0, 1), answers(0, 1, 2))
    assert (lines(one), lines(other)) == ((1, 1, 0, 0, 4), (2, 1, 0, 0, 4))  # the other's lines in neither
    assert (one["prompts"], other["prompts"]) == (["A"], ["B"])
    assert one["transcript"] == a.file.read_text()
    assert other["transcript"] == b.file.read_text()
    assert shadows(story) == []
    done(story)


def test_the_same_file_by_both(story: Story, two: Two) -> None:
    a, b = two
    with a.turn("A"):
        a.edit("old.py", "1\n", "one\n")
    with b.turn("B"):
        b.edit("old.py", "8\n", "eight\nnine\n")
    story.commit("ab")
    found = check(story, "HEAD", ["old.py"])
    assert lines(found["slots"][a.id]) == (1, 0, 0, 0, 3)
    assert lines(found["slots"][b.id]) == (2, 0, 0, 0, 3)
    assert [who.split("/")[0] for _, _, who in found["lineage"]["files"]["old.py"]["added"]] == [a.id, b.id]
    done(story)


def test_one_overwrites_the_other(story: Story, two: Two) -> None:
    a, b = two
    with a.turn("A"):
        a.write("x.py", "a1\na2\n")
    with b.turn("B"):
        b.edit("x.py", "a2\n", "b2\n")
    story.commit("x")
    found = check(story, "HEAD", ["x.py"])
    assert lines(found["slots"][a.id]) == (1, 0, 0, 0, 2)
    assert lines(found["slots"][b.id]) == (1, 0, 0, 0, 2)
    done(story)


def test_one_runs_while_the_others_work_is_committed(story: Story, two: Two) -> None:
    a, b = two
    with a.turn("A"):
        a.write("a.py", "a\n")
    b.prompt("B")
    b.write("b.py", "b\n")
    story.git("add", "a.py")
    story.commit("a", add=False, env=PERSON)
    assert tokens(sole(story, a, ["a.py"])) == answers(0, 1)
    b.write("c.py", "c\n")
    b.stop()
    assert tokens(sole(story, a, ["a.py"])) == answers(0, 1)
    story.commit("bc")
    assert tokens(sole(story, b, ["b.py", "c.py"])) == answers(0, 1, 2)
    done(story)


def test_open_work_never_enters_anothers_checkpoint(story: Story, two: Two) -> None:
    a, b = two
    with a.turn("A"):
        a.write("a.py", "a\n")
    b.prompt("B")
    b.write("b.py", "b\n")
    b.story.git("add", "b.py")
    commit = b.commit("b", add=False)
    b.stop()
    assert tokens(sole(story, b, ["b.py"], commit)) == answers(0, 1, 2)
    assert a.state()["files_touched"] == ["a.py"]
    assert shadows(story) != []
    story.commit("a")
    assert tokens(sole(story, a, ["a.py"])) == answers(0, 1)
    assert shadows(story) == []
    done(story)


def test_two_turns_at_once_with_tool_edits(story: Story, two: Two) -> None:
    """What a tool reports is its session's, whoever's event sees it first."""
    a, b = two
    a.prompt("A")
    b.prompt("B")
    a.write("a.py", "a\n")
    b.write("b.py", "b\n")
    b.stop()  # sees both files
    a.stop()
    story.git("add", "a.py")
    story.commit("a", add=False)
    sole(story, a, ["a.py"])
    story.commit("b")
    sole(story, b, ["b.py"])
    done(story)


def test_two_turns_at_once_and_the_file_is_there_before_its_record(story: Story, two: Two) -> None:
    """A path that a running turn may still report is decided at that turn's end."""
    a, b = two
    a.prompt("A")
    b.prompt("B")
    b.write("b.py", "b\n")
    story.write("a.py", "a\n")  # the file of A's tool is on disk, its record is not
    b.stop()
    a.write("a.py", "a\n")
    a.stop()
    story.commit("ab")
    found = check(story, "HEAD", ["a.py", "b.py"])
    assert found["slots"][a.id]["files_touched"] == ["a.py"]
    assert found["slots"][b.id]["files_touched"] == ["b.py"]
    done(story)


def test_committed_while_both_run(story: Story, two: Two) -> None:
    a, b = two
    a.prompt("A")
    b.prompt("B")
    a.write("a.py", "a\n")
    b.write("b.py", "b\n")
    story.commit("ab", env=PERSON)
    found = check(story, "HEAD", ["a.py", "b.py"])
    assert found["slots"][a.id]["files_touched"] == ["a.py"]
    assert found["slots"][b.id]["files_touched"] == ["b.py"]
    a.stop()
    b.stop()
    found = check(story, "HEAD", ["a.py", "b.py"])
    assert tokens(found["slots"][a.id]) == tokens(found["slots"][b.id]) == answers(0, 1)
    assert found["slots"][a.id]["transcript"] == a.file.read_text()
    done(story)


def test_shell_edits_while_two_turns_run(story: Story, two: Two) -> None:
    """No tool reports what a shell wrote: it is credited to one session, once."""
    a, b = two
    a.prompt("A")
    b.prompt("B")
    with a.shell("generate"):
        story.write("gen.py", "g\n")
    a.stop()
    b.stop()
    story.commit("gen")
    assert lines(sole(story, a, ["gen.py"])) == (1, 0, 0, 0, 1)
    done(story)


def test_the_committing_agent_takes_what_nobody_reports(story: Story, two: Two) -> None:
    """Who made the commit breaks ties."""
    a, b = two
    a.prompt("A")
    b.prompt("B")
    with b.shell("generate"):
        story.write("gen.py", "g\n")
    b.commit("gen")
    a.stop()
    b.stop()
    assert lines(sole(story, b, ["gen.py"])) == (1, 0, 0, 0, 1)
    done(story)


def test_three_sessions_on_one_branch(story: Story, two: Two) -> None:
    """The shadow branch goes when the last of its sessions is in a commit."""
    a, b = two
    c = story.session()
    c.start()
    for session, name in ((a, "a.py"), (b, "b.py"), (c, "c.py")):
        with session.turn(name):
            session.write(name, "x\n")
    (before,) = shadows(story)
    story.git("add", "a.py", "b.py")
    story.commit("ab", add=False)
    assert before in shadows(story)
    assert sorted(check(story, "HEAD", ["a.py", "b.py"])["slots"]) == sorted([a.id, b.id])
    story.commit("c")
    sole(story, c, ["c.py"])
    assert shadows(story) == []
    done(story)


def test_a_session_in_a_linked_worktree(story: Story, two: Two, tmp_path: Path) -> None:
    a, _ = two
    story.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = story.session()
    side.cwd = tmp_path / "side"
    side.start()
    with a.turn("Main"):
        a.write("a.py", "a\n")
    side.prompt("Side")
    path = tmp_path / "side/s.py"
    path.write_text("s\n")
    side.tool(
        "Write",
        {"file_path": str(path), "content": "s\n"},
        {"type": "create", "filePath": str(path), "structuredPatch": []},
    )
    side.stop()
    story.git("-C", str(tmp_path / "side"), "add", "-A")
    story.git("-C", str(tmp_path / "side"), "commit", "-q", "-m", "side")
    record = sole(story, side, ["s.py"], "side")
    assert record["branch"] == "side"
    assert story.ids("HEAD") == []
    story.commit("a")
    record = sole(story, a, ["a.py"])
    assert record["branch"] == "main"
    assert shadows(story) == []
    done(story)


def test_commits_of_a_person_far_from_both(story: Story, two: Two) -> None:
    a, b = two
    with a.turn("A"):
        a.write("a.py", "a\n")
    b.prompt("B")
    story.write("mine.py", "p\n")
    story.git("add", "mine.py")
    story.commit("mine", add=False, env=PERSON)
    b.stop()
    assert len(story.ids()) <= 1
    story.commit("a")
    sole(story, a, ["a.py"])
    done(story)


def test_a_persons_file_before_both_turns_is_nobodys(story: Story, two: Two) -> None:
    a, b = two
    story.write("mine.py", "p\n")
    a.prompt("A")
    b.prompt("B")
    story.git("add", "mine.py")
    story.commit("mine", add=False, env=PERSON)
    assert unlinked(story)
    a.stop()
    b.stop()
    done(story)
