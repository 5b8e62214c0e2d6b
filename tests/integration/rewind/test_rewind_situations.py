"""Lives of a repository in which a rewind once did the wrong thing; found by test_rewind_properties.py."""

from __future__ import annotations

import pytest

from entire.model.requests import RewindRequest
from entire.workspace import Workspace
from tests.integration.rewinding import points, rewind, undo
from tests.integration.story import Session, Story, later


@pytest.fixture
def a(story: Story, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(story.projects))
    return story.started()


def test_a_file_in_whose_place_a_folder_stays(story: Story, a: Session) -> None:
    story.write("d", "mine\n")
    with a.turn("First"):
        a.write("b", "one\n")
    with a.turn("A folder in place of the file"):
        with a.shell("rm d"):
            story.path("d").unlink()
        a.write("d/x.txt", "x\n")
        a.write("b", "two\n")
    story.commit("All")
    view = rewind(story, points(story)[-1])
    assert story.read("b") == "one\n"
    assert story.read("d/x.txt") == "x\n"
    assert sorted(entry.path for entry in view.left) == ["d", "d/x.txt"]
    undo(story)
    assert story.git("status", "--porcelain") == ""
    assert story.log_errors() == []


def test_a_file_where_a_folder_was(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("d/x.txt", "x\n")
        a.write("b", "one\n")
    with a.turn("Second"):
        story.path("d/x.txt").unlink()
        story.path("d").rmdir()
        a.write("b", "two\n")
    story.write("d", "mine\n")
    view = rewind(story, points(story)[-1])
    assert (story.read("b"), story.read("d")) == ("one\n", "mine\n")
    assert [entry.path for entry in view.left] == ["d/x.txt"]


def test_steps_on_an_old_base_stay_points(story: Story, a: Session) -> None:
    """Another session has its first step on the new HEAD before the first one moves there."""
    b = story.started()
    with a.turn("On the old commit"):
        a.write("a.txt", "a\n")
    with b.turn("On the old commit too"):
        b.write("b.txt", "b\n")
    story.write("mine.txt", "mine\n")
    story.git("add", "mine.txt")
    story.commit("Mine", add=False)
    before = points(story)
    with b.turn("On the new commit"):
        b.write("b.txt", "b 2\n")
    with a.turn("On the new commit too"):
        a.write("a.txt", "a 2\n")
    assert set(points(story)) > set(before)
    rewind(story, before[-1])
    assert story.read("a.txt") == "a\n"
    assert not story.path("b.txt").exists()


def test_steps_stay_points_of_their_branch(story: Story, a: Session) -> None:
    story.git("branch", "other")
    with a.turn("One"):
        a.write("a.txt", "a\n")
    story.commit("One")
    with a.turn("On main"):
        a.write("b.txt", "b\n")
    before = points(story)
    story.git("checkout", "-q", "other")
    with a.turn("On the other branch"):
        a.write("c.txt", "c\n")
    story.git("checkout", "-q", "main")
    assert set(points(story)) >= set(before)
    assert story.log_errors() == []


def test_an_undo_with_names_that_are_no_text(story: Story, a: Session) -> None:
    with a.turn("One"):
        a.write("a", "one\n")
    with a.turn("Two"), a.shell():  # no tool that takes its path from JSON can write it
        story.write("\udcff", "one\n")
    now = story.read("\udcff")
    rewind(story, points(story)[-1])
    assert not story.path("\udcff").exists()
    undo(story)
    assert story.read("\udcff") == now


LONG = "".join(f"line {number}\n" for number in range(20))


def test_my_line_that_an_undo_brought_back_is_mine(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("long.py", LONG)
    with a.turn("Second"):
        a.edit("long.py", "line 19", "line nineteen")
    story.write("long.py", story.read("long.py").replace("line 2\n", "line two, by me\n"))
    first = points(story)[-1]
    assert rewind(story, first).yours == ("long.py",)
    assert story.read("long.py") == LONG
    undo(story)
    assert rewind(story, first, keep_mine=True).yours == ("long.py",)
    assert story.read("long.py") == LONG.replace("line 2\n", "line two, by me\n")


def test_my_line_that_a_rewind_took_away_stays_away(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("long.py", LONG)
    story.write("long.py", LONG.replace("line 2\n", "line two, by me\n"))
    with a.turn("Second"):
        a.edit("long.py", "line 19", "line nineteen")
    first = points(story)[-1]
    rewind(story, first)
    with a.turn("Again"):
        a.edit("long.py", "line 10", "line ten")
    view = rewind(story, first, keep_mine=True)
    assert story.read("long.py") == LONG
    assert view.yours == ()


def test_a_file_that_an_undo_brought_back_goes_again(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("a", "a\n")
    with a.turn("Second"):
        a.write("b", "b\n")
    first = points(story)[-1]
    for _ in range(2):
        rewind(story, first)
        assert not story.path("b").exists()
        undo(story)
        assert story.read("b") == "b\n"


def test_a_later_point_after_an_earlier_one(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("a", "1\n")
    with a.turn("Second"):
        a.write("a", "2\n")
        a.write("b", "b\n")
    conversation = a.file.read_bytes()
    second, first = points(story)
    rewind(story, first)
    rewind(story, second)
    assert (story.read("a"), story.read("b")) == ("2\n", "b\n")
    assert a.file.read_bytes() == conversation
    story.commit("All")
    assert story.linked()["slots"][a.id]["files_touched"] == ["a", "b"]
    assert story.log_errors() == []


def test_only_one_session_after_a_rewind(story: Story, a: Session) -> None:
    b = story.started()
    with a.turn("First"):
        a.write("a", "1\n")
    with b.turn("Other"):
        b.write("b", "1\n")
    with a.turn("Second"):
        a.write("a", "2\n")
    first = points(story)[-1]
    rewind(story, first)
    assert not story.path("b").exists()
    undo(story)
    rewind(story, first, session_id=a.id)
    assert (story.read("a"), story.read("b")) == ("1\n", "1\n")
    undo(story)
    rewind(story, first, session_id=b.id)
    assert story.read("a") == "2\n"
    assert not story.path("b").exists()


def test_the_undo_of_a_rewind_is_linked(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("a", "1\n")
    with a.turn("Second"):
        a.write("b", "b\n")
    rewind(story, points(story)[-1])
    undo(story)
    story.commit("All")
    assert story.linked()["slots"][a.id]["files_touched"] == ["a", "b"]
    assert story.linked()["slots"][a.id]["initial_attribution"]["agent_lines"] == 2


def test_reset_with_staged_work(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("a", "1\n")
    first = story.commit("One")
    with a.turn("Second"):
        a.write("a", "2\n")
        a.write("new", "new\n")
    story.commit("Two")
    story.write("mine", "staged\n")
    story.git("add", "mine")
    story.write("mine", "more\n")
    story.write("README.md", "changed\n")
    index, now = story.git("ls-files", "-s"), story.git("status", "--porcelain")
    rewind(story, first, reset=True)
    assert (story.read("a"), story.read("mine"), story.read("README.md")) == ("1\n", "more\n", "changed\n")
    assert not story.path("new").exists()
    assert sorted(story.git("status", "--porcelain").splitlines()) == [" M README.md", "?? mine"]
    undo(story)
    assert (story.git("ls-files", "-s"), story.git("status", "--porcelain")) == (index, now)
    assert (story.read("a"), story.read("new")) == ("2\n", "new\n")


@pytest.mark.parametrize("swap", [False, True])
def test_a_commit_with_a_folder_in_a_files_place(story: Story, a: Session, swap: bool) -> None:
    """What lay beside a commit at the last look before it may be in the way of what the commit has."""
    before, then = ("d", "d/x") if not swap else ("d/x", "d")
    with a.turn("First"):
        a.write("a", "a\n")
        a.write(before, "agent's\n")
    if swap:
        story.path("d/x").unlink()
        story.path("d").rmdir()
    else:
        story.path("d").unlink()
    story.write(then, "mine\n")
    commit = story.commit("All")
    with a.turn("Second"):
        a.write(then, "agent's too\n")
        a.write("a", "a 2\n")
    view = rewind(story, commit)
    assert (story.read(then), story.read("a")) == ("mine\n", "a\n")
    assert view.left == ()
    assert story.git("status", "--porcelain") == ""


def test_files_of_another_branch_do_not_come_along(story: Story, a: Session) -> None:
    """Nobody looked at the worktree between the switch and the commit."""
    with a.turn("On main"):
        a.write("base", "base\n")
    story.commit("Base")
    story.git("checkout", "-q", "-b", "other")
    with a.turn("On the other branch"):
        a.write("x", "x\n")
    story.commit("Other")
    with a.turn("Not committed there"):
        a.write("y", "y\n")
        a.write("z", "z\n")
    story.git("checkout", "-q", "main", env=later(2))
    story.git("add", "y")
    commit = story.commit("On main", add=False, env=later(2))
    with a.turn("Later"):
        a.write("y", "y 2\n")
        a.write("z", "z 2\n")
    rewind(story, commit)
    assert (story.read("y"), story.read("z")) == ("y\n", "z\n")
    assert not story.path("x").exists()


def test_an_undo_leaves_a_folder_that_was_empty(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("d/x", "x\n")
    with a.turn("Second"), a.shell():
        story.path("d/x").unlink()
    assert story.path("d").is_dir()
    rewind(story, points(story)[-1])
    assert story.read("d/x") == "x\n"
    undo(story)
    assert list(story.path("d").iterdir()) == []
    undo(story)
    assert story.read("d/x") == "x\n"


def test_a_file_that_a_person_put_in_a_folders_place_is_theirs(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(story.projects))
    a = story.session()
    a.start()
    with a.turn("A folder"):
        a.write("d/x.txt", "x\n")
    point = Workspace.find(story.root).points.listing()[0]
    story.path("d/x.txt").unlink()
    story.path("d").rmdir()
    story.write("d", "mine\n")
    with a.turn("Change it"):
        a.write("d", "mine\nand yours\n")
    with Workspace.find(story.root).points.rewind(RewindRequest(to=point.id)) as planned:
        done = planned.carry_out()
    assert {entry.path: entry.reason for entry in done.left}["d"] == "you created it"
    assert story.read("d") == "mine\nand yours\n"


def replace_in(story: Story, path: str, old: str, new: str) -> None:
    assert old in story.read(path)
    story.write(path, story.read(path).replace(old, new))


MY_LINE = LONG.replace("line 2\n", "line two, by me\n")


def test_my_line_that_was_merged_is_still_mine(story: Story, a: Session) -> None:
    """A rewind that kept it did not take it back: the next one names it, or keeps it too."""
    with a.turn("First"):
        a.write("long.py", LONG)
    with a.turn("Second"):
        a.edit("long.py", "line 19", "line nineteen")
    replace_in(story, "long.py", "line 2\n", "line two, by me\n")
    with a.turn("Third"):
        a.edit("long.py", "line 5", "line five")
    replace_in(story, "long.py", "line 8\n", "line eight, by me\n")
    mine = MY_LINE.replace("line 8\n", "line eight, by me\n")
    first = points(story)[-1]
    for _ in range(2):
        assert rewind(story, first, keep_mine=True).yours == ("long.py",)
        assert story.read("long.py") == mine
    assert rewind(story, first).yours == ("long.py",)
    assert story.read("long.py") == LONG


def test_a_conflict_that_i_resolved_stays_resolved(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("long.py", LONG)
    with a.turn("Second"):
        a.edit("long.py", "line 19", "line nineteen")
    replace_in(story, "long.py", "line nineteen", "line nineteen, by me")
    first = points(story)[-1]
    for _ in range(2):
        assert [edit.what for edit in rewind(story, first, keep_mine=True).edits] in (["conflict"], [])
        assert "<<<<<<< yours\nline nineteen, by me\n" in story.read("long.py")
    resolved = LONG.replace("line 19", "line 19, by me")
    story.write("long.py", resolved)
    with a.turn("Third"):
        a.edit("long.py", "line 3\n", "line three\n")
    rewind(story, first, keep_mine=True)
    assert story.read("long.py") == resolved


def test_what_others_did_is_known_after_a_session_was_taken_back(story: Story, a: Session) -> None:
    b = story.started()
    with a.turn("First"):
        a.write("long.py", LONG)
    with a.turn("Second"):
        a.edit("long.py", "line 19", "line nineteen")
    with b.turn("Other"):
        b.edit("long.py", "line 10", "line ten")
    replace_in(story, "long.py", "line 2\n", "line two, by me\n")
    with a.turn("Third"):
        a.edit("long.py", "line 15", "line fifteen")
    first = points(story)[-1]
    rewind(story, first, session_id=a.id, files_only=True)
    assert story.read("long.py") == MY_LINE.replace("line 10", "line ten")
    rewind(story, first, session_id=b.id, files_only=True)
    assert story.read("long.py") == MY_LINE
    assert rewind(story, first, keep_mine=True).yours == ("long.py",)
    assert story.read("long.py") == MY_LINE
    assert rewind(story, first).yours == ("long.py",)
    assert story.read("long.py") == LONG


def test_my_line_that_a_commit_brought_back_is_mine(story: Story, a: Session) -> None:
    """No turn ran between my change and my commit; the commit shows that it was there."""
    with a.turn("First"):
        a.write("long.py", LONG)
    first = points(story)[-1]
    replace_in(story, "long.py", "line 2\n", "line two, by me\n")
    commit = story.commit("With my line")
    with a.turn("Second"):
        a.edit("long.py", "line 19", "line nineteen")
    rewind(story, commit)
    assert story.read("long.py") == MY_LINE
    rewind(story, first, keep_mine=True)
    assert story.read("long.py") == MY_LINE


def test_my_line_that_a_later_point_brought_back_is_mine(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("long.py", LONG)
    with a.turn("Second"):
        a.edit("long.py", "line 19", "line nineteen")
    replace_in(story, "long.py", "line 2\n", "line two, by me\n")
    with a.turn("Third"):
        a.edit("long.py", "line 10", "line ten")
    third, second, first = points(story)
    rewind(story, second)
    rewind(story, third)
    assert story.read("long.py") == MY_LINE.replace("line 19", "line nineteen").replace("line 10", "line ten")
    assert rewind(story, first, keep_mine=True).yours == ("long.py",)
    assert story.read("long.py") == MY_LINE


def test_no_session_begins_after_a_rewind(story: Story, a: Session) -> None:
    """What lies untracked at its next turn was not there when it began, and protects no later file of that name."""
    with a.turn("First"):
        a.write("a", "1\n")
    first = points(story)[-1]
    with a.turn("Second"):
        a.write("a", "2\n")
    rewind(story, first)
    story.write("d", "mine\n")
    with a.turn("Take it away"), a.shell():
        story.path("d").unlink()
    with a.turn("Make another"):
        a.write("d", "agent's\n")
    view = rewind(story, first)
    assert view.left == ()
    assert not story.path("d").exists()


def test_reset_to_the_present_commit_keeps_what_is_staged(story: Story, a: Session) -> None:
    with a.turn("First"):
        a.write("a", "1\n")
    commit = story.commit("One")
    with a.turn("Second"):
        a.write("a", "2\n")
    story.write("mine", "staged\n")
    story.git("add", "mine")
    assert rewind(story, commit, reset=True).moved_to == ""
    assert story.read("a") == "1\n"
    assert story.git("status", "--porcelain").splitlines() == ["A  mine"]


def test_my_file_that_an_agent_committed_is_none_of_its_own(story: Story, a: Session) -> None:
    story.write("mine", "1\n")
    story.commit("Mine")
    with a.turn("First"):
        a.write("a", "1\n")
    first = points(story)[-1]
    story.write("mine", "2\n")
    with a.turn("Commit everything"):
        a.write("a", "2\n")
        story.git("add", "-A")
        with a.shell("git commit"):
            story.git("commit", "-q", "-m", "All", env={"CLAUDE_CODE_SESSION_ID": a.id, "CLAUDECODE": "1"})
    rewind(story, first)
    assert (story.read("a"), story.read("mine")) == ("1\n", "2\n")
