"""``entire link``: a commit without a trailer is linked by its id, as honestly as a commit would have been."""

from __future__ import annotations

from tests.integration.by_hand import a, links_of, run, without_trailer
from tests.integration.commandline import Command
from tests.integration.commits.test_missed_commits import NO_HOOKS, state_of
from tests.integration.kept import slot_of
from tests.integration.story import Session, Story

__all__ = ["a", "run"]


def test_a_commit_whose_trailer_was_removed_is_linked_as_it_would_have_been(
    story: Story, run: Command, a: Session
) -> None:
    story.write("a.txt", "a1\nmine\na2\n")
    commit = without_trailer(story)
    assert story.reasons() == {commit: "its trailer was removed by hand"}
    done = run.json("link", "HEAD", "--yes")
    assert story.head() == commit
    assert done["before"] == []
    assert links_of(story) == done["after"] == [done["new"]]
    slot = slot_of(story, a)
    attribution = slot["initial_attribution"]
    assert (attribution["agent_lines"], attribution["human_added"], attribution["total_committed"]) == (3, 1, 4)
    assert slot["prompts"] == ["Make a and b"]
    assert slot["files_touched"] == ["a.txt", "b.txt"]
    assert slot["token_usage"]["input_tokens"] > 0
    assert "a1" in slot["transcript"]
    assert story.reasons() == {}
    assert story.log_errors() == []


def test_what_the_preview_says_is_what_happens(story: Story, run: Command, a: Session) -> None:
    commit = without_trailer(story)
    before = state_of(story)
    said = run("link", "HEAD", "--dry-run")
    assert state_of(story) == before
    assert said.splitlines() == [
        f"Commit {commit[:7]} Add both",
        "  It was not linked: its trailer was removed by hand",
        f"  Link to a checkpoint of session {a.id} (Claude Code)",
        "    Make a and b",
        "    3 of 3 added lines recorded as the agent's, in 2 files",
        "The commit and its message do not change.",
        "Nothing was changed.",
    ]
    run("link", "HEAD", status=2)
    assert "needs your confirmation" in run.err
    assert "--yes" in run.err
    run("link", "HEAD", "--json", status=2)
    assert links_of(story) == []
    done = run("link", "HEAD", "--yes")
    assert done.splitlines() == [
        f"Linked commit {commit[:7]} to checkpoint {links_of(story)[0]}.",
        "Run `entire link --undo` to undo this.",
    ]


def test_linking_twice_changes_nothing(story: Story, run: Command, a: Session) -> None:
    without_trailer(story)
    run("link", "HEAD", "--yes")
    before = state_of(story)
    said = run("link", "HEAD", "--yes")
    assert "is linked already, to checkpoint" in said
    assert "is linked already" in run("link", "HEAD", "--yes", "--session", a.id[:8])
    assert "is linked already" in run("link", "HEAD", "--yes", "--checkpoint", links_of(story)[0][:6])
    assert state_of(story) == before


def test_a_copy_by_hand_is_linked_to_the_checkpoint_that_exists(story: Story, run: Command, a: Session) -> None:
    story.commit("Add both")
    (checkpoint_id,) = story.ids()
    tree = story.git("rev-parse", "HEAD^{tree}").strip()
    copy = story.git("commit-tree", tree, "-p", "HEAD~1", "-m", "The same by hand").strip()
    story.git(*NO_HOOKS, "reset", "-q", "--hard", copy)
    run("link", copy, "--checkpoint", checkpoint_id[:7], "--yes")
    assert links_of(story, copy) == [checkpoint_id]
    assert copy in [link["commit"] for link in story.checkpoint(checkpoint_id)["lineage"]["commits"]]


def test_the_open_work_of_the_session_stays_open(story: Story, run: Command, a: Session) -> None:
    commit = without_trailer(story)
    with a.turn("More"):
        a.write("c.txt", "c1\n")
    run("link", commit, "--yes")
    story.commit("Add c")
    slot = slot_of(story, a)
    assert slot["files_touched"] == ["c.txt"]
    assert story.log_errors() == []


def test_a_commit_in_a_running_turn_gets_the_rest_of_the_turn(story: Story, run: Command, a: Session) -> None:
    story.commit("Both")
    a.prompt("Go on")
    a.write("c.txt", "c1\n")
    commit = without_trailer(story, "Add c")
    run("link", commit, "--yes")
    a.answer({"type": "text", "text": "Done at last"})
    a.stop()
    slot = slot_of(story, a, commit)
    assert "Done at last" in slot["transcript"]
    assert slot["token_usage"]["input_tokens"] + slot_of(story, a, f"{commit}~1")["token_usage"]["input_tokens"] == (
        2**a.answers - 1
    )
