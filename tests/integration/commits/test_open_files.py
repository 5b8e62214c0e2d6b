"""Which files of a session are not committed yet: true when it is shown, and in its state from the next event on."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from entire.workspace import Workspace
from tests import hostile_worktree
from tests.integration.kept import lines, reason, slot_of, unlinked
from tests.integration.story import Session, Story

NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


def shown(story: Story, a: Session) -> tuple[str, ...]:
    """Return the files of a session that ``status`` shows as not committed yet."""
    (view,) = [view for view in Workspace.find(story.root).maintenance.status().sessions if view.session_id == a.id]
    return view.open_files


def recorded(a: Session) -> list[str]:
    """Return the open files in the session's state."""
    found: list[str] = a.state().get("files_touched", [])
    return found


def steps(a: Session) -> int:
    return int(a.state().get("checkpoint_count", 0))


def is_live(story: Story) -> bool:
    return story.path(".git/entire/live").exists()


@pytest.fixture
def a(story: Story) -> Session:
    """A session that made new.txt and changed old.txt in its first turn."""
    story.write("old.txt", "one\ntwo\nthree\n")
    story.commit("Old")
    session = story.started()
    with session.turn("Make new, change old"):
        session.write("new.txt", "new one\nnew two\n")
        session.edit("old.txt", "two", "TWO")
    assert shown(story, session) == ("new.txt", "old.txt")
    return session


def plumbing(story: Story) -> None:
    story.git("add", "-A")
    tree = story.git("write-tree").strip()
    commit = story.git("commit-tree", tree, "-p", "HEAD", "-m", "By plumbing").strip()
    story.git("update-ref", "refs/heads/main", commit)


def without_reflog(story: Story) -> None:
    """Commit as a program that writes refs itself and no reflog."""
    story.git("add", "-A")
    tree = story.git("write-tree").strip()
    commit = story.git("commit-tree", tree, "-p", "HEAD", "-m", "By another program").strip()
    story.path(".git/refs/heads/main").write_text(commit + "\n")


def with_hooks_off(story: Story) -> None:
    story.git("add", "-A")
    story.git(*NO_HOOKS, "commit", "-q", "-m", "With hooks off")


def without_hook_files(story: Story) -> None:
    hooks = story.path(".git/hooks")
    hooks.rename(story.path(".git/gone"))
    story.commit("Without hooks")
    story.path(".git/gone").rename(hooks)


WAYS = [plumbing, with_hooks_off, without_hook_files]


# ---------------------------------------------------------------- commits that are not linked


def test_a_commit_whose_trailer_was_removed(story: Story, a: Session) -> None:
    editor = story.root.parent / "editor"
    editor.write_text("#!/bin/sh\nprintf 'By choice\\n' >\"$1\"\n")
    editor.chmod(0o755)
    story.git("add", "-A")
    story.git("commit", "-q", env={"GIT_EDITOR": str(editor)})
    assert unlinked(story) == "its trailer was removed by hand"
    assert shown(story, a) == ()
    assert (recorded(a), steps(a)) == ([], 0)
    assert story.git("branch", "--list", "entire/*") == ""  # its steps are condensed
    assert not any("no session uses" in line for line in story.logged("INFO"))  # nothing had to be cleared up
    assert [point.kind for point in Workspace.find(story.root).points.listing()] == ["step"]
    assert not is_live(story)
    assert story.log_errors() == []


def test_a_commit_of_the_path_without_the_sessions_content(story: Story, a: Session) -> None:
    story.write("new.txt", "quite different\nin every line\n")
    story.write("old.txt", "one\ntwo\nthree\nfour\n")
    story.commit("All mine")
    assert unlinked(story) == "it contains no session content"
    assert shown(story, a) == ()
    assert (recorded(a), steps(a)) == ([], 0)
    assert story.log_errors() == []


def test_a_person_who_wrote_all_of_it_again_has_the_file(story: Story, a: Session) -> None:
    story.write("new.txt", "quite different\nin every line\n")
    story.write("old.txt", "zero\none\n  'TWO',\nthree\n")  # as a formatter might leave it
    assert shown(story, a) == ("old.txt",)
    story.write("old.txt", "zero\none\nTWO\nthree\n")
    assert shown(story, a) == ("old.txt",)
    a.prompt("Look")
    assert recorded(a) == ["old.txt"]
    assert shown(story, a) == ("old.txt",)
    a.stop()
    assert shown(story, a) == ("old.txt",)
    assert story.log_errors() == []


def test_a_commit_of_a_part_leaves_the_rest_open(story: Story, a: Session) -> None:
    story.git("add", "new.txt")
    story.git(*NO_HOOKS, "commit", "-q", "-m", "Part")
    assert shown(story, a) == ("old.txt",)
    a.prompt("Look")
    assert recorded(a) == ["old.txt"]
    a.stop()
    story.commit("Rest")
    assert slot_of(story, a)["files_touched"] == ["old.txt"]
    assert lines(slot_of(story, a)) == (1, 0, 0, 0, 1)
    assert story.log_errors() == []


# ---------------------------------------------------------------- work that is gone


def discard(story: Story) -> None:
    story.git("reset", "-q", "--hard")
    story.git("clean", "-fdq")


def remove(story: Story) -> None:
    story.path("new.txt").unlink()
    story.git("checkout", "-q", "--", "old.txt")


def restore(story: Story) -> None:
    story.git("restore", "old.txt")
    story.path("new.txt").unlink()


@pytest.mark.parametrize("away", [discard, remove, restore])
def test_work_that_was_thrown_away(story: Story, a: Session, away: Callable[[Story], None]) -> None:
    away(story)
    before = a.state()
    assert shown(story, a) == ()
    assert a.state() == before  # showing writes nothing
    a.prompt("Look")
    assert recorded(a) == []
    a.stop()
    a.end()
    assert recorded(a) == []
    assert not is_live(story)
    assert story.log_errors() == []


def test_another_sessions_event_closes_what_was_thrown_away(story: Story, a: Session) -> None:
    b = story.started()
    with b.turn("Make b"):
        b.write("b.txt", "b\n")
    story.git("checkout", "-q", "--", "old.txt")
    with b.turn("Go on"):
        b.write("b.txt", "b\nb\n")
    assert (recorded(a), recorded(b)) == (["new.txt"], ["b.txt"])
    assert (shown(story, a), shown(story, b)) == (("new.txt",), ("b.txt",))
    assert story.log_errors() == []


@pytest.mark.parametrize("with_turn", [False, True])
def test_stashed_work_is_not_shown_and_comes_back(story: Story, a: Session, *, with_turn: bool) -> None:
    story.git("stash", "-q", "-u")
    assert shown(story, a) == ()
    if with_turn:
        with a.turn("Look"):
            pass
        with a.turn("Look again"):
            pass
        assert shown(story, a) == ()
    story.git("stash", "pop", "-q")
    assert shown(story, a) == ("new.txt", "old.txt")
    story.commit("Back")
    assert slot_of(story, a)["files_touched"] == ["new.txt", "old.txt"]
    assert lines(slot_of(story, a))[0] == 3
    assert shown(story, a) == ()
    assert story.log_errors() == []


def test_a_stash_that_was_dropped_is_thrown_away(story: Story, a: Session) -> None:
    story.git("stash", "-q", "-u")
    with a.turn("Look"):
        pass
    story.git("stash", "drop", "-q")
    with a.turn("Look again"):
        pass
    assert recorded(a) == []
    assert not is_live(story)
    assert story.log_errors() == []


def test_a_worktree_that_is_gone_has_no_open_files(story: Story) -> None:
    story.git("worktree", "add", "-q", "../side")
    side = Story(story.root.parent / "side", enable=False, first_commit=False)
    b = side.session()
    b.start()
    with b.turn("Make b"):
        b.write("b.txt", "b\n")
    assert shown(story, b) == ("b.txt",)
    story.git("worktree", "remove", "--force", "../side")
    assert shown(story, b) == ()


# ---------------------------------------------------------------- commits that no hook saw


@pytest.mark.parametrize("way", WAYS)
def test_a_commit_that_no_hook_saw(story: Story, a: Session, way: Callable[[Story], None]) -> None:
    way(story)
    commit = story.head()
    assert shown(story, a) == ()
    a.prompt("Go on")
    assert recorded(a) == []
    assert slot_of(story, a, commit)["files_touched"] == ["new.txt", "old.txt"]
    assert (story.ids(commit), story.reasons()) == ([], {})
    a.write("next.txt", "next\n")
    a.stop()
    story.commit("Next")
    assert slot_of(story, a)["files_touched"] == ["next.txt"]
    assert lines(slot_of(story, a)) == (1, 0, 0, 0, 1)
    assert shown(story, a) == ()
    assert story.log_errors() == []


@pytest.mark.parametrize("way", WAYS)
def test_the_next_event_may_be_a_commit(story: Story, a: Session, way: Callable[[Story], None]) -> None:
    way(story)
    commit = story.head()
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    assert unlinked(story) == ""  # no session has work here any more
    assert slot_of(story, a, commit)["files_touched"] == ["new.txt", "old.txt"]
    assert (story.ids(commit), story.reasons()) == ([], {})
    assert recorded(a) == []
    assert story.log_errors() == []


@pytest.mark.parametrize("way", WAYS)
def test_the_next_event_may_be_the_sessions_end(story: Story, a: Session, way: Callable[[Story], None]) -> None:
    way(story)
    commit = story.head()
    a.end()
    assert recorded(a) == []
    assert slot_of(story, a, commit)["files_touched"] == ["new.txt", "old.txt"]
    assert (story.ids(commit), story.reasons()) == ([], {})
    assert not is_live(story)
    assert story.log_errors() == []


@pytest.mark.parametrize("way", WAYS)
def test_a_commit_that_no_hook_saw_during_a_turn(story: Story, a: Session, way: Callable[[Story], None]) -> None:
    a.prompt("More")
    a.write("more.txt", "more\n")
    way(story)
    commit = story.head()
    assert shown(story, a) == ()
    a.stop()
    assert (recorded(a), shown(story, a)) == ([], ())
    assert slot_of(story, a, commit)["files_touched"] == ["more.txt", "new.txt", "old.txt"]
    assert (story.ids(commit), story.reasons()) == ([], {})
    assert story.log_errors() == []


@pytest.mark.parametrize("in_turn", [False, True])
def test_a_commit_without_a_reflog_may_have_come_in(story: Story, a: Session, *, in_turn: bool) -> None:
    """Nothing says that it was made here: it is nobody's work, and a reason says so."""
    if in_turn:
        a.prompt("More")
        a.write("more.txt", "more\n")
    without_reflog(story)
    commit = story.head()
    if not in_turn:
        a.prompt("Look")
    a.stop()
    assert story.recorded() == []
    assert story.reasons() == {commit: "HEAD's reflog does not say that it was made here"}
    assert recorded(a) == []
    assert story.log_errors() == []


def test_a_persons_commit_without_a_reflog_needs_no_reason(story: Story, a: Session) -> None:
    story.commit("All")
    a.prompt("Wait")
    story.write("theirs.txt", "theirs\n")
    without_reflog(story)
    a.stop()
    assert story.recorded() == []
    assert unlinked(story) == ""
    assert story.log_errors() == []


def test_lines_of_a_commit_that_no_hook_saw_are_settled(story: Story, a: Session) -> None:
    with_hooks_off(story)
    story.write("old.txt", "zero\n" + story.read("old.txt"))
    story.commit("A person's line in the same file")
    assert story.ids() == []
    assert story.log_errors() == []


def test_a_commit_of_one_file_that_no_hook_saw(story: Story, a: Session) -> None:
    story.git("add", "old.txt")
    story.git(*NO_HOOKS, "commit", "-q", "-m", "One")
    a.end()
    assert recorded(a) == ["new.txt"]
    assert a.state()["base_commit"] == story.head()  # its step went along
    assert steps(a) == 1
    story.commit("Other")
    assert slot_of(story, a)["files_touched"] == ["new.txt"]
    assert story.log_errors() == []


def test_several_commits_that_no_hook_saw(story: Story, a: Session) -> None:
    found = []
    for name in ("mine.txt", "old.txt", "new.txt"):
        story.write("mine.txt", "mine\n")
        story.git("add", name)
        story.git(*NO_HOOKS, "commit", "-q", "-m", name)
        found.append(story.head())
    a.prompt("Go on")
    assert story.reasons() == {found[0]: "it contains no session content"}
    assert [slot_of(story, a, commit)["files_touched"] for commit in found[1:]] == [["old.txt"], ["new.txt"]]
    assert recorded(a) == []
    assert story.log_errors() == []


def test_an_amend_that_no_hook_saw(story: Story, a: Session) -> None:
    story.git("add", "old.txt")
    story.git("commit", "-q", "-m", "One")
    (one,) = story.ids()
    story.git("add", "new.txt")
    story.git(*NO_HOOKS, "commit", "-q", "--amend", "--no-edit")
    assert story.ids() == [one]
    assert shown(story, a) == ()
    a.prompt("Go on")
    assert recorded(a) == []
    assert reason(story) == ""
    assert slot_of(story, a)["files_touched"] == ["new.txt", "old.txt"]
    a.stop()
    story.write("new.txt", story.read("new.txt") + "mine\n")
    story.commit("Mine")
    assert story.ids() == []
    assert story.log_errors() == []


def test_a_merge_and_a_pull_without_hooks_have_no_reason(story: Story, a: Session) -> None:
    a.prompt("Look")
    clone = story.root.parent / "clone"
    subprocess.run(["git", "clone", "-q", str(story.root), str(clone)], check=True)
    for number in range(3):
        (clone / "new.txt").write_text(f"another {number}\n")
        subprocess.run(["git", "-C", str(clone), "add", "-A"], check=True)
        subprocess.run(["git", "-C", str(clone), "commit", "-qm", f"Theirs {number}"], check=True)
    story.path("new.txt").unlink()
    story.git("pull", "-q", "--ff-only", str(clone), "main")
    a.stop()
    assert story.recorded() == []
    assert story.reasons() == {}
    assert recorded(a) == ["old.txt"]
    assert story.log_errors() == []


def test_a_switch_to_other_commits_has_no_reason(story: Story, a: Session) -> None:
    clone = story.root.parent / "clone"
    subprocess.run(["git", "clone", "-q", str(story.root), str(clone)], check=True)
    subprocess.run(["git", "-C", str(clone), "switch", "-qc", "topic"], check=True)
    for text in ("new one\n", "new one\nnew two\n"):
        (clone / "new.txt").write_text(text)
        subprocess.run(["git", "-C", str(clone), "add", "-A"], check=True)
        subprocess.run(["git", "-C", str(clone), "commit", "-qm", "Theirs"], check=True)
    story.git("fetch", "-q", str(clone), "topic:topic")
    a.prompt("Go to the other branch")
    story.path("new.txt").unlink()
    with a.shell("git switch topic"):
        story.git("switch", "-q", "topic")
    a.stop()
    assert story.recorded() == []
    assert story.reasons() == {}
    assert recorded(a) == ["old.txt"]
    assert story.log_errors() == []


def test_a_rebase_without_hooks_has_no_reason(story: Story, a: Session) -> None:
    story.commit("Linked")
    (one,) = story.ids()
    story.git("switch", "-q", "-c", "topic", "HEAD~1")
    story.write("topic.txt", "topic\n")
    story.commit("Topic")
    with a.turn("Make b"):
        a.write("b.txt", "b\n")
    story.git("stash", "-q", "-u")
    story.git("switch", "-q", "main")
    story.git(*NO_HOOKS, "rebase", "-q", "topic")
    assert story.ids() == [one]
    a.prompt("Look")
    assert reason(story) == ""
    assert story.linked()["lineage"]["commits"][-1]["commit"] == story.head()
    assert story.log_errors() == []


def test_a_commit_that_no_hook_saw_while_a_rebase_stopped(story: Story, a: Session) -> None:
    story.git("checkout", "-q", "--", "old.txt")
    story.git("rebase", "-q", "-i", "HEAD~1", env={"GIT_SEQUENCE_EDITOR": "sed -i -e s/^pick/edit/"})
    story.git("add", "new.txt")
    story.git(*NO_HOOKS, "commit", "-q", "-m", "By hand")
    with a.turn("Look"):
        pass
    story.git("rebase", "--continue")
    a.prompt("Look again")
    assert recorded(a) == []
    assert slot_of(story, a)["files_touched"] == ["new.txt"]
    assert (story.ids(), story.reasons()) == ([], {})
    a.stop()
    story.write("new.txt", story.read("new.txt") + "mine\n")
    story.commit("Mine")
    assert unlinked(story) == ""  # no session has work here any more
    assert story.log_errors() == []


def test_what_a_rebase_put_aside_stays_open(story: Story, a: Session) -> None:
    edit = {"GIT_SEQUENCE_EDITOR": "sed -i -e s/^pick/edit/"}
    story.git("rebase", "-q", "-i", "--autostash", "HEAD~1", env=edit)
    assert story.read("old.txt") == "one\ntwo\nthree\n"
    with a.turn("Look"):
        assert recorded(a) == ["new.txt", "old.txt"]
    assert recorded(a) == ["new.txt", "old.txt"]
    story.git("rebase", "--continue")
    assert shown(story, a) == ("new.txt", "old.txt")
    story.commit("All")
    assert slot_of(story, a)["files_touched"] == ["new.txt", "old.txt"]
    assert story.log_errors() == []


# ---------------------------------------------------------------- several sessions


def test_a_commit_by_another_session_in_mid_turn(story: Story, a: Session) -> None:
    b = story.started()
    a.prompt("More")
    a.write("more.txt", "more\n")
    b.prompt("Make b")
    b.write("b.txt", "b\n")
    b.commit("Everything")
    assert (shown(story, a), shown(story, b)) == ((), ())
    assert recorded(a) == []
    b.stop()
    assert (shown(story, a), shown(story, b), recorded(a), recorded(b)) == ((), (), [], [])
    a.stop()
    assert (shown(story, a), shown(story, b), recorded(a), recorded(b)) == ((), (), [], [])
    assert story.log_errors() == []


def test_what_a_commit_held_does_not_open_again_at_the_end_of_another_turn(story: Story) -> None:
    a, b = story.session(), story.session()
    for one in (a, b):
        one.start()
        one.prompt("Work")
    b.write("b.txt", "b\n")
    b.stop()
    assert recorded(b) == ["b.txt"]
    with_hooks_off(story)
    with a.shell():
        story.write("b.txt", "b\nmine\n")
    a.write("a.txt", "a\n")
    a.stop()
    assert (recorded(a), recorded(b)) == (["a.txt", "b.txt"], [])  # changed in a's turn alone
    assert (shown(story, a), shown(story, b)) == (("a.txt", "b.txt"), ())
    assert story.log_errors() == []


def test_showing_needs_no_write_access(story: Story, a: Session) -> None:
    before = {path: path.stat().st_mtime_ns for path in Path(story.root, ".git").rglob("*")}
    assert shown(story, a) == ("new.txt", "old.txt")
    os.utime(story.path("old.txt"))
    assert shown(story, a) == ("new.txt", "old.txt")
    assert {path: path.stat().st_mtime_ns for path in Path(story.root, ".git").rglob("*")} == before


def test_a_file_belongs_to_the_session_that_changed_it_last(story: Story) -> None:
    a, b = story.session(), story.session()
    for one in (a, b):
        one.start()
        one.prompt("Work")
    with a.shell():
        story.write("shared.txt", "a\n")
    a.hook("pre-compact", trigger="auto")
    b.prompt("Again")
    b.write("shared.txt", "b\nb\n")
    assert recorded(a) == ["shared.txt"]
    b.stop()
    assert (recorded(a), recorded(b)) == ([], ["shared.txt"])
    a.stop()
    assert (recorded(a), recorded(b)) == ([], ["shared.txt"])
    assert story.log_errors() == []


@pytest.mark.parametrize("is_discarded", [False, True])
def test_a_moved_file_is_still_linked(story: Story, a: Session, *, is_discarded: bool) -> None:
    story.path("new.txt").rename(story.path("moved.txt"))
    story.git("checkout", "-q", "--", "old.txt")
    a.prompt("Look")
    a.stop()
    assert (recorded(a), shown(story, a), is_live(story)) == ([], (), True)
    if is_discarded:
        story.path("moved.txt").unlink()
        with a.turn("Look again"):
            pass
    else:
        story.commit("Moved")
        assert slot_of(story, a)["files_touched"] == ["moved.txt"]
        assert lines(slot_of(story, a)) == (2, 0, 0, 0, 2)
    assert (recorded(a), is_live(story)) == ([], False)
    assert story.log_errors() == []


def test_a_partial_commit_in_mid_turn_leaves_the_rest_open(story: Story, a: Session) -> None:
    a.prompt("More")
    a.write("new.txt", "new one\nnew two\nnew three\n")
    story.git("add", "old.txt")
    story.git(*NO_HOOKS, "commit", "-q", "-m", "Part")
    a.stop()
    assert recorded(a) == ["new.txt"]
    assert shown(story, a) == ("new.txt",)
    story.commit("Rest")
    assert slot_of(story, a)["files_touched"] == ["new.txt"]
    assert story.log_errors() == []


def test_a_pipe_or_a_link_in_place_of_a_file_is_not_opened(story: Story, a: Session, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for made in (hostile_worktree.a_pipe, hostile_worktree.a_link_to_a_pipe):
        story.path("old.txt").unlink()
        made(story.path("old.txt"), tmp_path)
        with hostile_worktree.bounds(20):
            assert shown(story, a) == ("new.txt", "old.txt")
