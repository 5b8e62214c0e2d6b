"""Commits that came about without our hooks, made with git's plumbing: no hook runs, the record learns of them
later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from entire import layout
from entire.directory import AgentDirectory
from entire.recording.context import Context
from entire.settings import Settings
from entire.snapshots import followed_commits
from entire.store.lineage_file import NAME
from tests.integration.story import Session, Story

BRANCH = "entire/checkpoints/v1"
MERGED = "merge feature: Merge made by the 'ort' strategy."


@pytest.fixture
def a(story: Story) -> Session:
    """A session at work, with one linked commit, a.txt."""
    session = story.session()
    session.start()
    with session.turn("Make a"):
        session.write("a.txt", "a\n")
    story.commit("Add a")
    session.prompt("Go on")
    return session


@pytest.fixture
def context(story: Story, a: Session) -> Iterator[Context]:
    place = layout.find(str(story.root))
    assert place is not None
    one = Context(place, Settings(), AgentDirectory.without_plugins())
    yield one
    one.close()
    assert story.log_errors() == []


def copy(story: Story, *parents: str, tree: str = "HEAD", message: str = "") -> str:
    """Make a commit that no hook sees; without ``message`` it carries the message of HEAD."""
    text = message or story.git("log", "-1", "--format=%B")
    args = [word for parent in parents for word in ("-p", parent)]
    return story.git("commit-tree", f"{tree}^{{tree}}", *args, stdin=text).strip()


def kept(story: Story) -> str:
    return story.git("rev-parse", BRANCH).strip()


def slots(story: Story) -> list[str]:
    """Return the files of all checkpoints but our own record."""
    return [line for line in story.git("ls-tree", "-r", BRANCH).splitlines() if not line.endswith(NAME)]


# ---------------------------------------------------------------- add_links


def add_links(context: Context, *oids: str) -> None:
    """Add commits to the checkpoints that their messages name."""
    found = {oid: context.objects.commit(oid) for oid in oids}
    ids = {oid: context.links.of(commit) if commit is not None else [] for oid, commit in found.items()}
    followed_commits.add_links(context, ids)


def test_a_copy_is_added_to_the_record_and_to_nothing_else(story: Story, context: Context) -> None:
    first, before = story.linked()["lineage"], slots(story)
    other = copy(story, "HEAD~1")
    add_links(context, other)
    lineage = story.linked()["lineage"]
    assert [one["commit"] for one in lineage["commits"]] == [story.head(), other]
    old, new = lineage["commits"]
    assert (new["tree"], new["patch_id"], new["branch"]) == (old["tree"], old["patch_id"], "main")
    assert new["patch_id"]
    assert {**lineage, "commits": []} == {**first, "commits": [], "numbered_in": story.head()}
    assert slots(story) == before


def test_what_is_known_is_not_written_again(story: Story, context: Context) -> None:
    other = copy(story, "HEAD~1")
    add_links(context, story.head())
    once = kept(story)
    assert [one["commit"] for one in story.linked()["lineage"]["commits"]] == [story.head()]
    add_links(context, other)
    twice = kept(story)
    assert twice != once
    add_links(context, other, story.head())
    assert kept(story) == twice


def test_a_copy_without_a_parent_is_measured_against_nothing(story: Story, context: Context) -> None:
    root = copy(story)
    add_links(context, root)
    old, new = story.linked()["lineage"]["commits"]
    assert new["commit"] == root
    assert new["tree"] == old["tree"]
    assert new["patch_id"] not in ("", old["patch_id"])  # it brings the whole tree


def test_a_squash_is_learned_by_each_of_its_checkpoints(story: Story, a: Session, context: Context) -> None:
    a.write("b.txt", "b\n")
    a.stop()
    ids = story.ids()
    story.commit("Add b")
    ids += story.ids()
    message = "Both\n\n" + "".join(f"Entire-Checkpoint: {one}\n" for one in ids)
    squash = copy(story, "HEAD~2", message=message)
    before = story.git("rev-list", "--count", BRANCH)
    add_links(context, squash)
    assert [story.checkpoint(one)["lineage"]["commits"][-1]["commit"] for one in ids] == [squash, squash]
    assert int(story.git("rev-list", "--count", BRANCH)) == int(before) + 1


@pytest.mark.parametrize(
    "message", ["No id\n", "Foreign\n\nEntire-Checkpoint: 0123456789ab\n", "Bad\n\nEntire-Checkpoint: ../../x\n"]
)
def test_commits_that_carry_no_checkpoint_of_ours_write_nothing(story: Story, context: Context, message: str) -> None:
    before = kept(story)
    add_links(context, copy(story, "HEAD", message=message))
    assert kept(story) == before


def test_commits_that_are_gone_are_passed_over(story: Story, context: Context) -> None:
    before = kept(story)
    add_links(context)
    add_links(context, "1" * 40)
    add_links(context, story.git("rev-parse", "HEAD^{tree}").strip())
    assert kept(story) == before
    other = copy(story, "HEAD~1")
    add_links(context, "1" * 40, other)
    assert story.linked()["lineage"]["commits"][-1]["commit"] == other


# ---------------------------------------------------------------- head_moved


def test_what_came_in_is_learned_the_oldest_first(story: Story, context: Context) -> None:
    before = story.head()
    first = copy(story, "HEAD~1")
    second = copy(story, first)
    followed_commits.head_moved(context, before, second)
    assert [one["commit"] for one in story.linked()["lineage"]["commits"]] == [before, first, second]


def test_commits_that_our_hooks_have_seen_are_not_learned_again(story: Story, context: Context) -> None:
    before = story.head()
    taken = copy(story, "HEAD~1")
    other = copy(story, taken)
    context.journal.caches.trees[taken] = story.git("rev-parse", f"{taken}^{{tree}}").strip()
    followed_commits.head_moved(context, before, other)
    assert [one["commit"] for one in story.linked()["lineage"]["commits"]] == [before, other]


@pytest.mark.parametrize("ends", [lambda head: (head, ""), lambda head: (head, head), lambda head: ("1" * 40, head)])
def test_nothing_came_in(story: Story, context: Context, ends: Callable[[str], tuple[str, str]]) -> None:
    other = copy(story, "HEAD~1")
    before, after = ends(other)
    kept_before = kept(story)
    followed_commits.head_moved(context, before, after)
    assert kept(story) == kept_before
    assert context.journal.reasons == []


def merged(story: Story, subject: str = MERGED, message: str = "Merge feature\n") -> tuple[str, str]:
    """Move HEAD to a merge with ``subject`` in the reflog; returns HEAD before and after."""
    before = story.head()
    side = copy(story, "HEAD~1", message="Side\n")
    merge = copy(story, before, side, message=message)
    story.git("update-ref", "-m", subject, "HEAD", merge)
    return before, merge


@pytest.mark.parametrize(
    ("subject", "here"),
    [
        (MERGED, True),
        ("pull: Merge made by the 'ort' strategy.", True),
        ("pull --no-rebase origin main: Merge made by the 'ort' strategy.", True),
        ("merge feature: Fast-forward", False),  # somebody else's merge came in
        ("pull: Fast-forward", False),
        ("reset: moving to origin/main", False),
        ("checkout: moving from a to merge ", False),
    ],
)
def test_a_merge_is_noted_if_it_was_made_here(story: Story, context: Context, subject: str, here: bool) -> None:
    before, merge = merged(story, subject)
    followed_commits.head_moved(context, before, merge)
    assert [one["commit"] for one in context.journal.reasons] == ([merge] if here else [])


def test_a_merge_below_what_came_in_later_is_noted(story: Story, context: Context) -> None:
    before, merge = merged(story)
    later = copy(story, merge, message="Later\n")
    story.git("update-ref", "-m", "commit: Later", "HEAD", later)
    followed_commits.head_moved(context, before, later)
    assert [one["commit"] for one in context.journal.reasons] == [merge]


def test_a_merge_is_noted_once(story: Story, context: Context) -> None:
    before, merge = merged(story)
    context.journal.note_reason(merge, "known", 1.0)
    followed_commits.head_moved(context, before, merge)
    assert [one["reason"] for one in context.journal.reasons] == ["known"]


def test_a_merge_that_carries_a_checkpoint_needs_no_reason(story: Story, context: Context) -> None:
    message = story.git("log", "-1", "--format=%B")
    before, merge = merged(story, message=message)
    followed_commits.head_moved(context, before, merge)
    assert context.journal.reasons == []
    assert story.linked()["lineage"]["commits"][-1]["commit"] == merge


def test_a_merge_concerns_nobody_when_no_session_is_at_work(story: Story, a: Session, context: Context) -> None:
    a.stop()
    before, merge = merged(story)
    followed_commits.head_moved(context, before, merge)
    assert context.journal.reasons == []


def test_a_reflog_that_is_gone_or_broken_tells_of_no_merge(story: Story, context: Context) -> None:
    before, merge = merged(story)
    reflog = Path(context.place.git_dir, "logs", "HEAD")
    for data in (b"", b"\xff\xfe\n\tmerge x\nword\tmerge x\n"):
        reflog.write_bytes(data)
        followed_commits.head_moved(context, before, merge)
        assert context.journal.reasons == []
    reflog.unlink()
    followed_commits.head_moved(context, before, merge)
    assert context.journal.reasons == []
