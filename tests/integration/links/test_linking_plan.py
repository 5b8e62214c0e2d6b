"""``entire unlink``: no reader takes the commit as linked, its copies neither, whatever their messages name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.processes import count_git
from entire.git.read import Objects
from entire.model.origins import UNKNOWN, Origin, WhyRequest
from entire.store import links
from entire.store.links import CheckpointLinks
from entire.workspace import Workspace
from tests.integration.by_hand import a, links_of, run
from tests.integration.commandline import Command
from tests.integration.commits.test_missed_commits import BRANCH, NO_HOOKS, hookless, next_event
from tests.integration.story import Session, Story

__all__ = ["a", "run"]


def test_an_unlinked_commit_is_not_linked_for_any_reader(story: Story, run: Command, a: Session) -> None:
    commit = story.commit("Add both")
    (checkpoint_id,) = story.ids()
    listed = run("explain", "--no-pager")
    assert checkpoint_id in listed
    assert any(point["condensation_id"] == checkpoint_id for point in json.loads(run("rewind", "--list")))
    assert run("unlink", "HEAD", "--dry-run").splitlines() == [
        f"Commit {commit[:7]} Add both",
        f"  Unlink from checkpoint {checkpoint_id}, which stays stored",
        "  Its message keeps the trailer, which Entire then ignores.",
        "The commit and its message do not change.",
        "Nothing was changed.",
    ]
    done = run.json("unlink", "HEAD", "--yes")
    assert (done["before"], done["after"]) == ([checkpoint_id], [])
    assert story.head() == commit
    assert story.ids() == [checkpoint_id]  # the message
    assert links_of(story) == []
    assert Workspace.find(story.root).checkpoints.listing() == []
    said = run("explain", "--no-pager", commit)
    assert f"unlinked by hand from {checkpoint_id}" in said
    assert "Remedy: " in said
    points = json.loads(run("rewind", "--list"))
    assert [point["condensation_id"] for point in points] == [""]  # the turn's own step
    assert f"unlinked by hand from {checkpoint_id}" in run("status")
    assert "No Entire checkpoint found" in run("resume", "main")
    assert checkpoint_id in run("explain", "--no-pager", "-c", checkpoint_id)  # still stored
    assert "not stored here" not in run("doctor")


def test_undo_of_unlink_and_link_after_unlink(story: Story, run: Command, a: Session) -> None:
    commit = story.commit("Add both")
    ids = story.ids()
    refs = story.git("for-each-ref")
    run("unlink", "HEAD", "--yes")
    assert run("unlink", "HEAD", "--yes") == f"Commit {commit[:7]} Add both is not linked to any checkpoint.\n"
    assert run("unlink", "--undo") == f"Commit {commit[:7]} is linked to checkpoint {ids[0]} again.\n"
    assert story.git("for-each-ref") == refs
    assert links_of(story) == ids
    run("unlink", "HEAD", "--yes")
    run("link", "HEAD", "--yes")
    assert links_of(story) == ids
    assert story.reasons() == {}
    run("unlink", "HEAD", "--yes", "--checkpoint", ids[0][:6])
    assert links_of(story) == []
    run("link", "HEAD", "--yes", "--session", a.id[:6])
    assert links_of(story) == ids


def test_a_link_by_id_is_unlinked_too(story: Story, run: Command, a: Session) -> None:
    hookless(story, "Add both")
    next_event(a)
    assert len(story.recorded()) == 1
    run("unlink", "HEAD", "--yes")
    assert links_of(story) == []
    next_event(a)
    story.git("checkout", "-q", "-b", "side", "HEAD~1")
    next_event(a)
    story.git("checkout", "-q", "main")
    next_event(a)
    assert links_of(story) == []  # the record is not made again


@pytest.mark.parametrize("with_hooks", [True, False])
def test_copies_of_an_unlinked_commit_stay_unlinked(story: Story, run: Command, a: Session, with_hooks: bool) -> None:
    git = () if with_hooks else NO_HOOKS
    story.commit("Add both")
    ids = story.ids()
    run("unlink", "HEAD", "--yes")
    story.git(*git, "commit", "-q", "--amend", "-m", f"Add both, amended\n\nEntire-Checkpoint: {ids[0]}")
    next_event(a)
    assert links_of(story) == []
    amended = story.head()
    story.git("checkout", "-q", "-b", "side", "HEAD~1")
    story.write("other.txt", "o\n")
    story.commit("Other")
    story.git(*git, "cherry-pick", amended)
    next_event(a)
    assert links_of(story) == []
    story.git("checkout", "-q", "main")
    story.git(*git, "rebase", "-q", "side~1")
    next_event(a)
    assert story.ids() == ids
    assert links_of(story) == []
    run("link", "HEAD", "--yes")
    assert links_of(story) == ids
    next_event(a)
    story.git("checkout", "-q", "side")
    next_event(a)
    story.git("checkout", "-q", "main")
    next_event(a)
    assert links_of(story) == ids
    assert story.log_errors() == []


def test_a_squash_of_an_unlinked_commit_takes_the_others(story: Story, run: Command, a: Session) -> None:
    story.git("checkout", "-q", "-b", "side")
    story.commit("Add both")
    (gone,) = story.ids()
    with a.turn("More"):
        a.write("c.txt", "c1\n")
    story.commit("Add c")
    (kept,) = story.ids()
    run("unlink", "HEAD~1", "--yes")
    story.git("checkout", "-q", "main")
    story.git("merge", "-q", "--squash", "side")
    story.git("commit", "-q", "--no-edit")
    assert gone in links_in_message(story)
    assert links_of(story) == [kept]


def links_in_message(story: Story) -> str:
    return story.git("log", "-1", "--format=%B")


def test_an_amend_with_new_content_is_linked_to_that_only(story: Story, run: Command, a: Session) -> None:
    story.commit("Add both")
    (gone,) = story.ids()
    run("unlink", "HEAD", "--yes")
    with a.turn("More"):
        a.write("c.txt", "c1\n")
    story.git("add", "-A")
    story.git("commit", "-q", "--amend", "--no-edit")
    (kept,) = links_of(story)
    assert kept != gone
    assert "c.txt" in story.checkpoint(kept)["files_touched"]
    assert story.ids() == [gone, kept]
    story.git("commit", "-q", "--amend", "-m", f"Other words\n\nEntire-Checkpoint: {gone}\nEntire-Checkpoint: {kept}")
    assert links_of(story) == [kept]


def test_hooks_start_no_git_more_for_what_is_unlinked(story: Story, run: Command, a: Session, tmp_path: Path) -> None:
    def gits(name: str) -> int:
        with a.turn(f"Make {name}"):
            a.write(name, "1\n")
        trace = tmp_path / name
        story.commit(name, env={"GIT_TRACE2_EVENT": str(trace)})
        return count_git(trace)

    story.commit("Add both")
    gits("warm.txt")
    before = gits("c.txt")
    for number in range(3):
        run("unlink", f"HEAD~{number}", "--yes")
    assert gits("d.txt") == before


def test_the_list_is_as_long_as_asked_for_although_commits_are_unlinked(story: Story, run: Command, a: Session) -> None:
    story.commit("Add both")
    for name in "cdefg":
        with a.turn(name):
            a.write(f"{name}.txt", "1\n")
        story.commit(name)
    run("unlink", "HEAD", "--yes")
    run("unlink", "HEAD~2", "--yes")
    with Objects(str(story.root)) as objects:
        found = CheckpointLinks(str(story.root), objects, [BRANCH]).log(start="HEAD", limit=2)
        assert [linked.commit.subject for linked in found] == ["f", "d"]
        everything = CheckpointLinks(str(story.root), objects, [BRANCH]).log()
        assert [linked.commit.subject for linked in everything] == ["f", "d", "c", "Add both"]


def test_the_other_commands_know_the_records(story: Story, run: Command, a: Session) -> None:
    story.commit("Add both")
    run("unlink", "HEAD", "--yes")
    before = run("explain", "--no-pager")
    assert run("doctor") == "No problems found.\n"
    run("clean", "--force")
    assert run("explain", "--no-pager") == before
    assert links_of(story) == []
    assert links.FOLDER not in run("explain", "--no-pager")


def test_a_copy_by_a_picked_commit_that_stopped(story: Story, run: Command, a: Session) -> None:
    story.commit("Add both")
    (gone,) = story.ids()
    picked = story.head()
    run("unlink", "HEAD", "--yes")
    story.git("checkout", "-q", "-b", "side", "HEAD~1")
    story.write("a.txt", "other\n")
    story.commit("Other a")
    story.git("cherry-pick", picked, ok=False)
    story.write("a.txt", "a1\na2\n")
    story.git("add", "-A")
    story.git("-c", "core.editor=true", "cherry-pick", "--continue")
    assert story.ids() == [gone]
    assert gone not in links_of(story)


def test_a_checkpoint_that_a_commit_does_not_have(story: Story, run: Command, a: Session) -> None:
    commit = story.commit("Add both")
    run("unlink", "HEAD", "--yes", "--checkpoint", "ffff", status=1)
    assert "checkpoint not found: ffff" in run.err
    assert f"commit {commit[:7]} is linked to {story.ids()[0]}" in run.err
    run("unlink", "HEAD~1", "--yes", "--checkpoint", "ffff", status=1)
    assert "is linked to no checkpoint" in run.err
    assert run.json("unlink", "HEAD~1", "--yes")["undo_id"] == ""


def test_a_clone_without_the_commit_lists_the_others(story: Story, run: Command, a: Session) -> None:
    kept = story.commit("Add both")
    with a.turn("More"):
        a.write("c.txt", "c1\n")
    story.commit("Only here")
    run("unlink", "HEAD", "--yes")
    run("unlink", "HEAD~1", "--yes")
    clone = story.root.parent / "clone"
    story.git("clone", "-q", "--no-local", "--single-branch", str(story.root), str(clone))
    story.root = clone
    story.git("reset", "-q", "--hard", kept)
    story.git("update-ref", "-d", "refs/remotes/origin/main")
    story.git("fetch", "-q", "origin", f"{BRANCH}:{BRANCH}")
    story.git("reflog", "expire", "--expire=now", "--all")
    story.git("update-ref", "-d", "ORIG_HEAD")
    story.git("gc", "-q", "--prune=now")
    listed = run.json("status")["unlinked"]
    assert [one["commit"] for one in listed] == [kept]


def test_log_and_why_say_that_a_commit_is_unlinked(story: Story, run: Command, a: Session) -> None:
    def origin() -> Origin:
        (file,) = Workspace.find(story.root).origins.why(WhyRequest(path="a.txt")).files
        (lines,) = file.ranges
        return lines.origin

    commit = story.commit("Add both")
    (checkpoint_id,) = story.ids()
    assert origin().session_id == a.id
    assert run.json("log")[0]["checkpoint_ids"] == [checkpoint_id]
    run("unlink", "HEAD", "--yes")
    row = run.json("log")[0]
    assert (row["oid"], row["checkpoint_ids"], row["session_ids"]) == (commit, [], [])
    assert row["reason"] == f"unlinked by hand from {checkpoint_id}"
    assert (origin().kind, origin().session_id, origin().checkpoint_id) == (UNKNOWN, "", "")
    assert origin().reason == f"unlinked by hand from {checkpoint_id}"
    run("unlink", "--undo")
    assert origin().session_id == a.id
