"""``entire link --undo`` and ``entire unlink --undo``: exactly, or only their own entries."""

from __future__ import annotations

import pytest

from entire import layout
from entire.store import sessions, sync
from entire.undo import completion
from entire.workspace import Workspace
from tests.integration.by_hand import a, links_of, run, without_trailer
from tests.integration.commandline import Command
from tests.integration.commits.test_missed_commits import BRANCH, state_of
from tests.integration.kept import slot_of
from tests.integration.setup.test_clean_killed import each, killed
from tests.integration.story import Session, Story

__all__ = ["a", "run"]


def test_undo_restores_everything(story: Story, run: Command, a: Session) -> None:
    commit = without_trailer(story)
    before = {name: data for name, data in state_of(story).items() if _is_state(name)}
    refs = story.git("for-each-ref")
    run("link", "HEAD", "--yes")
    assert links_of(story) != []
    said = run("link", "--undo")
    assert said == f"Commit {commit[:7]} is not linked any more.\n"
    assert story.git("for-each-ref") == refs
    after = {name: data for name, data in state_of(story).items() if _is_state(name)}
    assert after.keys() == before.keys()
    assert {name for name in after if after[name] != before[name]} <= {_journal(before)}
    assert story.reasons() == {commit: "its trailer was removed by hand"}
    run("link", "--undo", status=1)
    run("link", "HEAD", "--yes")
    assert slot_of(story, a)["token_usage"]["input_tokens"] == 2**a.answers - 1


def _is_state(name: str) -> bool:
    return "/entire/sessions/" in name or "/entire-sessions/" in name or name.endswith("/entire/journal.json")


def _journal(names: dict[str, bytes]) -> str:
    return next(name for name in names if name.endswith("journal.json"))


def test_undo_after_more_was_written_takes_back_only_the_link(story: Story, run: Command, a: Session) -> None:
    commit = without_trailer(story)
    run("link", "HEAD", "--yes")
    (checkpoint_id,) = links_of(story)
    with a.turn("More"):
        a.write("c.txt", "c1\n")
    later = story.commit("Add c")
    said = run("link", "--undo")
    assert "only" not in said
    assert "the checkpoints themselves stay" in said
    assert links_of(story, commit) == []
    assert links_of(story, later) == story.ids(later) != []
    assert story.checkpoint(checkpoint_id)["slots"].keys() == {a.id}


def test_undo_leaves_what_somebody_decided_since(story: Story, run: Command, a: Session) -> None:
    commit = story.commit("Add both")
    ids = story.ids()
    run("unlink", "HEAD", "--yes")
    run("link", "HEAD", "--yes")
    run("unlink", "HEAD", "--yes")
    assert run("unlink", "--undo").startswith(f"Commit {commit[:7]} is linked to checkpoint {ids[0]} again")
    run("unlink", "--undo", status=1)
    assert "its links have changed since; nothing was changed" in run.err
    assert links_of(story) == ids


def test_what_was_pushed_is_undone_by_entries_that_a_push_takes_along(story: Story, run: Command, a: Session) -> None:
    story.commit("Add both")
    ids = story.ids()
    remote = story.root.parent / "remote"
    story.git("init", "-q", "--bare", str(remote))
    story.git("remote", "add", "origin", str(remote))
    run("unlink", "HEAD", "--yes")
    story.git("push", "-q", "--no-verify", "origin", "main", BRANCH)
    said = run("unlink", "--undo")
    assert "the checkpoints themselves stay" in said
    assert links_of(story) == ids
    story.git("push", "-q", "--no-verify", "origin", BRANCH)
    clone = story.root.parent / "clone"
    story.git("clone", "-q", str(remote), str(clone))
    assert list(Workspace.find(clone).history.commit("HEAD").checkpoint_ids) == ids


def test_two_clones_decide_and_agree_after_a_push(story: Story, run: Command, a: Session) -> None:
    story.commit("Add both")
    ids = story.ids()
    remote, root = story.root.parent / "remote", story.root
    story.git("init", "-q", "--bare", str(remote))
    story.git("remote", "add", "origin", str(remote))
    story.git("push", "-q", "--no-verify", "origin", "main", BRANCH)
    clone = root.parent / "clone"
    story.git("clone", "-q", str(remote), str(clone))
    run("unlink", "HEAD", "--yes")
    run("link", "HEAD", "--yes")
    story.root = clone
    run("unlink", "HEAD", "--yes")  # once, against twice
    for turn in (root, clone, root):
        sync.push(str(turn), "origin")
    for place in (root, clone):
        story.root = place
        assert links_of(story) == ids
    run("unlink", "HEAD", "--yes")  # knows the twice
    sync.push(str(clone), "origin")
    story.root = root
    story.git("fetch", "-q", "origin")
    for place in (root, clone):
        story.root = place
        assert links_of(story) == []
        assert "unlinked by hand" in run("explain", "HEAD", "--no-pager")


@pytest.mark.parametrize("first", ["link", "unlink"])
def test_killed_anywhere_all_or_nothing_is_done(story: Story, run: Command, a: Session, first: str) -> None:
    if first == "link":
        without_trailer(story)
    else:
        story.commit("Add both")
    before = links_of(story)
    outcomes = set()

    def check() -> None:
        place = layout.find(str(story.root))
        assert place is not None
        completion.complete(place)
        changed = links_of(story) != before
        counted = sessions.find(place, a.id)
        assert counted is not None
        outcomes.add(changed)
        assert bool(counted.covered.position.count) == (changed or first == "unlink")
        assert bool(story.reasons()) == (first == "link" and not changed)
        run(first, "HEAD", "--yes")
        assert links_of(story) != before
        assert story.log_errors() == []
        run(first, "--undo")
        assert links_of(story) == before

    each(story, killed(story, first, "HEAD", "--yes"), check)
    assert outcomes == {True, False}
