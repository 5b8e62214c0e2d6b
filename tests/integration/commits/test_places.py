"""Where commits are made: no branch, no commit yet, another branch, another worktree, another kind of repository."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from entire.cli import main
from tests.integration.kept import input_tokens, lines, reason, slot_of, start, unlinked
from tests.integration.story import Session, Story

ZEROS = "0" * 40


def turn(a: Session, name: str, text: str = "") -> None:
    with a.turn(f"Make {name}"):
        a.write(f"{name}.txt", text or f"{name}\n")


def session(story: Story) -> Session:
    a = story.session()
    a.start()
    return a


def shadows(story: Story) -> list[str]:
    names = story.git("for-each-ref", "--format=%(refname:short)", "refs/heads/entire/").split()
    return [name for name in names if not name.startswith("entire/checkpoints/")]


def test_a_branch_is_named(story: Story) -> None:
    a = session(story)
    story.git("checkout", "-q", "-b", "topic/x")
    turn(a, "a")
    story.commit("a")
    checkpoint = story.linked()
    assert checkpoint["branch"] == checkpoint["slots"][a.id]["branch"] == "topic/x"
    assert checkpoint["lineage"]["commits"][0]["branch"] == "topic/x"
    assert story.log_errors() == []


def test_a_detached_head_has_no_branch(story: Story) -> None:
    a = session(story)
    story.git("checkout", "-q", "--detach")
    turn(a, "a")
    story.commit("a")
    slot = slot_of(story, a)
    checkpoint = story.linked()
    assert "branch" not in checkpoint
    assert "branch" not in slot
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (["a.txt"], (1, 0, 0, 0, 1), 3, 0)
    assert story.log_errors() == []


def test_the_first_commit_of_a_repository(tmp_path: Path) -> None:
    story = Story(tmp_path / "repo", first_commit=False)
    a = session(story)
    turn(a, "a")
    (shadow,) = shadows(story)
    assert shadow.startswith("entire/0000000-")
    assert a.state()["base_commit"] == ZEROS
    story.write("mine.txt", "mine\nmine\n")
    story.git("add", "a.txt", "mine.txt")
    story.commit("First", add=False)
    slot = slot_of(story, a)
    assert slot["branch"] == "main"
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (["a.txt"], (1, 2, 0, 0, 3), 3, 0)
    assert story.git("rev-list", "--count", "HEAD").strip() == "1"
    turn(a, "b")
    story.commit("Second")
    slot = slot_of(story, a)
    assert (slot["files_touched"], input_tokens(slot), start(slot)) == (["b.txt"], 12, 4)
    assert story.log_errors() == []


def test_the_first_commit_in_parts(tmp_path: Path) -> None:
    story = Story(tmp_path / "repo", first_commit=False)
    a = session(story)
    with a.turn("Make a and b"):
        a.write("a.txt", "a\n")
        a.write("b.txt", "b\n")
    story.git("add", "a.txt")
    story.commit("First", add=False)
    assert slot_of(story, a)["files_touched"] == ["a.txt"]
    story.git("add", "b.txt")
    story.commit("Second", add=False)
    slot = slot_of(story, a)
    assert (slot["files_touched"], input_tokens(slot), start(slot)) == (["b.txt"], 0, 0)
    assert story.log_errors() == []


def test_the_first_commit_amended(tmp_path: Path) -> None:
    story = Story(tmp_path / "repo", first_commit=False)
    a = session(story)
    turn(a, "a")
    story.git("add", "a.txt")
    story.commit("First", add=False)
    ids = story.ids()
    turn(a, "b")
    story.git("add", "b.txt")
    story.git("commit", "-q", "--amend", "--no-edit")
    assert story.ids() == ids
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot)) == (["a.txt", "b.txt"], (2, 0, 0, 0, 2), 15)
    assert story.log_errors() == []


def test_an_orphan_branch(story: Story) -> None:
    a = session(story)
    story.git("checkout", "-q", "--orphan", "fresh")
    story.git("rm", "-q", "-r", "--cached", ".")
    turn(a, "a")
    story.git("add", "a.txt")
    story.commit("First of this branch", add=False)
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot)) == (["a.txt"], (1, 0, 0, 0, 1), 3)
    assert story.log_errors() == []


# ---------------------------------------------------------------- branches


def test_a_switch_with_open_work(story: Story) -> None:
    a = session(story)
    story.git("branch", "other")
    story.write("main.txt", "main\n")
    story.commit("Only on main")
    turn(a, "a")
    story.git("checkout", "-q", "other")
    assert not story.path("main.txt").exists()
    turn(a, "b")
    (shadow,) = shadows(story)
    assert shadow.startswith(f"entire/{story.head()[:7]}-")
    story.commit("On the other branch")
    slot = slot_of(story, a)
    assert slot["branch"] == "other"
    assert (slot["files_touched"], lines(slot)) == (["a.txt", "b.txt"], (2, 0, 0, 0, 2))
    assert (input_tokens(slot), start(slot)) == (15, 0)
    assert story.log_errors() == []


def test_a_switch_between_two_commits(story: Story) -> None:
    """What was committed on one branch is not there on the other, and is nobody's new work when it comes back."""
    a = session(story)
    story.git("checkout", "-q", "-b", "other")
    turn(a, "a")
    story.commit("a")
    story.git("checkout", "-q", "main")
    turn(a, "b")
    story.commit("b")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (["b.txt"], (1, 0, 0, 0, 1), 12, 4)
    story.git("checkout", "-q", "other")
    turn(a, "c")
    story.commit("c")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (["c.txt"], (1, 0, 0, 0, 1), 48, 8)
    assert story.log_errors() == []


def test_a_switch_by_the_agent_within_a_turn(story: Story) -> None:
    """The other branch's files are not the agent's work."""
    a = session(story)
    story.git("checkout", "-q", "-b", "other")
    story.write("f.txt", "other\nother\n")
    story.commit("f on other")
    story.git("checkout", "-q", "main")
    with a.turn("Switch and make b"):
        with a.shell("git checkout other"):
            story.git("checkout", "-q", "other")
        a.write("b.txt", "b\n")
    assert a.state()["files_touched"] == ["b.txt"]
    story.write("f.txt", "other\nother\nmine\n")
    story.commit("b and mine")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot)) == (["b.txt"], (1, 1, 0, 0, 2))
    assert story.log_errors() == []


# ---------------------------------------------------------------- stash


def test_a_stash_in_between(story: Story) -> None:
    a = session(story)
    turn(a, "a", "a1\na2\n")
    story.git("stash", "push", "-q", "-u")
    story.write("mine.txt", "mine\n")
    story.commit("Mine")
    unlinked(story)
    story.git("stash", "pop", "-q")
    story.commit("a")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (["a.txt"], (2, 0, 0, 0, 2), 3, 0)
    assert story.log_errors() == []


def test_a_stash_with_a_turn_in_between(story: Story) -> None:
    a = session(story)
    turn(a, "a", "a1\na2\n")
    story.git("stash", "push", "-q", "-u")
    turn(a, "b")
    story.commit("b")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (["b.txt"], (1, 0, 0, 0, 1), 15, 4)
    story.git("stash", "pop", "-q")
    story.commit("a")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (["a.txt"], (2, 0, 0, 0, 2), 0, 0)
    assert story.log_errors() == []


def test_a_stash_pop_and_more_edits_of_a_person(story: Story) -> None:
    a = session(story)
    turn(a, "a", "a1\na2\n")
    story.git("stash", "push", "-q", "-u")
    with a.turn("Look around"):
        pass
    story.git("stash", "pop", "-q")
    story.write("a.txt", "a1\na2\nmine\n")
    story.commit("a and mine")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), start(slot)) == (["a.txt"], (2, 1, 0, 0, 3), 0)
    assert input_tokens(slot) == 3 + 4
    assert story.log_errors() == []


def test_a_stash_of_a_change_in_a_tracked_file(story: Story) -> None:
    story.write("f.txt", "one\ntwo\nthree\n")
    story.commit("f")
    a = session(story)
    with a.turn("Change two"):
        a.edit("f.txt", "two\n", "zwei\n")
    story.git("stash", "push", "-q")
    with a.turn("Make b"):
        a.write("b.txt", "b\n")
    story.commit("b")
    story.git("stash", "pop", "-q")
    story.write("f.txt", story.read("f.txt").replace("three\n", "three\nfour\n"))
    story.commit("two and four")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (["f.txt"], (1, 1, 0, 0, 2), 0, 0)
    assert story.log_errors() == []


def test_work_that_was_thrown_away_is_not_linked(story: Story) -> None:
    story.write("f.txt", "one\ntwo\n")
    story.commit("f")
    a = session(story)
    with a.turn("Change two"):
        a.edit("f.txt", "two\n", "zwei\n")
    story.git("checkout", "-q", "--", "f.txt")
    story.write("f.txt", "one\ntwo\nmine\n")
    story.commit("mine")
    assert "no session content" in unlinked(story)
    assert story.log_errors() == []


# ---------------------------------------------------------------- worktrees


def linked_worktree(story: Story, name: str = "wt") -> Story:
    """Return a story in a linked worktree of the same repository."""
    target = story.root.parent / name
    story.git("worktree", "add", "-q", "-b", name, str(target))
    twin = Story.__new__(Story)
    twin.__dict__.update(story.__dict__)
    twin.root = target
    return twin


class SessionElsewhere(Session):
    """A session whose state is asked for where the repository is common."""

    def state(self) -> dict[str, object]:
        common = Path(self.story.git("rev-parse", "--path-format=absolute", "--git-common-dir").strip())
        value: dict[str, object] = json.loads((common / "entire-sessions" / f"{self.id}.json").read_text())
        return value


def elsewhere(story: Story) -> SessionElsewhere:
    a = SessionElsewhere(story, story.session().id)
    a.start()
    return a


def test_a_linked_worktree(story: Story) -> None:
    other = linked_worktree(story)
    a = elsewhere(other)
    turn(a, "a")
    other.commit("a")
    slot = slot_of(other, a)
    assert slot["branch"] == "wt"
    assert (slot["files_touched"], lines(slot), input_tokens(slot)) == (["a.txt"], (1, 0, 0, 0, 1), 3)
    assert story.ids("wt") == other.ids()
    assert story.log_errors() + other.log_errors() == []


def test_two_worktrees_at_once(story: Story) -> None:
    """Each commit holds the session of its own worktree, though both write files of the same name."""
    other = linked_worktree(story)
    a, b = session(story), elsewhere(other)
    a.prompt("Make f here")
    b.prompt("Make f there")
    a.write("f.txt", "here\n")
    b.write("f.txt", "there\nthere\n")
    a.stop()
    b.stop()
    story.commit("here")
    assert list(story.linked()["slots"]) == [a.id]
    assert lines(slot_of(story, a)) == (1, 0, 0, 0, 1)
    other.commit("there")
    assert list(other.linked()["slots"]) == [b.id]
    assert lines(slot_of(other, b)) == (2, 0, 0, 0, 2)
    assert story.log_errors() + other.log_errors() == []


def test_a_commit_in_a_worktree_without_a_session(story: Story) -> None:
    other = linked_worktree(story)
    a = session(story)
    turn(a, "a")
    other.write("mine.txt", "mine\n")
    other.commit("Mine")
    assert other.ids() == []
    assert a.state()["files_touched"] == ["a.txt"]
    story.commit("a")
    assert slot_of(story, a)["files_touched"] == ["a.txt"]
    assert story.log_errors() + other.log_errors() == []


def test_a_submodule(story: Story, tmp_path: Path) -> None:
    """A new submodule is a path that the agent added; a commit within the submodule is not this repository's."""
    source = tmp_path / "source"
    story.git("init", "-q", str(source))
    (source / "lib.txt").write_text("lib\n")
    story.git("-C", str(source), "add", "-A")
    story.git("-C", str(source), "commit", "-q", "-m", "lib")
    a = session(story)
    with a.turn("Add the library"), a.shell("git submodule add"):
        story.git("submodule", "--quiet", "add", str(source), "lib")
    turn(a, "a")
    story.commit("a and lib")
    slot = slot_of(story, a)
    assert slot["files_touched"] == [".gitmodules", "a.txt", "lib"]
    assert lines(slot)[1:4] == (0, 0, 0)
    assert story.log_errors() == []


def test_a_submodule_that_moves_on(story: Story, tmp_path: Path) -> None:
    source = tmp_path / "source"
    story.git("init", "-q", str(source))
    (source / "lib.txt").write_text("lib\n")
    story.git("-C", str(source), "add", "-A")
    story.git("-C", str(source), "commit", "-q", "-m", "lib")
    story.git("submodule", "--quiet", "add", str(source), "lib")
    story.commit("lib")
    a = session(story)
    turn(a, "a")
    story.write("lib/lib.txt", "lib\nmore\n")
    story.git("-C", "lib", "commit", "-q", "-a", "-m", "more")
    story.commit("a, and the person's lib")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot)) == (["a.txt"], (1, 0, 0, 0, 1))
    assert story.log_errors() == []


def test_a_session_started_in_a_sub_folder(story: Story) -> None:
    story.write("sub/deep/x.txt", "x\n")
    story.commit("x")
    a = story.session()
    a.cwd = story.root / "sub/deep"
    a.start()
    with a.turn("Make two"):
        a.write("sub/deep/a.txt", "a\n")
        a.write("top.txt", "top\n")
    story.commit("both")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot)) == (["sub/deep/a.txt", "top.txt"], (2, 0, 0, 0, 2))
    assert not (a.cwd / ".entire").exists()
    assert story.log_errors() == []


def test_a_sparse_checkout(story: Story) -> None:
    for name in ("in/f.txt", "out/g.txt"):
        story.write(name, "one\n")
    story.commit("f and g")
    story.git("sparse-checkout", "set", "in", ".entire", ".claude")
    assert not story.path("out/g.txt").exists()
    a = session(story)
    with a.turn("Change f"):
        a.edit("in/f.txt", "one\n", "one\ntwo\n")
    assert a.state()["files_touched"] == ["in/f.txt"]
    story.git("commit", "-q", "-a", "-m", "f")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot)) == (["in/f.txt"], (1, 0, 0, 0, 1))
    story.git("sparse-checkout", "disable")
    turn(a, "b")
    assert a.state()["files_touched"] == ["b.txt"]
    story.commit("b")
    assert slot_of(story, a)["files_touched"] == ["b.txt"]
    assert story.log_errors() == []


# ---------------------------------------------------------------- SHA-256


class Sha256Story(Story):
    """A repository whose object ids are 64 digits long."""

    def git(self, *args: str, **options: object) -> str:
        if args and args[0] == "init":
            args = (*args, "--object-format=sha256")
        return super().git(*args, **options)  # type: ignore[arg-type]


def test_a_sha256_repository(tmp_path: Path) -> None:
    story = Sha256Story(tmp_path / "repo")
    assert len(story.head()) == 64
    a = session(story)
    with a.turn("Make a and b"):
        a.write("a.txt", "a\n")
        a.write("b.txt", "b\n")
    story.git("add", "a.txt")
    story.commit("a", add=False)
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot)) == (["a.txt"], (1, 0, 0, 0, 1), 7)
    ids = story.ids()
    story.git("commit", "-q", "--amend", "-m", "a, reworded")
    assert story.ids() == ids
    story.commit("b")
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot), start(slot)) == (["b.txt"], (1, 0, 0, 0, 1), 0, 0)
    assert story.log_errors() == []


def test_the_first_commit_of_a_sha256_repository(tmp_path: Path) -> None:
    story = Sha256Story(tmp_path / "repo", first_commit=False)
    a = session(story)
    turn(a, "a")
    story.git("add", "a.txt")
    story.commit("First", add=False)
    slot = slot_of(story, a)
    assert (slot["files_touched"], lines(slot), input_tokens(slot)) == (["a.txt"], (1, 0, 0, 0, 1), 3)
    assert story.log_errors() == []


# ---------------------------------------------------------------- not a place


def test_outside_of_a_work_tree_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story(tmp_path / "repo")
    bare = tmp_path / "bare.git"
    story.git("clone", "-q", "--bare", str(story.root), str(bare))
    before = sorted(os.listdir(bare))
    monkeypatch.chdir(bare)
    payload = json.dumps({"session_id": "s", "transcript_path": "", "cwd": str(bare), "hook_event_name": "Stop"})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(payload.encode())))
    assert main(["hooks", "claude-code", "stop"]) == 0
    assert sorted(os.listdir(bare)) == before
    assert reason(story) == ""
