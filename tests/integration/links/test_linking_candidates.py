"""Which session a commit is linked to by hand, if nobody says so."""

from __future__ import annotations

from tests.integration.by_hand import a, links_of, run, without_trailer
from tests.integration.commandline import Command
from tests.integration.story import Session, Story

__all__ = ["a", "run"]


def test_several_sessions_as_likely_are_listed_and_one_is_chosen(story: Story, run: Command, a: Session) -> None:
    b = story.started()
    with b.turn("Talk"):
        b.answer({"type": "text", "text": "Hello"})
    story.commit("Both")
    story.write("mine.txt", "m\n")
    commit = story.commit("By hand")
    run("link", commit, "--yes", status=1)
    assert a.id in run.err
    assert b.id in run.err
    assert "--session ID" in run.err
    assert links_of(story) == []
    run("link", commit, "--yes", "--session", b.id[:8])
    assert list(story.linked(commit)["slots"]) == [b.id]


def test_a_commit_that_nobody_recorded_says_so(story: Story, run: Command) -> None:
    run("link", "HEAD", "--yes", status=1)
    assert "no session is recorded" in run.err
    run("link", "nowhere", "--yes", status=1)
    assert "commit not found: nowhere" in run.err
    run("link", "HEAD", "--yes", "--session", "abc", status=1)
    assert "session not found: abc" in run.err
    run("link", "HEAD", "--yes", "--checkpoint", "abc", status=1)
    assert "checkpoint not found: abc" in run.err
    run("link", "HEAD", "--session", "a", "--checkpoint", "b", status=2)
    run("link", status=2)
    run("link", "HEAD", "--undo", status=2)
    run("link", "--undo", status=1)
    assert "no `entire link` to undo" in run.err


def test_a_session_of_another_clone_is_linked_by_its_checkpoint(story: Story, run: Command, a: Session) -> None:
    story.commit("Add both")
    (checkpoint_id,) = story.ids()
    clone = story.root.parent / "clone"
    story.git("clone", "-q", str(story.root), str(clone))
    story.root = clone
    story.git("fetch", "-q", "origin", "entire/checkpoints/v1:entire/checkpoints/v1")
    run("link", "HEAD~1", "--yes", "--session", a.id[:8], status=1)
    assert "is only stored in checkpoints here; nothing was changed" in run.err
    assert f"--checkpoint {checkpoint_id}" in run.err
    assert "is linked already" in run("link", "HEAD", "--yes", "--session", a.id[:8])


def test_the_session_that_had_worked_on_the_files_is_taken(story: Story, run: Command, a: Session) -> None:
    b = story.started()
    with b.turn("Make c"):
        b.write("c.txt", "c1\n")
    story.commit("All three")
    story.write("c.txt", "mine\n")
    commit = story.commit("Only mine")
    run("link", commit, "--yes")
    assert list(story.linked(commit)["slots"]) == [b.id]
    assert story.linked(commit)["slots"][b.id]["initial_attribution"]["agent_lines"] == 0


def test_two_sessions_with_content_are_both_in_the_checkpoint(story: Story, run: Command, a: Session) -> None:
    b = story.started()
    with b.turn("Make c"):
        b.write("c.txt", "c1\n")
    commit = without_trailer(story)
    run("link", commit, "--yes")
    assert set(story.linked(commit)["slots"]) == {a.id, b.id}
    run("link", "--undo")
    run("link", commit, "--yes", "--session", b.id[:6])
    found = story.linked(commit)
    assert list(found["slots"]) == [b.id]
    assert found["slots"][b.id]["initial_attribution"]["agent_lines"] == 1
    assert found["lineage"]["files"]["a.txt"]["added"][0][2].startswith(a.id)
