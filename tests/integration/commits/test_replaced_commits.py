"""Commits in place of others, copies of commits, and commits that take others back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.kept import checkpoints, commit_of, input_tokens, lines, reason, slot_of, start, unlinked
from tests.integration.story import Session, Story


def session(story: Story) -> Session:
    a = story.session()
    a.start()
    return a


def make(story: Story, a: Session, name: str, text: str = "") -> str:
    """A turn that makes a file of one line, and a person's commit of it. Returns the id."""
    with a.turn(f"Make {name}"):
        a.write(f"{name}.txt", text or f"{name}\n")
    story.commit(f"Add {name}")
    (one,) = story.ids()
    return one


def commits(checkpoint: dict[str, Any]) -> list[str]:
    return [one["commit"] for one in checkpoint["lineage"]["commits"]]


def subtree(story: Story, one: str) -> str:
    return story.git("rev-parse", f"entire/checkpoints/v1:{one[:2]}/{one[2:]}").strip()


def slots(story: Story, one: str) -> list[str]:
    """Return the git ids of the slots of a checkpoint: they do not change when only our record does."""
    names = story.git("ls-tree", f"entire/checkpoints/v1:{one[:2]}/{one[2:]}").splitlines()
    return [name for name in names if "lineage.json" not in name]


def rebase(story: Story, todo: str, *args: str, ok: bool = True, **env: str) -> str:
    """Rebase interactively with ``todo``, a sed script for the list of picks."""
    return story.git(
        "rebase", "-i", *args, ok=ok, env={"GIT_SEQUENCE_EDITOR": f"sed -i '{todo}'", "GIT_EDITOR": "true", **env}
    )


# ---------------------------------------------------------------- reset


@pytest.mark.parametrize("how", ["--soft", "--mixed"])
def test_reset_of_one_commit(story: Story, how: str) -> None:
    a = session(story)
    one = make(story, a, "a")
    before = subtree(story, one)
    story.git("reset", "-q", how, "HEAD~1")
    story.commit("Add a, again")
    assert story.ids() == [one]
    assert len(checkpoints(story)) == 1
    assert slots(story, one)
    assert subtree(story, one) == before or commits(story.linked())[-1] == story.head()
    assert story.log_errors() == []


def test_reset_of_several_commits(story: Story) -> None:
    a = session(story)
    ids = [make(story, a, name) for name in "abc"]
    before = [slots(story, one) for one in ids]
    story.git("reset", "-q", "--soft", "HEAD~3")
    story.commit("All three", add=False)
    assert story.ids() == ids
    assert [slots(story, one) for one in ids] == before
    assert len(checkpoints(story)) == 3
    assert story.log_errors() == []


def test_reset_of_several_commits_with_new_work(story: Story) -> None:
    """The new content gets an id of its own, with the tokens of the new turn."""
    a = session(story)
    ids = [make(story, a, name) for name in "ab"]
    story.git("reset", "-q", "--soft", "HEAD~2")
    with a.turn("Make c"):
        a.write("c.txt", "c\nc\n")
    story.commit("All three")
    found = story.ids()
    assert found[:2] == ids
    assert len(found) == 3
    checkpoint = story.checkpoint(found[2])
    slot = checkpoint["slots"][a.id]
    assert checkpoint["files_touched"] == slot["files_touched"] == ["c.txt"]
    assert (input_tokens(slot), start(slot)) == (16 + 32, 8)
    assert input_tokens(checkpoint) == input_tokens(slot)
    assert story.log_errors() == []


def test_reset_with_open_work_costs_nothing_again(story: Story) -> None:
    a = session(story)
    with a.turn("Make a and b"):
        a.write("a.txt", "a\n")
        a.write("b.txt", "b\n")
    story.git("add", "a.txt")
    story.commit("a", add=False)
    (one,) = story.ids()
    story.git("reset", "-q", "--soft", "HEAD~1")
    story.commit("a and b")
    found = story.ids()
    assert found[0] == one
    assert len(found) == 2
    slot = story.checkpoint(found[1])["slots"][a.id]
    assert (slot["files_touched"], input_tokens(slot), start(slot)) == (["b.txt"], 0, 0)
    assert story.log_errors() == []


def test_a_commit_split_in_two_keeps_its_id_on_both(story: Story) -> None:
    a = session(story)
    with a.turn("Make a and b"):
        a.write("a.txt", "a\n")
        a.write("b.txt", "b\n")
    story.commit("a and b")
    ids = story.ids()
    story.git("reset", "-q", "HEAD~1")
    story.git("add", "a.txt")
    story.commit("a", add=False)
    assert story.ids() == ids
    story.git("add", "b.txt")
    story.git("reset", "-q")  # moves nothing
    story.commit("b")
    assert story.ids() == ids
    assert len(checkpoints(story)) == 1
    story.write("mine.txt", "mine\n")
    story.commit("mine")
    assert story.ids() == []
    assert story.log_errors() == []


def test_hard_reset_then_other_work(story: Story) -> None:
    a = session(story)
    one = make(story, a, "a")
    story.git("reset", "-q", "--hard", "HEAD~1")
    two = make(story, a, "b")
    assert two != one
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (
        ["b.txt"],
        (1, 0, 0, 0, 1),
        4 + 8,
        4,
    )
    assert story.log_errors() == []


def test_hard_reset_then_a_persons_work(story: Story) -> None:
    a = session(story)
    make(story, a, "a")
    story.git("reset", "-q", "--hard", "HEAD~1")
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    unlinked(story)
    story.write("more.txt", "mine\n")
    story.commit("More")
    unlinked(story)
    assert len(checkpoints(story)) == 1
    assert story.log_errors() == []


def test_soft_reset_with_no_session_alive(story: Story) -> None:
    a = session(story)
    ids = [make(story, a, name) for name in "ab"]
    a.end()
    story.git("reset", "-q", "--soft", "HEAD~2")
    story.commit("Both", add=False)
    assert story.ids() == ids
    assert story.log_errors() == []


# ---------------------------------------------------------------- squash


@pytest.mark.parametrize("message", [["-m", "One commit"], ["--no-edit"], []])
def test_merge_squash(story: Story, message: list[str]) -> None:
    a = session(story)
    story.git("checkout", "-q", "-b", "feature")
    ids = [make(story, a, name) for name in "ab"]
    before = [slots(story, one) for one in ids]
    story.git("checkout", "-q", "main")
    story.git("merge", "-q", "--squash", "feature")
    story.git("commit", "-q", *message, env={"GIT_EDITOR": "true"})
    assert sorted(story.ids()) == sorted(ids)
    keys = story.git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)").split()
    assert keys == ids  # git's own list of the collected messages begins with the newest; the trailers do not
    assert [slots(story, one) for one in ids] == before
    assert len(checkpoints(story)) == 2
    assert story.log_errors() == []


@pytest.mark.parametrize("message", [["-m", "One commit"], []])
def test_merge_squash_with_new_work(story: Story, message: list[str]) -> None:
    a = session(story)
    story.git("checkout", "-q", "-b", "feature")
    one = make(story, a, "a")
    story.git("checkout", "-q", "main")
    story.git("merge", "-q", "--squash", "feature")
    with a.turn("Make b"):
        a.write("b.txt", "b\nb\n")
    story.git("add", "-A")
    story.git("commit", "-q", *message, env={"GIT_EDITOR": "true"})
    found = story.ids()
    assert found[0] == one
    assert len(found) == 2
    slot = story.checkpoint(found[1])["slots"][a.id]
    assert (slot["files_touched"], input_tokens(slot), start(slot)) == (["b.txt"], 12, 4)
    assert story.log_errors() == []


def test_merge_squash_with_no_session_alive(story: Story) -> None:
    a = session(story)
    story.git("checkout", "-q", "-b", "feature")
    ids = [make(story, a, name) for name in "ab"]
    a.end()
    story.git("checkout", "-q", "main")
    story.git("merge", "-q", "--squash", "feature")
    story.git("commit", "-q", "-m", "One commit")
    assert story.ids() == ids
    assert story.log_errors() == []


def test_merge_squash_of_a_persons_branch(story: Story) -> None:
    a = session(story)
    story.git("checkout", "-q", "-b", "feature")
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    story.git("checkout", "-q", "main")
    with a.turn("Make a"):
        a.write("a.txt", "a\n")
    story.git("merge", "-q", "--squash", "feature")
    story.git("commit", "-q", "-m", "One commit")
    assert unlinked(story)
    assert a.state()["files_touched"] == ["a.txt"]
    story.commit("a")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot)) == (["a.txt"], (1, 0, 0, 0, 1), 3)
    assert story.log_errors() == []


# ---------------------------------------------------------------- rebase


def three(story: Story, a: Session) -> list[str]:
    return [make(story, a, name) for name in "abc"]


@pytest.mark.parametrize("word", ["squash", "fixup"])
def test_interactive_squash_and_fixup(story: Story, word: str) -> None:
    a = session(story)
    ids = three(story, a)
    before = [slots(story, one) for one in ids]
    rebase(story, f"2,3s/^pick/{word}/", "HEAD~3")
    assert all(story.path(f"{name}.txt").exists() for name in "abc")
    assert story.git("rev-list", "--count", "HEAD").strip() == "3"
    assert story.ids() == ids
    assert [slots(story, one) for one in ids] == before
    assert story.log_errors() == []


def test_interactive_reword(story: Story) -> None:
    a = session(story)
    ids = three(story, a)
    before = [slots(story, one) for one in ids]
    rebase(story, "1s/^pick/reword/", "HEAD~3", GIT_EDITOR="sed -i '1s/.*/Other words/'")
    assert story.git("log", "-1", "--format=%s", "HEAD~2").strip() == "Other words"
    assert [story.ids(name) for name in ("HEAD~2", "HEAD~1", "HEAD")] == [[one] for one in ids]
    a.prompt("Go on")  # HEAD has moved without us: our record learns it at the next event
    assert [slots(story, one) for one in ids] == before
    assert [commits(story.checkpoint(one))[-1] for one in ids] == [commit_of(story, f"HEAD~{n}") for n in (2, 1, 0)]
    assert story.log_errors() == []


def test_interactive_reword_that_replaces_the_whole_message(story: Story) -> None:
    """A reword is an amend: the id stays, as with `commit --amend -m`."""
    a = session(story)
    ids = three(story, a)
    rebase(story, "3s/^pick/reword/", "HEAD~3", GIT_EDITOR="sed -i '1s/.*/Other words/'")
    assert story.ids() == [ids[2]]
    assert story.log_errors() == []


def test_interactive_drop_and_reorder(story: Story) -> None:
    a = session(story)
    ids = three(story, a)
    rebase(story, "2d;1{h;d};3G", "HEAD~3")
    assert [story.ids(name) for name in ("HEAD~1", "HEAD")] == [[ids[2]], [ids[0]]]
    a.prompt("Go on")
    assert commits(story.checkpoint(ids[0]))[-1] == story.head()
    assert story.log_errors() == []


def test_an_edit_stop_with_new_content(story: Story) -> None:
    """What the agent makes in the stop and commits by itself is one new commit with one new id."""
    a = session(story)
    ids = three(story, a)
    rebase(story, "2s/^pick/edit/", "HEAD~3")
    with a.turn("Make d"):
        a.write("d.txt", "d\n")
    story.commit("d, in between")
    slot = slot_of(story, a)
    assert story.ids()[0] not in ids
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (
        ["d.txt"],
        (1, 0, 0, 0, 1),
        64 + 128,
        12,
    )
    story.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert [story.ids(name) for name in ("HEAD~3", "HEAD~2", "HEAD")] == [[one] for one in ids]
    assert story.log_errors() == []


def test_an_edit_stop_with_an_amend(story: Story) -> None:
    a = session(story)
    ids = three(story, a)
    rebase(story, "2s/^pick/edit/", "HEAD~3")
    with a.turn("More b"):
        a.edit("b.txt", "b\n", "b\nb2\n")
    story.git("commit", "-q", "-a", "--amend", "--no-edit")
    assert story.ids() == [ids[1]]
    slot = slot_of(story, a)
    assert (lines(slot), input_tokens(slot), start(slot)) == ((2, 0, 0, 0, 2), 4 + 8 + 64 + 128, 4)
    story.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert [story.ids(name) for name in ("HEAD~2", "HEAD~1", "HEAD")] == [[one] for one in ids]
    assert story.log_errors() == []


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
@pytest.mark.parametrize("alive", [True, False])
def test_rebase(story: Story, backend: str, alive: bool) -> None:
    a = session(story)
    story.git("checkout", "-q", "-b", "feature")
    ids = [make(story, a, name) for name in "ab"]
    with a.turn("Make open"):
        a.write("open.txt", "open\n")
    before = [slots(story, one) for one in ids]
    if not alive:
        story.commit("open")
        ids += story.ids()
        before.append(slots(story, ids[-1]))
        a.end()
    story.git("checkout", "-q", "main")
    story.write("mine.txt", "mine\n")
    story.git("add", "mine.txt")
    story.commit("Mine", add=False)
    story.git("checkout", "-q", "feature")
    story.git("rebase", "-q", backend, "main")
    found = [story.ids(name) for name in story.git("rev-list", "--reverse", "main..HEAD").split()]
    assert found == [[one] for one in ids]
    assert [slots(story, one) for one in ids] == before
    if alive:
        with a.turn("Go on"):
            a.write("c.txt", "c\n")
        assert commits(story.checkpoint(ids[1]))[-1] == story.head()
        story.commit("open and c")
        slot = slot_of(story, a)
        assert (slot["files_touched"], lines(slot)) == (["c.txt", "open.txt"], (2, 0, 0, 0, 2))
        assert (input_tokens(slot), start(slot)) == (16 + 32 + 64 + 128, 8)
    assert story.log_errors() == []


def test_rebase_with_a_conflict_resolved_by_a_person(story: Story) -> None:
    a = session(story)
    story.write("f.txt", "base\n")
    story.commit("f")
    story.git("checkout", "-q", "-b", "feature")
    with a.turn("Change f"):
        a.edit("f.txt", "base\n", "agent\n")
    story.commit("Agent's f")
    (one,) = story.ids()
    story.git("checkout", "-q", "main")
    story.write("f.txt", "person\n")
    story.commit("Person's f")
    story.git("checkout", "-q", "feature")
    story.git("rebase", "-q", "main", ok=False)
    story.write("f.txt", "person\nagent\n")
    story.git("add", "f.txt")
    story.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert story.ids() == [one]
    assert story.log_errors() == []


# ---------------------------------------------------------------- cherry-pick


def picked(story: Story) -> tuple[Session, str]:
    """A linked commit of a.txt on the branch ``feature``; ``main`` is checked out."""
    a = session(story)
    story.git("checkout", "-q", "-b", "feature")
    one = make(story, a, "a")
    story.git("checkout", "-q", "main")
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    return a, one


def test_cherry_pick(story: Story) -> None:
    a, one = picked(story)
    before = slots(story, one)
    old = commit_of(story, "feature")
    with a.turn("Make open"):
        a.write("open.txt", "open\n")
    story.git("cherry-pick", "feature")
    assert story.ids() == [one]
    assert slots(story, one) == before
    assert set(commits(story.checkpoint(one))) == {old, story.head()}
    assert reason(story) == ""
    story.commit("open")
    slot = slot_of(story, a)
    assert (slot["files_touched"], input_tokens(slot), start(slot)) == (["open.txt"], 12, 4)
    assert story.log_errors() == []


def test_cherry_pick_with_x_and_edit(story: Story) -> None:
    _, one = picked(story)
    story.git("cherry-pick", "-x", "-e", "feature", env={"GIT_EDITOR": "sed -i '1s/.*/Picked/'"})
    assert story.ids() == [one]
    assert story.log_errors() == []


def test_cherry_pick_without_commit(story: Story) -> None:
    """The content has a checkpoint already, which the commit keeps though no session is near; no new one is made."""
    a, one = picked(story)
    assert not story.path(".git/entire/live").exists()
    story.git("cherry-pick", "-n", "feature")
    story.git("commit", "-q", "-m", "By hand")
    assert story.ids() == [one]
    assert len(checkpoints(story)) == 1
    with a.turn("Make b"):
        a.write("b.txt", "b\n")
    story.commit("b")
    slot = slot_of(story, a)
    assert (slot["files_touched"], input_tokens(slot), start(slot)) == (["b.txt"], 12, 4)
    assert story.log_errors() == []


def test_cherry_pick_with_a_conflict(story: Story) -> None:
    a = session(story)
    story.write("f.txt", "base\n")
    story.commit("f")
    story.git("checkout", "-q", "-b", "feature")
    with a.turn("Change f"):
        a.edit("f.txt", "base\n", "agent\n")
    story.commit("Agent's f")
    (one,) = story.ids()
    before = slots(story, one)
    story.git("checkout", "-q", "main")
    story.write("f.txt", "person\n")
    story.commit("Person's f")
    story.git("cherry-pick", "feature", ok=False)
    story.write("f.txt", "person\nagent\n")
    story.git("add", "f.txt")
    story.git("commit", "-q", "--no-edit")
    assert story.ids() == [one]
    assert slots(story, one) == before
    assert len(checkpoints(story)) == 1
    assert story.log_errors() == []


def conflicting(story: Story) -> tuple[Session, str]:
    """A linked commit on ``feature`` that does not fit on ``main``, which is checked out."""
    a = session(story)
    story.write("f.txt", "base\n")
    story.commit("f")
    story.git("checkout", "-q", "-b", "feature")
    with a.turn("Change f"):
        a.edit("f.txt", "base\n", "agent\n")
    story.commit("Agent's f")
    (one,) = story.ids()
    story.git("checkout", "-q", "main")
    story.write("f.txt", "person\n")
    story.commit("Person's f")
    return a, one


def test_cherry_pick_with_a_conflict_resolved_by_the_agent(story: Story) -> None:
    """The picked id stays; what the agent wrote to resolve it has no checkpoint yet and gets one."""
    a, one = conflicting(story)
    a.prompt("Pick it")
    with a.shell("git cherry-pick feature"):
        story.git("cherry-pick", "feature", ok=False)
    a.write("f.txt", "person\nagent\nglue\n")
    with a.shell("git commit"):
        story.git("add", "f.txt")
        story.git("commit", "-q", "--no-edit", env={"CLAUDE_CODE_SESSION_ID": a.id})
    a.stop()
    found = story.ids()
    assert found[0] == one
    assert len(found) == 2
    slot = story.checkpoint(found[1])["slots"][a.id]
    assert (slot["files_touched"], start(slot)) == (["f.txt"], 4)
    assert input_tokens(slot) == 4 + 8 + 16 + 32
    assert story.log_errors() == []


def test_cherry_pick_of_several(story: Story) -> None:
    a = session(story)
    story.git("checkout", "-q", "-b", "feature")
    ids = [make(story, a, name) for name in "abc"]
    story.git("checkout", "-q", "main")
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    story.git("cherry-pick", "main..feature")
    assert [story.ids(name) for name in ("HEAD~2", "HEAD~1", "HEAD")] == [[one] for one in ids]
    a.prompt("Go on")
    new = [commit_of(story, f"HEAD~{n}") for n in (2, 1, 0)]
    assert [commits(story.checkpoint(one))[-1] for one in ids] == new
    assert len(checkpoints(story)) == 3
    assert story.log_errors() == []


def test_rebase_with_a_conflict_committed_by_hand(story: Story) -> None:
    a, one = conflicting(story)
    with a.turn("Make open"):
        a.write("open.txt", "open\n")
    story.git("checkout", "-q", "feature")
    story.git("rebase", "-q", "main", ok=False)
    story.write("f.txt", "person\nagent\n")
    story.git("add", "f.txt")
    story.git("commit", "-q", "--no-edit")
    assert story.ids() == [one]
    story.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert story.ids() == [one]
    assert len(checkpoints(story)) == 1
    story.commit("open")
    slot = slot_of(story, a)
    assert (slot["files_touched"], input_tokens(slot), start(slot)) == (["open.txt"], 12, 4)
    assert story.log_errors() == []


def test_squash_of_a_commit_with_two_ids(story: Story) -> None:
    """Ids that a squash collected go on when the squash is squashed again."""
    a = session(story)
    story.git("checkout", "-q", "-b", "feature")
    ids = [make(story, a, name) for name in "ab"]
    story.git("reset", "-q", "--soft", "HEAD~2")
    story.commit("Both", add=False)
    assert story.ids() == ids
    ids.append(make(story, a, "c"))
    story.git("checkout", "-q", "main")
    story.git("merge", "-q", "--squash", "feature")
    story.git("commit", "-q", "-m", "All")
    assert story.ids() == ids
    assert len(checkpoints(story)) == 3
    assert story.log_errors() == []


def test_reset_then_amend_of_the_commit_below(story: Story) -> None:
    """Folding a commit into the one below it by `reset --soft` and `--amend`: both ids are kept."""
    a = session(story)
    ids = [make(story, a, name) for name in "ab"]
    story.git("reset", "-q", "--soft", "HEAD~1")
    story.git("commit", "-q", "--amend", "--no-edit")
    assert story.ids() == ids
    assert len(checkpoints(story)) == 2
    assert story.log_errors() == []


# ---------------------------------------------------------------- revert


def test_revert_and_revert_of_the_revert(story: Story) -> None:
    a = session(story)
    make(story, a, "a")
    with a.turn("Make open"):
        a.write("open.txt", "open\n")
    story.git("revert", "--no-edit", "HEAD")
    assert "revert" in unlinked(story)
    story.git("revert", "--no-edit", "HEAD")
    assert story.path("a.txt").exists()
    assert unlinked(story)
    assert len(checkpoints(story)) == 1
    story.commit("open")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot)) == (["open.txt"], (1, 0, 0, 0, 1), 12)
    assert story.log_errors() == []


def test_revert_of_a_change_in_a_file(story: Story) -> None:
    a = session(story)
    story.write("f.txt", "one\ntwo\nthree\n")
    story.commit("f")
    with a.turn("Change f"):
        a.edit("f.txt", "two\n", "zwei\n")
    story.commit("zwei")
    with a.turn("Make open"):
        a.write("open.txt", "open\n")
    story.git("revert", "--no-edit", "HEAD")
    assert "revert" in unlinked(story)
    story.git("revert", "--no-edit", "HEAD")
    assert "revert" in unlinked(story)
    assert len(checkpoints(story)) == 1
    assert story.log_errors() == []


def test_revert_without_commit_then_by_hand(story: Story) -> None:
    a = session(story)
    make(story, a, "a")
    with a.turn("Make open"):
        a.write("open.txt", "open\n")
    story.git("revert", "-n", "HEAD")
    story.git("commit", "-q", "-m", "Take a back")
    assert unlinked(story)
    assert a.state()["files_touched"] == ["open.txt"]
    assert story.log_errors() == []


def test_revert_by_the_agent(story: Story) -> None:
    a = session(story)
    make(story, a, "a")
    a.prompt("Revert it")
    with a.shell("git revert HEAD"):
        story.git("revert", "--no-edit", "HEAD", env={"CLAUDE_CODE_SESSION_ID": a.id})
    a.stop()
    assert "revert" in unlinked(story)
    assert len(checkpoints(story)) == 1
    with a.turn("Make b"):
        a.write("b.txt", "b\n")
    story.commit("b")
    slot = slot_of(story, a)
    assert (slot["files_touched"], input_tokens(slot), start(slot)) == (["b.txt"], 4 + 8 + 16 + 32, 8)
    assert story.log_errors() == []


def test_revert_of_a_persons_commit_by_the_agent_that_restores_old_lines(story: Story) -> None:
    a = session(story)
    story.write("f.txt", "one\ntwo\n")
    story.commit("f")
    story.git("rm", "-q", "f.txt")
    story.commit("No f")
    a.prompt("Bring f back")
    with a.shell("git revert HEAD"):
        story.git("revert", "--no-edit", "HEAD", env={"CLAUDE_CODE_SESSION_ID": a.id})
    a.stop()
    assert "revert" in unlinked(story)
    assert story.log_errors() == []


def test_a_revert_with_new_content_of_the_agent(story: Story) -> None:
    """The agent reverts without a commit, adds a line of its own, and commits: that line links."""
    a = session(story)
    make(story, a, "a")
    a.prompt("Revert it and make b instead")
    with a.shell("git revert -n HEAD"):
        story.git("revert", "-n", "HEAD")
    a.write("b.txt", "b\n")
    story.git("add", "-A")
    with a.shell("git commit"):
        story.git("commit", "-q", "--no-edit", env={"CLAUDE_CODE_SESSION_ID": a.id})
    a.stop()
    assert story.git("log", "-1", "--format=%s").startswith('Revert "Add a"')
    slot = slot_of(story, a)
    assert "b.txt" in slot["files_touched"]
    assert input_tokens(slot) == 4 + 8 + 16 + 32
    assert story.log_errors() == []


def test_an_amended_revert_keeps_its_checkpoint(story: Story) -> None:
    a = session(story)
    make(story, a, "a")
    story.git("revert", "--no-edit", "HEAD")
    for name in "bc":
        with a.turn(f"Make {name}"):
            a.write(f"{name}.txt", f"{name}\n")
        story.git("add", "-A")
        story.git("commit", "-q", "--amend", "--no-edit")
    assert len(story.ids()) == 1
    assert slot_of(story, a)["files_touched"] == ["b.txt", "c.txt"]
    assert [str(name) for name in story.linked()["lineage"]["files"]] == ["a.txt", "b.txt", "c.txt"]
    assert story.log_errors() == []


# ---------------------------------------------------------------- merges


def diverged(story: Story) -> tuple[Session, str]:
    """``feature`` with a linked commit, ``main`` (checked out) with a person's; open.txt is open work."""
    a = session(story)
    story.git("checkout", "-q", "-b", "feature")
    one = make(story, a, "a")
    story.git("checkout", "-q", "main")
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    with a.turn("Make open"):
        a.write("open.txt", "open\n")
    return a, one


def finish(story: Story, a: Session) -> None:
    """The open work is linked as if nothing had been."""
    story.commit("open")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (
        ["open.txt"],
        (1, 0, 0, 0, 1),
        12,
        4,
    )
    assert story.log_errors() == []


def test_fast_forward(story: Story) -> None:
    a = session(story)
    story.git("checkout", "-q", "-b", "feature")
    one = make(story, a, "a")
    story.git("checkout", "-q", "main")
    with a.turn("Make open"):
        a.write("open.txt", "open\n")
    story.git("merge", "-q", "--ff-only", "feature")
    assert story.ids() == [one]
    finish(story, a)


@pytest.mark.parametrize("how", [["--no-edit"], ["--no-ff", "-m", "Merge it"], ["--no-ff", "--edit"]])
def test_clean_merge(story: Story, how: list[str]) -> None:
    a, _ = diverged(story)
    story.git("merge", "-q", *how, "feature", env={"GIT_EDITOR": "true"})
    assert story.ids() == []
    assert len(checkpoints(story)) == 1
    finish(story, a)


def test_clean_merge_has_a_reason_at_the_next_event(story: Story) -> None:
    """A clean merge runs no post-commit: the merge is noted at the next event."""
    a, _ = diverged(story)
    story.git("merge", "-q", "--no-edit", "feature")
    merge = story.head()
    with a.turn("Go on"):
        a.write("open.txt", "open\nmore\n")
    assert "merge" in reason(story, merge)
    assert story.log_errors() == []


@pytest.mark.parametrize("message", [["-m", "Merged by hand"], ["--no-edit"]])
def test_merge_without_commit(story: Story, message: list[str]) -> None:
    a, _ = diverged(story)
    story.git("merge", "-q", "--no-ff", "--no-commit", "feature")
    story.git("commit", "-q", *message)
    assert "merge" in unlinked(story)
    assert len(checkpoints(story)) == 1
    finish(story, a)


def conflict(story: Story) -> Session:
    """A merge that stopped: both sides changed f.txt."""
    a = session(story)
    story.write("f.txt", "one\nbase\nthree\n")
    story.commit("f")
    story.git("checkout", "-q", "-b", "feature")
    with a.turn("Change f"):
        a.edit("f.txt", "base\n", "agent\n")
    story.commit("Agent's f")
    story.git("checkout", "-q", "main")
    story.write("f.txt", "one\nperson\nthree\n")
    story.commit("Person's f")
    return a


def test_merge_conflict_resolved_by_a_person(story: Story) -> None:
    a = conflict(story)
    with a.turn("Make open"):
        a.write("open.txt", "open\n")
    story.git("merge", "-q", "feature", ok=False)
    story.write("f.txt", "one\nboth\nthree\n")
    story.git("add", "f.txt")
    story.git("commit", "-q", "--no-edit")
    assert "merge" in unlinked(story)
    assert len(checkpoints(story)) == 1
    assert a.state()["files_touched"] == ["open.txt"]
    assert story.log_errors() == []


def test_merge_conflict_resolved_by_a_person_with_the_agents_side(story: Story) -> None:
    a = conflict(story)
    with a.turn("Make open"):
        a.write("open.txt", "open\n")
    story.git("merge", "-q", "feature", ok=False)
    story.git("checkout", "-q", "--theirs", "f.txt")
    story.git("add", "f.txt")
    story.git("commit", "-q", "--no-edit")
    assert "merge" in unlinked(story)
    assert len(checkpoints(story)) == 1
    assert story.log_errors() == []


def test_merge_conflict_resolved_by_the_agent_in_a_turn(story: Story) -> None:
    a = conflict(story)
    a.prompt("Merge feature")
    with a.shell("git merge feature"):
        story.git("merge", "-q", "feature", ok=False)
    a.write("f.txt", "one\nboth\nthree\n")
    story.git("add", "f.txt")
    with a.shell("git commit --no-edit"):
        story.git("commit", "-q", "--no-edit", env={"CLAUDE_CODE_SESSION_ID": a.id})
    a.stop()
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), start(slot)) == (["f.txt"], (1, 0, 0, 0, 1), 4)
    assert input_tokens(slot) == 4 + 8 + 16 + 32
    assert story.log_errors() == []


def test_clean_merge_by_the_agent(story: Story) -> None:
    a = session(story)
    story.git("checkout", "-q", "-b", "feature")
    make(story, a, "a")
    story.git("checkout", "-q", "main")
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    a.prompt("Merge feature")
    with a.shell("git merge feature"):
        story.git("merge", "-q", "--no-edit", "feature", env={"CLAUDE_CODE_SESSION_ID": a.id})
    a.stop()
    assert story.ids() == []
    assert not a.state().get("files_touched")
    with a.turn("Make b"):
        a.write("b.txt", "b\n")
    story.commit("b")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), start(slot)) == (["b.txt"], (1, 0, 0, 0, 1), 8)
    assert story.log_errors() == []


# ---------------------------------------------------------------- pull


@pytest.mark.parametrize("how", ["--no-rebase", "--rebase", "--ff-only"])
def test_pull(story: Story, how: str) -> None:
    """A team mate's commits come in below or beside linked and open work."""
    origin = story.root.parent / "origin.git"
    mate = story.root.parent / "mate"
    story.git("clone", "-q", "--bare", str(story.root), str(origin))
    story.git("remote", "add", "origin", str(origin))
    story.git("fetch", "-q", "origin")
    story.git("branch", "-q", "--set-upstream-to=origin/main")
    story.git("clone", "-q", str(origin), str(mate))
    (mate / "theirs.txt").write_text("theirs\ntheirs\n")
    story.git("-C", str(mate), "add", "-A")
    story.git("-C", str(mate), "commit", "-q", "-m", "Theirs")
    story.git("-C", str(mate), "push", "-q", "origin", "main")
    a = session(story)
    one = make(story, a, "a") if how != "--ff-only" else ""
    with a.turn("Make open"):
        a.write("open.txt", "open\n")
    story.git("pull", "-q", "--no-edit", how)
    assert story.path("theirs.txt").exists()
    assert story.ids() == ([one] if how == "--rebase" else [])
    story.commit("open")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot)) == (["open.txt"], (1, 0, 0, 0, 1))
    assert (input_tokens(slot), start(slot)) == ((12, 4) if one else (3, 0))
    assert story.log_errors() == []


def test_pull_by_the_agent(story: Story) -> None:
    """What comes from outside within a turn is not the turn's."""
    origin = story.root.parent / "origin.git"
    mate = story.root.parent / "mate"
    story.git("clone", "-q", "--bare", str(story.root), str(origin))
    story.git("remote", "add", "origin", str(origin))
    story.git("fetch", "-q", "origin")
    story.git("branch", "-q", "--set-upstream-to=origin/main")
    story.git("clone", "-q", str(origin), str(mate))
    (mate / "theirs.txt").write_text("theirs\ntheirs\n")
    story.git("-C", str(mate), "add", "-A")
    story.git("-C", str(mate), "commit", "-q", "-m", "Theirs")
    story.git("-C", str(mate), "push", "-q", "origin", "main")
    a = session(story)
    a.prompt("Pull and make b")
    with a.shell("git pull"):
        story.git("pull", "-q")
    a.write("b.txt", "b\n")
    a.stop()
    assert a.state()["files_touched"] == ["b.txt"]
    story.write("theirs.txt", "theirs\ntheirs\nmine\n")
    story.commit("b and mine")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot)) == (["b.txt"], (1, 1, 0, 0, 2))
    assert story.log_errors() == []


# ---------------------------------------------------------------- unlinked commits that were abandoned


def unlink(story: Story) -> str:
    """Commit all, and remove the trailer in the editor."""
    editor = story.root.parent / "editor"
    editor.write_text("#!/bin/sh\nprintf 'By choice\\n' >\"$1\"\n")
    editor.chmod(0o755)
    story.git("add", "-A")
    story.git("commit", "-q", env={"GIT_EDITOR": str(editor)})
    return story.head()


def test_a_reset_unlinked_commit_is_linked_when_committed_again(story: Story) -> None:
    a = session(story)
    with a.turn("Make a"):
        a.write("a.txt", "a\n")
    without = unlink(story)
    with a.turn("Hello"):
        pass
    assert unlinked(story, without) == "its trailer was removed by hand"
    story.git("reset", "-q", "--soft", "HEAD~1")
    story.commit("With hooks", add=False)
    assert (slot_of(story, a)["files_touched"], lines(slot_of(story, a))) == (["a.txt"], (1, 0, 0, 0, 1))
    assert story.log_errors() == []


def test_the_content_of_an_unlinked_commit_on_another_branch_is_linked_here(story: Story) -> None:
    a = session(story)
    story.git("checkout", "-q", "-b", "other")
    with a.turn("Make a"):
        a.write("a.txt", "a\n")
    without = unlink(story)
    with a.turn("Hello"):
        pass
    story.git("checkout", "-q", "main")
    story.git("cherry-pick", "-n", without)
    with a.turn("Make b"):
        a.write("b.txt", "b\n")
    story.commit("Both")
    assert (slot_of(story, a)["files_touched"], lines(slot_of(story, a))) == (["a.txt", "b.txt"], (2, 0, 0, 0, 2))
    assert story.log_errors() == []


def test_an_unlinked_commit_in_the_history_is_settled(story: Story) -> None:
    """A person who moves its lines makes no commit of the session's content."""
    a = session(story)
    with a.turn("Make a"):
        a.write("a.txt", "1\n2\n3\n4\n")
    unlink(story)
    with a.turn("Make b"):
        a.write("b.txt", "b\n")
    story.write("a.txt", "2\n3\n4\n1\n")
    story.git("add", "a.txt")
    story.commit("Move", add=False)
    assert story.ids() == []
    story.commit("b")
    assert slot_of(story, a)["files_touched"] == ["b.txt"]
