"""A rewind of every kind of file, in every kind of repository: exactly as it was, and back again."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from entire.model.requests import RewindRequest
from entire.model.views.points import RewindView
from entire.workspace import Workspace
from tests.integration.rewinding import undo
from tests.integration.story import Session, Story
from tests.trees import Tree, tree

FILTER = """#!/bin/sh
# like git-lfs: the repository holds a pointer, the worktree the content
case $1 in
clean) data=$(cat; printf x); data=${data%x}; name=$(printf %s "$data" | cksum | cut -d" " -f1)
       printf %s "$data" > "$2/$name"; printf 'pointer %s\\n' "$name" ;;
smudge) read word name; cat "$2/$name" ;;
esac
"""


@pytest.fixture
def a(story: Story, monkeypatch: pytest.MonkeyPatch) -> Session:
    return started(story, monkeypatch)


def started(story: Story, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("ENTIRE_TEST_CLAUDE_PROJECT_DIR", str(story.projects))
    session = story.session()
    session.start()
    return session


def rewind(story: Story, back: int = 1, **request: Any) -> RewindView:
    """Go back to a point, counted from the newest."""
    here = Workspace.find(story.root)
    with here.points.rewind(RewindRequest(to=here.points.listing()[back].id, **request)) as planned:
        planned.diff()
        return planned.carry_out()


def files(story: Story) -> Tree:
    return tree(story.root, but=frozenset((b".git", b".entire")))


def there_and_back(story: Story, then: Tree, **request: Any) -> RewindView:
    """Rewind to the point before the newest, where files were ``then``; undo; undo that; each time all is exact."""
    now, index, head = files(story), story.git("ls-files", "-s"), story.git("rev-parse", "HEAD", ok=False)
    view = rewind(story, **request)
    assert files(story) == then
    assert story.git("ls-files", "-s") == index
    undo(story)
    assert files(story) == now
    undo(story)
    assert files(story) == then
    assert (story.git("ls-files", "-s"), story.git("rev-parse", "HEAD", ok=False)) == (index, head)
    assert story.log_errors() == []
    return view


def in_two_turns(story: Story, session: Session, first: Any, second: Any) -> Tree:
    """Let two turns do something; return how the files were after the first."""
    with session.turn("First"), session.shell():
        first()
    then = files(story)
    with session.turn("Second"), session.shell():
        second()
    assert files(story) != then
    return then


# ---------------------------------------------------------------- kinds of files


def test_from_a_folder_below(story: Story, a: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def first() -> None:
        story.write("sub/deep/a.txt", "one\n")

    def second() -> None:
        story.write("sub/deep/a.txt", "two\n")
        story.write("sub/deep/b.txt", "b\n")
        story.write("c.txt", "c\n")

    then = in_two_turns(story, a, first, second)
    monkeypatch.chdir(story.path("sub/deep"))
    here = Workspace.find(Path.cwd())
    with here.points.rewind(RewindRequest(to=here.points.listing()[1].id)) as planned:
        planned.carry_out()
    assert files(story) == then


def test_in_a_folder_that_goes(story: Story, a: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    then = in_two_turns(story, a, lambda: story.write("a", "a"), lambda: story.write("sub/b", "b"))
    monkeypatch.chdir(story.path("sub"))
    here = Workspace.find(Path.cwd())
    with here.points.rewind(RewindRequest(to=here.points.listing()[1].id)) as planned:
        planned.carry_out()
    assert not story.path("sub/b").exists()
    assert Path.cwd() == story.path("sub")
    assert {path for path in files(story) if path != b"sub"} == set(then)
    with Workspace.find(Path.cwd()).undo.rewind() as planned:
        planned.carry_out()
    assert story.read("sub/b") == "b"


@pytest.mark.parametrize("attributes", ["*.txt text eol=crlf\n", "*.txt text=auto\n"])
def test_line_ends(story: Story, a: Session, attributes: str) -> None:
    if "auto" in attributes:
        story.git("config", "core.autocrlf", "true")
    story.write(".gitattributes", attributes)
    story.commit("Attributes")
    then = in_two_turns(
        story, a, lambda: story.write("a.txt", b"one\r\ntwo\r\n"), lambda: story.write("a.txt", b"one\r\nthree\r\n")
    )
    there_and_back(story, then)
    assert story.path("a.txt").read_bytes() == b"one\r\ntwo\r\n"


def test_a_filter_like_lfs(story: Story, a: Session, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    script = tmp_path / "filter"
    script.write_text(FILTER)
    script.chmod(0o755)
    story.git("config", "filter.big.clean", f"{script} clean {store}")
    story.git("config", "filter.big.smudge", f"{script} smudge {store}")
    story.git("config", "filter.big.required", "true")
    story.write(".gitattributes", "*.big filter=big\n")
    story.commit("Filter")
    then = in_two_turns(
        story, a, lambda: story.write("a.big", "content one\n"), lambda: story.write("a.big", "content two\n")
    )
    point = Workspace.find(story.root).points.listing()[1].id
    assert story.git("show", f"{point}:a.big").startswith("pointer ")
    there_and_back(story, then)
    assert story.read("a.big") == "content one\n"


def test_a_filter_that_fails_changes_nothing(story: Story, a: Session, tmp_path: Path) -> None:
    story.git("config", "filter.big.clean", "cat")
    story.git("config", "filter.big.smudge", "cat")
    story.git("config", "filter.big.required", "true")
    story.write(".gitattributes", "*.big filter=big\n")
    story.commit("Filter")
    in_two_turns(story, a, lambda: story.write("a.big", "one\n"), lambda: story.write("a.big", "two\n"))
    story.write("a.big", "two\n")
    now = files(story)
    story.git("config", "filter.big.smudge", "false")
    with pytest.raises(Exception, match=r"(?s).*") as told:
        rewind(story)
    assert type(told.value).__module__.startswith("entire.")
    assert files(story) == now
    assert not list(story.path(".git/entire/undo").glob("*"))


@pytest.mark.parametrize(
    "name",
    ["\udcff\udcfe.txt", "new\nline", 'quo"te', " space ", "-dash", "--all", ":x", "ü", "*", "a\\b", "tab\t"],
)
def test_names(story: Story, a: Session, name: str) -> None:
    def second() -> None:
        story.write(name, "two\n")
        story.write(f"new/{name}", "new\n")

    then = in_two_turns(story, a, lambda: story.write(name, "one\n"), second)
    view = there_and_back(story, then)
    assert {edit.path: edit.what for edit in view.edits} == {name: "write", f"new/{name}": "delete"}


@pytest.mark.parametrize("name", ["\udcff", "new\nline", "-dash"])
def test_names_with_my_edits(story: Story, a: Session, name: str) -> None:
    text = "".join(f"{number}\n" for number in range(20))
    in_two_turns(story, a, lambda: story.write(name, text), lambda: story.write(name, text + "more\n"))
    story.write(name, "mine\n" + text + "more\n")
    view = rewind(story, keep_mine=True)
    assert view.yours == (name,)
    assert story.read(name) == "mine\n" + text


def test_only_the_letter_case(story: Story, a: Session) -> None:
    def second() -> None:
        story.path("readme.txt").rename(story.path("README.txt"))

    then = in_two_turns(story, a, lambda: story.write("readme.txt", "text\n"), second)
    there_and_back(story, then)
    assert b"readme.txt" in files(story)
    assert b"README.txt" not in files(story)


def test_links(story: Story, a: Session, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("outside\n")

    def first() -> None:
        story.path("l").symlink_to(outside)
        story.path("f").symlink_to("README.md")
        story.path("broken").symlink_to("nowhere")

    def second() -> None:
        for name in ("l", "f", "broken"):
            story.path(name).unlink()
        story.write("l", "a file\n")
        story.path("f").symlink_to(outside)

    then = in_two_turns(story, a, first, second)
    there_and_back(story, then)
    assert outside.read_text() == "outside\n"


def test_nothing_behind_a_link_changes(story: Story, a: Session, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.txt").write_text("outside\n")

    def second() -> None:
        story.path("d/x.txt").unlink()
        story.path("d").rmdir()
        story.path("d").symlink_to(outside)

    then = in_two_turns(story, a, lambda: story.write("d/x.txt", "inside\n"), second)
    there_and_back(story, then)
    assert [(path.name, path.read_text()) for path in outside.iterdir()] == [("x.txt", "outside\n")]


def test_a_folder_that_a_person_replaced_by_a_link(story: Story, a: Session, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.txt").write_text("outside\n")
    in_two_turns(story, a, lambda: story.write("d/x.txt", "1\n"), lambda: story.write("d/x.txt", "2\n"))
    story.path("d").rename(story.path("e"))
    story.path("d").symlink_to(outside)
    now = files(story)
    view = rewind(story)
    assert [entry.path for entry in view.left] == ["d/x.txt"]
    assert files(story) == now
    assert [(path.name, path.read_text()) for path in outside.iterdir()] == [("x.txt", "outside\n")]


@pytest.mark.parametrize("swap", [False, True])
def test_a_file_and_a_folder_of_one_name(story: Story, a: Session, swap: bool) -> None:
    def file() -> None:
        if story.path("d").is_dir():
            story.path("d/x").unlink()
            story.path("d").rmdir()
        story.write("d", "file\n")

    def folder() -> None:
        story.path("d").unlink(missing_ok=True)
        story.write("d/x", "in a folder\n")

    then = in_two_turns(story, a, *((folder, file) if swap else (file, folder)))
    there_and_back(story, then)


def test_executable_bit_and_empty_file(story: Story, a: Session) -> None:
    def first() -> None:
        story.write("run.sh", "echo\n")
        story.write("empty", "")
        story.path("run.sh").chmod(0o755)

    def second() -> None:
        story.path("run.sh").chmod(0o644)
        story.write("empty", "not any more\n")
        story.write("empty2", "")

    then = in_two_turns(story, a, first, second)
    there_and_back(story, then)
    assert stat.S_IMODE(story.path("run.sh").stat().st_mode) == 0o755


def test_umask(story: Story, a: Session) -> None:
    before = os.umask(0o077)
    try:
        then = in_two_turns(story, a, lambda: story.write("a", "1\n"), lambda: story.path("a").unlink())
        there_and_back(story, then)
        assert stat.S_IMODE(story.path("a").stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_a_read_only_file(story: Story, a: Session) -> None:
    def second() -> None:
        story.write("a", "two\n")
        story.path("a").chmod(0o444)

    in_two_turns(story, a, lambda: story.write("a", "one\n"), second)
    now = files(story)
    rewind(story)
    assert story.read("a") == "one\n"
    undo(story)
    assert files(story) == now


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_read_only_folder_changes_nothing(story: Story, a: Session) -> None:
    def second() -> None:
        story.write("d/a", "two\n")
        story.write("b", "two\n")

    then = in_two_turns(story, a, lambda: story.write("d/a", "one\n"), second)
    now = files(story)
    story.path("d").chmod(0o555)
    try:
        with pytest.raises(Exception, match="everything is as before"):
            rewind(story)
    finally:
        story.path("d").chmod(0o755)
    assert files(story) == now
    rewind(story)
    assert files(story) == then


def test_many_files(story: Story, a: Session) -> None:
    def write(text: str) -> None:
        for number in range(3000):
            story.write(f"f{number % 10}/{number}.txt", f"{text} {number}\n")

    then = in_two_turns(story, a, lambda: write("one"), lambda: write("two"))
    view = rewind(story)
    assert files(story) == then
    assert len(view.edits) == 3000
    undo(story)
    assert story.read("f1/1.txt") == "two 1\n"
    assert story.log_errors() == []


# ---------------------------------------------------------------- what is left alone


def test_a_big_file_stays(story: Story, a: Session) -> None:
    story.write(".entire/entire.json", '{"max_untracked_bytes": 1000}')
    big = "x" * 1001

    def second() -> None:
        story.write("big", big)
        story.write("b", "b\n")

    in_two_turns(story, a, lambda: story.write("a", "a\n"), second)
    rewind(story)
    assert story.path("big").stat().st_size == len(big)
    assert not story.path("b").exists()


def test_ignored_files_stay(story: Story, a: Session) -> None:
    story.write(".gitignore", "*.ign\n")
    story.commit("Ignore")

    def second() -> None:
        story.write("x.ign", "x\n")
        story.write("d/y.ign", "y\n")
        story.write("d/y.txt", "y\n")

    in_two_turns(story, a, lambda: story.write("a", "a\n"), second)
    rewind(story)
    assert (story.read("x.ign"), story.read("d/y.ign")) == ("x\n", "y\n")
    assert not story.path("d/y.txt").exists()


def test_what_the_agent_ceased_to_ignore_stays(story: Story, a: Session) -> None:
    """It was there before, though git did not see it: the agent did not make it."""
    story.write(".gitignore", "*.ign\n")
    story.commit("Ignore")
    story.write("secret.ign", "mine\n")

    def second() -> None:
        story.write(".gitignore", "")
        story.write("b", "b\n")

    in_two_turns(story, a, lambda: story.write("a", "a\n"), second)
    view = rewind(story)
    assert story.read("secret.ign") == "mine\n"
    assert not story.path("b").exists()
    assert story.read(".gitignore") == "*.ign\n"
    assert "secret.ign" in [entry.path for entry in view.left]


def test_a_nested_repository_stays(story: Story, a: Session) -> None:
    def second() -> None:
        story.git("init", "-q", "nested")
        story.write("nested/inside", "inside\n")
        story.write("b", "b\n")

    in_two_turns(story, a, lambda: story.write("a", "a\n"), second)
    rewind(story)
    assert story.read("nested/inside") == "inside\n"
    assert story.path("nested/.git/HEAD").exists()
    assert not story.path("b").exists()


def test_a_folder_that_became_a_repository_stays(story: Story, a: Session) -> None:
    def second() -> None:
        story.write("nested/inside", "two\n")
        story.git("init", "-q", "nested")
        story.write("b", "b\n")

    in_two_turns(story, a, lambda: story.write("nested/inside", "one\n"), second)
    rewind(story)
    assert story.read("nested/inside") == "two\n"
    assert not story.path("b").exists()


def test_a_submodule_stays(story: Story, a: Session, tmp_path: Path) -> None:
    other = Story(tmp_path / "other", enable=False)
    story.git("submodule", "add", "-q", str(other.root), "sub")
    story.commit("Submodule")
    then = story.git("-C", "sub", "rev-parse", "HEAD")

    def second() -> None:
        story.write("sub/new", "new\n")
        story.git("-C", "sub", "add", "-A")
        story.git("-C", "sub", "commit", "-q", "-m", "In the submodule")
        story.write("b", "b\n")

    in_two_turns(story, a, lambda: story.write("a", "a\n"), second)
    now = story.git("-C", "sub", "rev-parse", "HEAD")
    assert now != then
    rewind(story)
    assert story.git("-C", "sub", "rev-parse", "HEAD") == now
    assert story.read("sub/new") == "new\n"
    assert not story.path("b").exists()


# ---------------------------------------------------------------- kinds of repositories


def test_sparse_checkout(story: Story, a: Session) -> None:
    story.write("in/a.txt", "one\n")
    story.write("out/b.txt", "b\n")
    story.commit("Folders")
    story.git("sparse-checkout", "set", "in", ".claude", ".entire")
    assert not story.path("out").exists()
    then = in_two_turns(story, a, lambda: story.write("in/a.txt", "two\n"), lambda: story.write("in/a.txt", "three\n"))
    there_and_back(story, then)
    assert not story.path("out").exists()


def test_linked_worktree(story: Story, a: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with a.turn("In the main one"):
        a.write("main.txt", "main\n")
    linked = tmp_path / "linked"
    story.git("worktree", "add", "-q", str(linked))
    main = files(story)
    there = Story.__new__(Story)
    there.__dict__.update(story.__dict__, root=linked)
    b = there.session()
    b.start()
    then = in_two_turns(there, b, lambda: there.write("x", "one\n"), lambda: there.write("x", "two\n"))
    assert [point.session_id for point in Workspace.find(linked).points.listing()] == [b.id, b.id]
    there_and_back(there, then)
    assert files(story) == main
    assert there.log_errors() == story.log_errors() == []


def test_no_commit_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story(tmp_path / "fresh", first_commit=False)
    a = started(story, monkeypatch)
    then = in_two_turns(story, a, lambda: story.write("x", "one\n"), lambda: story.write("y", "two\n"))
    there_and_back(story, then)


def test_detached_head(story: Story, a: Session) -> None:
    story.git("checkout", "-q", "--detach")
    then = in_two_turns(story, a, lambda: story.write("x", "one\n"), lambda: story.write("x", "two\n"))
    there_and_back(story, then)
    story.commit("Detached")
    assert story.ids()


def test_detached_head_by_branch(story: Story, a: Session) -> None:
    with a.turn("One"):
        a.write("x", "one\n")
    first = story.commit("One")
    story.git("checkout", "-q", "--detach")
    with a.turn("Two"):
        a.write("x", "two\n")
    second = story.commit("Two")
    here = Workspace.find(story.root)
    with here.points.rewind(RewindRequest(to=first, reset=True)) as planned:
        view = planned.carry_out()
    assert (story.head(), story.read("x"), view.branch) == (first, "one\n", "")
    assert story.git("symbolic-ref", "-q", "HEAD", ok=False) == ""
    assert story.git("rev-parse", "main").strip() == first
    undo(story)
    assert (story.head(), story.read("x")) == (second, "two\n")
    assert story.git("status", "--porcelain") == ""


def test_a_merge_in_progress(story: Story, a: Session) -> None:
    story.write("m", "base\n")
    story.commit("Base")
    story.git("checkout", "-q", "-b", "other")
    story.write("m", "theirs\n")
    story.commit("Theirs")
    story.git("checkout", "-q", "main")
    story.write("m", "ours\n")
    story.commit("Ours")
    with a.turn("First"):
        a.write("x", "one\n")
    story.git("merge", "other", ok=False)
    conflict, state = story.read("m"), story.git("ls-files", "-s", "-u")
    assert "<<<<<<<" in conflict
    with a.turn("Second"):
        a.write("x", "two\n")
    rewind(story)
    assert (story.read("x"), story.read("m"), story.git("ls-files", "-s", "-u")) == ("one\n", conflict, state)
    assert story.path(".git/MERGE_HEAD").exists()
    undo(story)
    assert (story.read("x"), story.read("m"), story.git("ls-files", "-s", "-u")) == ("two\n", conflict, state)


def test_sha256(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "sha256"
    root.mkdir()
    done = subprocess.run(["git", "init", "-q", "--object-format=sha256", str(root)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this git has no SHA-256")
    story = Story(root)
    assert len(story.head()) == 64
    a = started(story, monkeypatch)

    def second() -> None:
        story.write("x", "two\n")
        story.write("y", "y\n")

    then = in_two_turns(story, a, lambda: story.write("x", "one\n"), second)
    there_and_back(story, then)
    undo(story)
    commit = story.commit("All")
    here = Workspace.find(story.root)
    assert [point.id for point in here.points.listing() if point.kind == "checkpoint"] == [commit]
