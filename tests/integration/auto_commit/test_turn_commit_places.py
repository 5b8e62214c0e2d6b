"""The commit of a turn in odd repositories, and of odd files: it takes the session's files and leaves all else."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.kept import PERSON
from tests.integration.story import Session, Story
from tests.integration.turn_commits import enable


def enabled(story: Story) -> Story:
    enable(story)
    story.commit("Enable entire", env=PERSON)
    return story


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return enabled(Story(tmp_path / "repo", enable=False))


def entries(story: Story) -> dict[str, str]:
    """Return the index's entries with all their flags."""
    found: dict[str, str] = {}
    for flag in ("-s", "-v", "-f"):
        for line in story.git("ls-files", flag, "-z").split("\0"):
            words, _, name = line.partition("\t" if flag == "-s" else " ")
            if name:
                found[name] = f"{found.get(name, '')} {words}"
    return found


def check(story: Story, before: dict[str, str], paths: list[str], status: str) -> None:
    """Check that a turn's commit has these paths, and that all other entries of the index are as before."""
    listed = story.git("diff-tree", "-r", "-z", "--name-only", "--no-commit-id", "HEAD").split("\0")
    assert sorted(filter(None, listed)) == sorted(paths)
    now = entries(story)
    assert {path: found for path, found in now.items() if path not in paths} == {
        path: found for path, found in before.items() if path not in paths
    }
    committed = story.git("ls-tree", "-r", "HEAD", "--", *paths) if paths else ""
    staged = story.git("ls-files", "-s", "--", *paths) if paths else ""
    assert [line.split()[0::2][:1] + line.split()[2:3] for line in committed.splitlines()] == [
        line.split()[:2] for line in staged.splitlines()
    ]
    assert story.git("diff-files", "--name-only", "-z") == status_of_files(status), "the index knows the files"
    assert story.git("status", "--porcelain", "-uall") == status
    assert story.git("fsck", "--no-dangling", "--connectivity-only") == ""
    assert story.log_errors() == []


def status_of_files(status: str) -> str:
    return "".join(f"{line[3:]}\0" for line in status.splitlines() if line[1] in "AMDT")


def turn(session: Session, act: Callable[[], object]) -> None:
    with session.turn("one"), session.shell():
        act()


# ---------------------------------------------------------------- repositories


def test_a_sha256_repository(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    os.system(f"git init -q -b main --object-format=sha256 {root}")
    story = enabled(Story(root, enable=False))
    session, before = story.started(), entries(story)
    story.write("mine.txt", "mine\n")
    story.git("add", "mine.txt")
    before = entries(story)
    with session.turn("one"):
        session.write("a.txt", "a\n")
        with session.shell("rm README.md"):
            (story.root / "README.md").unlink()
    check(story, before, ["README.md", "a.txt"], "A  mine.txt\n")
    assert story.linked()["files_touched"] == ["README.md", "a.txt"]


def test_the_first_commit_of_a_sha256_repository_with_something_staged(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    os.system(f"git init -q -b main --object-format=sha256 {root}")
    story = Story(root, enable=False, first_commit=False)
    enable(story)
    story.write("mine.txt", "mine\n")
    story.git("add", "-N", "mine.txt")
    story.git("add", ".claude")
    before = entries(story)
    session = story.started()
    with session.turn("one"):
        session.write("a.txt", "a\n")
    assert story.git("ls-tree", "-r", "--name-only", "HEAD") == "a.txt\n"
    assert {**entries(story), "a.txt": ""} == {**before, "a.txt": ""}


def test_a_linked_worktree_and_a_folder_below_it(story: Story) -> None:
    side = story.root.parent / "side"
    story.git("worktree", "add", "-q", "-b", "side", str(side))
    (side / "deep/er").mkdir(parents=True)
    main_index = (story.root / ".git/index").read_bytes()
    hook = story.root / ".git/hooks/pre-commit"
    hook.write_text(f'#!/bin/sh\npwd >{story.root.parent}/seen\necho "$GIT_DIR" >>{story.root.parent}/seen\n'
                    f'git diff --cached --name-only >>{story.root.parent}/seen\n')  # fmt: skip
    hook.chmod(0o755)
    session = story.session()
    session.cwd = side / "deep/er"
    session.start()
    with session.turn("one"), session.shell():
        (side / "deep/a.txt").write_text("a\n")
        (story.root / "elsewhere.txt").write_text("b\n")
    assert story.git("-C", str(side), "log", "-1", "--format=%s", "--name-only") == "One\n\ndeep/a.txt\n"
    assert story.git("-C", str(side), "status", "--porcelain") == ""
    assert story.git("log", "-1", "--format=%s") == "Enable entire\n"
    assert (story.root / ".git/index").read_bytes() == main_index
    seen = (story.root.parent / "seen").read_text().splitlines()
    assert seen == [str(side), str(story.root / ".git/worktrees/side"), "deep/a.txt"]


def test_a_split_index_and_an_untracked_cache(story: Story) -> None:
    for number in range(30):
        story.write(f"d/{number}.txt", "text\n")
    story.commit("Many", env=PERSON)
    story.git("config", "core.splitIndex", "true")
    story.git("config", "core.untrackedCache", "true")
    story.git("update-index", "--split-index")
    story.git("status")
    story.write("mine.txt", "mine\n")
    story.git("add", "mine.txt")
    session, before = story.started(), entries(story)
    with session.turn("one"):
        session.write("d/3.txt", "agent\n")
        session.write("d/new.txt", "agent\n")
        with session.shell("rm d/4.txt"):
            (story.root / "d/4.txt").unlink()
    check(story, before, ["d/3.txt", "d/4.txt", "d/new.txt"], "A  mine.txt\n")


@pytest.mark.parametrize("index_is_sparse", ["true", "false"])
def test_a_sparse_checkout(story: Story, index_is_sparse: str) -> None:
    for folder in ("in", "out"):
        story.write(f"{folder}/a.txt", "text\n")
    story.commit("Folders", env=PERSON)
    story.git("config", "index.sparse", index_is_sparse)
    story.git("sparse-checkout", "set", "--cone", "in", ".claude", ".entire")
    session, before = story.started(), entries(story)
    with session.turn("one"):
        session.write("in/a.txt", "agent\n")
        session.write("in/b.txt", "agent\n")
    check(story, before, ["in/a.txt", "in/b.txt"], "")
    assert story.git("ls-tree", "-r", "--name-only", "HEAD", "out/") == "out/a.txt\n"


def test_entries_that_a_person_marked(story: Story) -> None:
    for name in ("assumed.txt", "skipped.txt"):
        story.write(name, "text\n")
    story.commit("Files", env=PERSON)
    story.git("update-index", "--assume-unchanged", "assumed.txt")
    story.git("update-index", "--skip-worktree", "skipped.txt")
    story.write("assumed.txt", "mine\n")
    story.write("skipped.txt", "mine\n")
    story.write("intended.txt", "mine\n")
    story.git("add", "-N", "intended.txt")
    session, before = story.started(), entries(story)
    with session.turn("one"):
        session.write("a.txt", "agent\n")
    check(story, before, ["a.txt"], " A intended.txt\n")


@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
def test_a_file_that_a_person_keeps_out_of_commits(story: Story, mark: str) -> None:
    story.write("local.cfg", "text\n")
    story.commit("Files", env=PERSON)
    story.git("update-index", mark, "local.cfg")
    session, before = story.started(), entries(story)
    with session.turn("one"):
        session.write("local.cfg", "agent\n")
        session.write("a.txt", "agent\n")
    check(story, before, ["a.txt"], "")
    assert story.read("local.cfg") == "agent\n"


@pytest.mark.parametrize("ignored", [False, True])
def test_a_submodule_that_a_person_staged(story: Story, tmp_path: Path, ignored: bool) -> None:
    other = Story(tmp_path / "other", enable=False)
    story.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.root), "sub")
    story.commit("Submodule", env=PERSON)
    if ignored:
        story.git("config", "submodule.sub.ignore", "all")
        story.git("config", "diff.ignoreSubmodules", "all")
    was = story.git("ls-tree", "HEAD", "sub")
    story.git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "More")
    story.git("update-index", "sub")
    session, before = story.started(), entries(story)
    assert before["sub"].split()[1] not in was
    with session.turn("one"):
        session.write("a.txt", "agent\n")
    check(story, before, ["a.txt"], "M  sub\n")
    assert story.git("ls-tree", "HEAD", "sub") == was


# ---------------------------------------------------------------- files


def test_hostile_names(story: Story) -> None:
    names = ["-rf", "a b", "q\"uo'te", "line\nbreak", "tab\there", "né", "*", ":(top)x", "back\\slash", "d/-x/.y"]
    names.append(os.fsdecode(b"not-utf-8-\xff"))
    session, before = story.started(), entries(story)

    def write() -> None:
        for name in names:
            path = os.path.join(os.fsencode(story.root), os.fsencode(name))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(b"agent\n")

    turn(session, write)
    story.git("config", "core.quotePath", "true")
    listed = story.git("ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")
    assert set(names) <= set(listed)
    assert story.git("status", "--porcelain", "-uall") == ""
    assert set(entries(story)) == {*before, *names}


@pytest.mark.parametrize("is_staged", [False, True])
def test_kinds_of_files(story: Story, is_staged: bool) -> None:
    """After a pre-commit hook, too, which must not have changed them."""
    hook = story.root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o755)
    for name in ("plain", "script", "link", "folder/one", "folder/two", "swap"):
        story.write(name, f"{name}\n")
    story.commit("Files", env=PERSON)
    session, before = story.started(), entries(story)
    root = story.root

    def change() -> None:
        (root / "script").chmod(0o755)
        (root / "link").unlink()
        (root / "link").symlink_to("nowhere")
        for name in ("one", "two"):
            (root / "folder" / name).unlink()
        (root / "folder").rmdir()
        (root / "folder").write_text("a file now\n")
        (root / "swap").unlink()
        (root / "swap").mkdir()
        (root / "swap/in").write_text("a folder now\n")
        (root / "plain").rename(root / "Plain2")
        (root / "empty").touch()
        if is_staged:
            story.git("add", "-A")

    turn(session, change)
    changed = ["Plain2", "empty", "folder", "folder/one", "folder/two", "link", "plain", "script", "swap", "swap/in"]
    listed = story.git("diff-tree", "-r", "--no-renames", "--name-only", "--no-commit-id", "HEAD").split()
    assert listed == changed
    assert story.git("status", "--porcelain", "-uall") == ""
    modes = {line.split()[3]: line.split()[0] for line in story.git("ls-tree", "-r", "HEAD").splitlines()}
    assert (modes["script"], modes["link"], modes["folder"]) == ("100755", "120000", "100644")
    assert {path: one for path, one in entries(story).items() if path not in changed} == {
        path: one for path, one in before.items() if path not in changed
    }


def test_filters(story: Story) -> None:
    story.git("config", "core.autocrlf", "true")
    story.git("config", "filter.rot.clean", "tr a-z b-za")
    story.git("config", "filter.rot.smudge", "tr b-za a-z")
    story.write(".gitattributes", "*.rot filter=rot\n*.bin -text\n")
    story.commit("Filters", env=PERSON)
    session, before = story.started(), entries(story)
    with session.turn("one"):
        session.write("a.txt", "one\r\ntwo\r\n")
        session.write("b.rot", "abc\n")
        session.write("c.bin", "one\r\n")
    check(story, before, ["a.txt", "b.rot", "c.bin"], "")
    assert story.git("cat-file", "blob", "HEAD:a.txt") == "one\ntwo\n"
    assert story.git("cat-file", "blob", "HEAD:b.rot") == "bcd\n"
    assert story.git("cat-file", "blob", "HEAD:c.bin") == "one\n", "as text is decoded here"


def test_a_file_system_without_executable_bits(story: Story) -> None:
    story.write("tool", "#!/bin/sh\n")
    story.path("tool").chmod(0o755)
    story.commit("Tool", env=PERSON)
    story.git("config", "core.fileMode", "false")
    story.path("tool").chmod(0o644)
    session, before = story.started(), entries(story)
    with session.turn("one"):
        session.write("tool", "#!/bin/sh\ntrue\n")
        session.write("new", "new\n")
        story.path("new").chmod(0o755)
    check(story, before, ["new", "tool"], "")
    assert story.git("ls-tree", "HEAD", "tool").split()[0] == "100755"


def test_ignored_files_and_excluded_ones_are_not_committed(story: Story) -> None:
    story.write(".gitignore", "*.log\n")
    story.commit("Ignore", env=PERSON)
    session, before = story.started(), entries(story)
    with session.turn("one"):
        session.write("build.log", "ignored\n")
        session.write("a.txt", "a\n")
    check(story, before, ["a.txt"], "")
