"""The commit of a turn in every kind of place: worktrees, branches, repositories that cannot be written."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

import pytest

from entire import files
from tests.integration import turn_commits
from tests.integration.story import Session, Story
from tests.integration.turn_commits import committed, committing, hook, left_behind, status, subjects, uncommitted

story, session = turn_commits.story, turn_commits.session


def at(root: Path, story: Story) -> Story:
    """Return the story of another worktree of its repository."""
    other = Story.__new__(Story)
    other.root, other.projects, other.env = root, story.projects, story.env
    return other


def play(session: Session, name: str = "a.txt") -> None:
    with session.turn("one"):
        session.write(name, "a\n")


def test_a_linked_worktree(story: Story, tmp_path: Path) -> None:
    story.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    there = at(tmp_path / "linked", story)
    session = there.started()
    hook(story, "pre-commit", 'echo "$(pwd) $(git rev-parse --git-dir)" >>"$(git rev-parse --git-common-dir)/seen"')
    story.write("here.txt", "here\n")
    story.git("add", "here.txt")
    play(session)
    assert there.git("log", "-1", "--format=%s %D").strip() == "One HEAD -> topic"
    assert committed(there) == ["a.txt"]
    assert (status(there), status(story)) == ("", "A  here.txt\n")
    assert there.linked()["branch"] == "topic"
    assert (story.root / ".git/seen").read_text() == f"{there.root} {story.root}/.git/worktrees/linked\n"
    assert left_behind(there) == []


def test_a_worktree_of_a_bare_repository(story: Story, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(story.root), str(bare)], check=True)
    subprocess.run(["git", "-C", str(bare), "worktree", "add", "-q", str(tmp_path / "tree"), "main"], check=True)
    there = at(tmp_path / "tree", story)
    turn_commits.enable(there)
    session = there.started()
    play(session)
    assert committed(there) == ["a.txt"]
    assert there.linked()["files_touched"] == ["a.txt"]
    assert "a.txt" not in status(there)


def test_both_strategies_in_two_worktrees(story: Story, tmp_path: Path) -> None:
    story.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    there = at(tmp_path / "linked", story)
    assert there.entire("enable", "--agent", "claude-code", "--strategy", "manual-commit", "--local") == 0
    session = there.started()
    before = there.head()
    play(session)
    assert there.head() == before
    there.commit("By hand")
    assert there.linked()["strategy"] == "manual-commit"
    play(story.started())
    assert subjects(story)[0] == "One"
    assert story.linked()["strategy"] == "auto-commit"


def test_a_folder_below_the_root(story: Story, session: Session) -> None:
    story.write("sub/README.md", "sub\n")
    story.commit("sub")
    session.cwd = story.root / "sub"
    play(session, "sub/b.txt")
    assert committed(story) == ["sub/b.txt"]
    assert status(story) == ""


def test_sha256(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", "--object-format=sha256", str(tmp_path / "repo")], check=True)
    story = committing(tmp_path / "repo")
    play(story.started())
    assert len(story.head()) == 64
    assert committed(story) == ["a.txt"]
    assert story.linked()["files_touched"] == ["a.txt"]


def test_sha256_unborn(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", "--object-format=sha256", str(tmp_path / "repo")], check=True)
    story = committing(tmp_path / "repo", first_commit=False)
    story.write("mine.txt", "mine\n")
    story.git("add", "mine.txt")
    play(story.started())
    assert committed(story) == ["a.txt"]
    assert "A  mine.txt\n" in status(story)


def test_hostile_names(story: Story, session: Session) -> None:
    names = ["with space", "tab\there", 'quo"te', "new\nline", "grüße.txt", "-dash", "back\\slash", "*.glob", ":colon"]
    names += ["sub/:(top)x", os.fsdecode(b"latin\xe9")]
    with session.turn("one"), session.shell("printf"):
        for name in names:
            story.write(name, "x\n")
    found = story.git("show", "--name-only", "--format=", "-z").split("\0")[:-1]
    assert sorted(found) == sorted(names)
    assert status(story) == ""


def test_a_detached_head(story: Story, session: Session, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    story.git("checkout", "-q", "--detach")
    play(session)
    oid = story.head()
    assert committed(story) == ["a.txt"]
    assert story.git("rev-parse", "main").strip() != oid
    assert "branch" not in story.linked()
    assert (
        f"committed on a detached HEAD ({oid[:7]}): create a branch to keep it".encode()
        in capsysbinary.readouterr().out
    )
    assert story.git("log", "-g", "-1", "--format=%gs", "HEAD").strip() == "commit: One"


def test_an_orphan_branch(story: Story, session: Session) -> None:
    story.git("checkout", "-q", "--orphan", "fresh")
    story.git("reset", "-q")
    play(session)
    assert subjects(story) == ["One"]
    assert committed(story) == ["a.txt"]


def test_objects_elsewhere(story: Story, tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "-q", "--shared", str(story.root), str(tmp_path / "clone")], check=True)
    there = at(tmp_path / "clone", story)
    turn_commits.enable(there)
    session = there.started()
    with session.turn("one"):
        session.write("README.md", "start\nmore\n")
    assert committed(there) == ["README.md"]


def test_a_submodule(story: Story, tmp_path: Path) -> None:
    inner = Story(tmp_path / "inner" / "repo", enable=False)
    story.git("submodule", "add", "-q", str(inner.root), "sub")
    story.commit("sub")
    session = story.started()
    with session.turn("one"):
        session.write("a.txt", "a\n")
        with session.shell("commit in sub"):
            story.write("sub/x.txt", "x\n")
            story.git("-C", "sub", "add", "-A")
            story.git("-C", "sub", "commit", "-q", "-m", "inner")
    assert committed(story) == ["a.txt"]
    assert status(story) == " M sub\n", "a submodule's commit is a person's to choose"


def test_sparse_checkout(story: Story) -> None:
    for name in ("in/a", "out/b"):
        story.write(name, "x\n")
    story.commit("more")
    story.git("sparse-checkout", "set", "--cone", "--sparse-index", "in", ".claude", ".entire")
    session = story.started()
    play(session, "in/c")
    assert committed(story) == ["in/c"]
    assert status(story) == ""
    assert story.git("ls-tree", "-r", "--name-only", "HEAD", "out").split() == ["out/b"]


def test_a_full_disk(story: Story, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    write = files.write

    def full(path: str, *args: object, **kwargs: object) -> None:
        if "entire/commit" in path:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        write(path, *args, **kwargs)  # type: ignore[arg-type]

    index = (story.root / ".git/index").read_bytes()
    monkeypatch.setattr(files, "write", full)
    play(session)
    monkeypatch.setattr(files, "write", write)
    assert uncommitted(session).startswith("No space left on device (")
    assert subjects(story)[0] == "Enable entire"
    assert (story.root / ".git/index").read_bytes() == index
    with session.turn("two"):
        session.write("b.txt", "b\n")
    assert committed(story) == ["a.txt", "b.txt"]


def test_a_rebase_that_stops_for_an_edit(story: Story, session: Session) -> None:
    story.commit("second", "--allow-empty", add=False)
    story.git("-c", "sequence.editor=sed -i s/pick/edit/", "rebase", "-q", "-i", "--keep-empty", "HEAD~1")
    head = story.head()
    play(session)
    assert story.head() == head
    assert uncommitted(session) == "a rebase is in progress; finish or abort it"
    story.git("rebase", "--continue")
    with session.turn("two"):
        pass
    assert committed(story) == ["a.txt"]


def test_a_conflict(story: Story, session: Session) -> None:
    story.git("checkout", "-q", "-b", "topic")
    story.write("README.md", "topic\n")
    story.commit("topic")
    story.git("checkout", "-q", "main")
    story.write("README.md", "main\n")
    story.commit("main")
    story.git("merge", "-q", "topic", ok=False)
    index = (story.root / ".git/index").read_bytes()
    play(session)
    assert uncommitted(session) == "a merge is in progress; finish or abort it"
    assert (story.root / ".git/index").read_bytes() == index
    (story.root / ".git/MERGE_HEAD").unlink()
    with session.turn("two"):
        pass
    assert uncommitted(session) == "README.md has a conflict; resolve it"
    story.git("reset", "-q", "--hard")


def test_a_squashed_merge(story: Story, session: Session) -> None:
    story.git("checkout", "-q", "-b", "topic")
    story.write("t.txt", "topic\n")
    story.commit("topic")
    story.git("checkout", "-q", "main")
    story.git("merge", "-q", "--squash", "topic")
    play(session)
    assert uncommitted(session) == "a squashed merge is in progress; commit it, or run `git reset`"
    story.git("commit", "-q", "-m", "squashed")
    with session.turn("two"):
        pass
    assert committed(story) == ["a.txt"]
