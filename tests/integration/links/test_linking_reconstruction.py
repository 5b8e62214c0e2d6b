"""Whose lines a commit has that is linked by hand: what was known when it was made, however much came since."""

from __future__ import annotations

from tests.integration.by_hand import a, links_of, run, without_trailer
from tests.integration.commandline import Command
from tests.integration.commits.test_missed_commits import hookless
from tests.integration.commits.test_other_worktrees import side_worktree
from tests.integration.kept import slot_of
from tests.integration.story import Session, Story

__all__ = ["a", "run"]


def test_a_later_turn_does_not_change_whose_lines_an_older_commit_has(story: Story, run: Command, a: Session) -> None:
    commit = without_trailer(story)
    with a.turn("Change all of it"):
        a.write("a.txt", "x1\nx2\n")
    later = story.commit("Change a")
    assert len(story.ids()) == 1
    run("link", commit, "--yes")
    slot = slot_of(story, a, commit)
    assert slot["initial_attribution"]["agent_lines"] == 3
    tokens = [slot_of(story, a, oid)["token_usage"]["input_tokens"] for oid in (commit, later)]
    assert sum(tokens) == 2**a.answers - 1  # every answer once
    assert story.checkpoint(links_of(story, commit)[0])["lineage"]["files"]["a.txt"]["added"][0][:2] == [1, 2]


def test_what_an_agent_wrote_again_later_stays_the_persons(story: Story, run: Command, a: Session) -> None:
    story.write("mine.txt", "m1\nm2\n")
    commit = without_trailer(story)
    with a.turn("Remove it"), a.shell("rm mine.txt"):
        story.path("mine.txt").unlink()
    with a.turn("Write it again"):
        a.write("mine.txt", "m1\nm2\n")
    run("link", commit, "--yes")
    assert slot_of(story, a, commit)["initial_attribution"]["agent_lines"] == 3
    assert story.linked(commit)["lineage"]["files"]["mine.txt"]["added"] == [[1, 2, "person"]]


def test_a_commit_without_session_content_is_linked_with_the_persons_lines(
    story: Story, run: Command, a: Session
) -> None:
    story.commit("Both")
    with a.turn("Only talk"):
        a.answer({"type": "text", "text": "Do it like this"})
    story.write("mine.txt", "m1\nm2\n")
    commit = story.commit("By hand")
    assert story.ids() == []
    run("link", commit, "--yes")
    slot = slot_of(story, a, commit)
    attribution = slot["initial_attribution"]
    assert (attribution["agent_lines"], attribution["human_added"], attribution["total_committed"]) == (0, 2, 2)
    assert slot["files_touched"] == []
    owners = story.linked(commit)["lineage"]["files"]["mine.txt"]["added"]
    assert owners == [[1, 2, "person"]]


def test_from_another_worktree_the_lines_are_the_same(story: Story, run: Command, a: Session) -> None:
    commit = without_trailer(story)
    side = side_worktree(story)
    story.root, root = side.root, story.root
    run("link", commit, "--yes")
    assert slot_of(story, a, commit)["initial_attribution"]["agent_lines"] == 3
    assert commit[:7] not in run("status")
    story.root = root
    assert "Unlinked commits" not in run("status")


def test_after_the_journal_is_lost_all_lines_are_the_persons(story: Story, run: Command, a: Session) -> None:
    commit = without_trailer(story)
    story.path(".git/entire/journal.json").unlink()
    run("link", commit, "--yes")
    attribution = slot_of(story, a, commit)["initial_attribution"]
    assert (attribution["agent_lines"], attribution["human_added"]) == (0, 3)


def test_a_commit_made_with_the_hooks_off_after_the_session_was_forgotten(
    story: Story, run: Command, a: Session
) -> None:
    hookless(story, "Add both")
    run("status")
    assert links_of(story) != []  # examined as soon as a command runs
    story.write("mine.txt", "m\n")
    commit = hookless(story, "By hand")
    run("status")
    run("link", commit, "--yes")
    assert slot_of(story, a, commit)["initial_attribution"]["human_added"] == 1


def test_a_deleted_transcript_is_taken_from_what_is_stored(story: Story, run: Command, a: Session) -> None:
    commit = without_trailer(story)
    a.file.unlink()
    run("link", commit, "--yes")
    slot = slot_of(story, a, commit)
    assert slot["prompts"] == ["Make a and b"]
    assert "a1" in slot["transcript"]
    assert slot["initial_attribution"]["agent_lines"] == 3


def test_an_amend_that_removed_the_trailer_gets_the_old_checkpoint_again(
    story: Story, run: Command, a: Session
) -> None:
    story.commit("Add both")
    (checkpoint_id,) = story.ids()
    story.git("commit", "-q", "--amend", "-e", env={"GIT_EDITOR": "sed -i /Entire-Checkpoint/d"})
    assert (story.ids(), links_of(story)) == ([], [])
    run("link", "HEAD", "--yes")
    assert links_of(story) == [checkpoint_id]


def test_a_root_commit_a_merge_a_revert_and_an_empty_one(story: Story, run: Command, a: Session) -> None:
    story.commit("Add both")
    story.git("revert", "--no-edit", "HEAD")
    story.git("commit", "-q", "--allow-empty", "-m", "Nothing")
    root = story.git("rev-list", "--max-parents=0", "HEAD").strip()
    for commit in ("HEAD", "HEAD~1", root):
        run("link", commit, "--yes", "--session", a.id[:8])
        assert slot_of(story, a, commit)["initial_attribution"]["agent_lines"] == 0
    assert "is linked already" in run("link", "HEAD", "--yes")
    tokens = [slot_of(story, a, commit)["token_usage"]["input_tokens"] for commit in ("HEAD", "HEAD~1", root, "HEAD~2")]
    assert sum(tokens) == 2**a.answers - 1
    assert story.log_errors() == []
