"""A snapshot's tree equals the result of ``git add -A && git write-tree``, whatever happened before."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from entire import layout
from entire.git import diff, status
from entire.git.read import Objects
from entire.git.write import ImportStream
from entire.layout import Place
from entire.model.value import replace
from entire.snapshots import worktree
from entire.store.journal import Snapshot
from tests.unit.git.repo import Repo, kinds, names, texts

AUTHOR = "Ada <ada@example.com> 1700000000 +0000"
HUGE = 1 << 20


class Snapshots:
    """Takes snapshots of a repository repeatedly, as the hooks do."""

    def __init__(self, repo: Repo, limit: int = HUGE) -> None:
        self.repo, self.limit = repo, limit
        place = layout.find(repo.top)
        assert place is not None
        self.place: Place = place
        self.before = Snapshot()
        self.trees: dict[str, str] = {}

    def take(self) -> str:
        """Take a snapshot, write its tree and return the id."""
        index = Path(self.repo.top, ".git", "index")
        bytes_before = index.read_bytes() if index.exists() else b""
        with Objects(self.repo.top) as objects:
            taken = worktree.take(self.place, self.before, objects, self.limit, self.trees)
        stream = ImportStream(self.repo.top)
        for target in taken.links.values():
            stream.blob(target)
        commit = stream.commit(message=b"snapshot\n", author=AUTHOR, tree=taken.base_tree, changes=taken.changes)
        tree_key = stream.tree_of(commit)
        written = stream.write()
        tree = self.repo.line("rev-parse", f"{written[commit]}^{{tree}}")
        assert written[tree_key] in (tree, "<path>"), "the stream names the right tree"
        changed = worktree.changed_paths(self.before, taken.snapshot)
        if changed is not None:
            assert sorted(changed) == self.differ(self.before.tree, tree)
        self.before = replace(taken.snapshot, tree=tree)
        assert (index.read_bytes() if index.exists() else b"") == bytes_before
        return tree

    def differ(self, old: str, new: str) -> list[str]:
        output = self.repo.git("diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new)
        return sorted(output.decode("utf-8", "surrogateescape").split("\0")[:-1])

    def expected(self) -> str:
        """Return git's own tree of the worktree, made with a copy of the index."""
        copy = os.path.join(self.repo.top, ".git", "copied-index")
        index = os.path.join(self.repo.top, ".git", "index")
        if os.path.exists(index):
            shutil.copyfile(index, copy)
        elif os.path.exists(copy):
            os.unlink(copy)
        env = {"GIT_INDEX_FILE": copy}
        self.repo.git(
            "read-tree",
            "HEAD" if self.repo.git("rev-parse", "-q", "--verify", "HEAD", ok=False) else "--empty",
            env=env,
        )
        self.repo.git("add", "-A", env=env)
        return self.repo.line("write-tree", env=env)


class WorkTree(RuleBasedStateMachine):
    """Anything happens in a worktree; every snapshot must be right, each based on the previous one."""

    def __init__(self) -> None:
        super().__init__()
        self.repo = Repo(Path(os.environ["HOME"], f"repo-{os.urandom(6).hex()}"))
        self.snapshots = Snapshots(self.repo)
        self.due = False

    def teardown(self) -> None:
        shutil.rmtree(self.repo.top)

    @rule(name=names, kind=kinds, text=texts)
    def write(self, name: str, kind: str, text: bytes) -> None:
        self.repo.write(name, kind, text)

    @rule(name=names, text=st.sampled_from([b"1", b"2", b"3"]))
    def write_the_same_size(self, name: str, text: bytes) -> None:
        self.repo.write(name, "100644", text)

    @rule(name=names)
    def remove(self, name: str) -> None:
        self.repo.remove(name)

    @rule(name=names)
    def stage(self, name: str) -> None:
        self.repo.git("--literal-pathspecs", "add", "-A", "--", os.fsencode(name), ok=False)

    @rule(name=names)
    def intend_to_add(self, name: str) -> None:
        self.repo.git("--literal-pathspecs", "add", "-N", "--", os.fsencode(name), ok=False)

    @rule(name=names)
    def unstage(self, name: str) -> None:
        self.repo.git("--literal-pathspecs", "rm", "-q", "-f", "--cached", "--", os.fsencode(name), ok=False)

    @rule()
    def commit(self) -> None:
        self.repo.git("commit", "-q", "-m", "x", ok=False)

    @rule()
    def commit_all(self) -> None:
        self.repo.git("add", "-A")
        self.repo.git("commit", "-q", "-m", "x", ok=False)

    @rule()
    def take(self) -> None:
        self.due = True

    @invariant()
    def a_snapshot_is_what_git_would_add(self) -> None:
        if self.due:
            self.due = False
            assert self.snapshots.take() == self.snapshots.expected()


TestWorkTree = WorkTree.TestCase
TestWorkTree.settings = settings(max_examples=5, stateful_step_count=20)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "repo")
    made.write("a.txt", "100644", b"one\n")
    made.write("dir/b.txt", "100644", b"two\n")
    made.git("add", "-A")
    made.git("commit", "-q", "-m", "first")
    return made


def test_a_clean_worktree_is_heads_tree(repo: Repo) -> None:
    snapshots = Snapshots(repo)
    assert snapshots.take() == repo.line("rev-parse", "HEAD^{tree}")
    assert snapshots.before.files == {}


def test_before_the_first_commit_the_tree_is_what_is_on_disk(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "new")
    snapshots = Snapshots(repo)
    assert snapshots.take() == repo.line("mktree")
    repo.write("x", "100644", b"1\n")
    assert snapshots.take() == snapshots.expected()
    assert snapshots.before.head == ""


def test_a_file_edited_right_after_a_snapshot_to_the_same_size_is_detected(repo: Repo) -> None:
    """Its time stamp may be the same, so a snapshot trusts only files that were old when it was taken."""
    snapshots = Snapshots(repo)
    for number in range(10):
        with open(repo.path("a.txt"), "r+b") as file:
            file.write(b"%d" % number)
        os.utime(repo.path("a.txt"), ns=(10**18, int(snapshots.before.time * 1e9)))
        assert snapshots.take() == snapshots.expected()


def test_unchanged_files_are_not_stored_again(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("x.txt", "100644", b"new\n")
    repo.write("y.txt", "100644", b"new too\n")
    for name in ("x.txt", "y.txt"):
        os.utime(repo.path(name), ns=(10**18, 10**18))
    snapshots = Snapshots(repo)
    snapshots.take()
    stored: list[str] = []
    real = status.store_files

    def store(top: str, paths: list[str], scratch: None) -> dict[str, str]:
        stored.extend(paths)
        return real(top, paths, scratch)

    monkeypatch.setattr(status, "store_files", store)
    repo.write("y.txt", "100644", b"changed\n")
    assert snapshots.take() == snapshots.expected()
    assert stored == ["y.txt"]


def test_huge_untracked_files_are_left_out_and_named_and_tracked_ones_are_not(repo: Repo) -> None:
    snapshots = Snapshots(repo, limit=100)
    repo.write("huge.bin", "100644", b"x" * 101)
    repo.write("fits.bin", "100644", b"x" * 100)
    repo.write("a.txt", "100644", b"y" * 1000)
    tree = snapshots.take()
    assert snapshots.before.left_out == ("huge.bin",)
    assert repo.git("ls-tree", "-r", "--name-only", tree).split() == [b"a.txt", b"dir/b.txt", b"fits.bin"]
    assert repo.line("rev-parse", f"{tree}:a.txt") == repo.blob(b"y" * 1000)


def test_ignored_files_our_own_folder_and_nested_repositories_are_left_out(repo: Repo) -> None:
    repo.write(".gitignore", "100644", b"*.log\n")
    repo.write("x.log", "100644", b"1\n")
    repo.write(".entire/tmp/x", "100644", b"1\n")
    Repo(Path(repo.top, "nested")).write("inner", "100644", b"1\n")
    tree = Snapshots(repo).take()
    assert repo.git("ls-tree", "-r", "--name-only", tree).split() == [b".gitignore", b"a.txt", b"dir/b.txt"]


def test_files_in_a_merge_conflict_are_as_they_are_on_disk(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.write("a.txt", "100644", b"side\n")
    repo.git("commit", "-q", "-a", "-m", "side")
    repo.git("checkout", "-q", "main")
    repo.write("a.txt", "100644", b"main\n")
    repo.git("commit", "-q", "-a", "-m", "main")
    repo.git("merge", "-q", "side", ok=False)
    snapshots = Snapshots(repo)
    tree = snapshots.take()
    assert b"<<<<<<<" in repo.git("cat-file", "blob", f"{tree}:a.txt")
    repo.remove("a.txt")
    assert repo.git("ls-tree", "-r", "--name-only", snapshots.take()).split() == [b"dir/b.txt"]


def test_content_is_what_git_would_store(repo: Repo) -> None:
    repo.write(".gitattributes", "100644", b"*.txt text eol=crlf\n*.up filter=up\n")
    repo.git("config", "filter.up.clean", "tr a-z A-Z")
    repo.write("c.txt", "100644", b"1\r\n2\r\n")
    repo.write("d.up", "100644", b"shout\n")
    tree = Snapshots(repo).take()
    assert repo.git("cat-file", "blob", f"{tree}:c.txt") == b"1\n2\n"
    assert repo.git("cat-file", "blob", f"{tree}:d.up") == b"SHOUT\n"


def test_a_folder_that_became_a_file_and_back(repo: Repo) -> None:
    snapshots = Snapshots(repo)
    shutil.rmtree(repo.path("dir"))
    repo.write("dir", "100644", b"a file now\n")
    assert snapshots.take() == snapshots.expected()
    repo.remove("dir")
    repo.write("dir/b.txt", "100644", b"two\n")
    repo.write("dir/c.txt", "100644", b"three\n")
    assert snapshots.take() == snapshots.expected()


def test_pipes_are_no_files(repo: Repo) -> None:
    os.mkfifo(repo.path("pipe"))
    repo.remove("a.txt")
    os.mkfifo(repo.path("a.txt"))
    assert repo.git("ls-tree", "-r", "--name-only", Snapshots(repo).take()).split()[-1] == b"dir/b.txt"


def test_a_snapshot_after_a_known_change_equals_a_new_snapshot(repo: Repo) -> None:
    snapshots = Snapshots(repo)
    Path(repo.top, "kept.txt").write_text("kept\n")
    Path(repo.top, "gone.txt").write_text("gone\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "more")
    Path(repo.top, "untracked.txt").write_text("1\n")
    snapshots.take()
    Path(repo.top, "gone.txt").unlink()
    Path(repo.top, "kept.txt").write_text("changed\n")
    Path(repo.top, "new.txt").write_text("new\n")
    Path(repo.top, "new link").symlink_to("new.txt")
    Path(repo.top, "untracked.txt").unlink()
    changed = ["gone.txt", "kept.txt", "new.txt", "new link", "untracked.txt"]
    in_head = {path: found for path in changed if (found := diff.entries(repo.top, "HEAD", [path]).get(path))}
    after = worktree.take_after(snapshots.place, snapshots.before, {path: in_head.get(path) for path in changed})
    with Objects(repo.top) as objects:
        fresh = worktree.take(snapshots.place, snapshots.before, objects, HUGE, {})
    assert after.snapshot.files == fresh.snapshot.files
    assert sorted(after.snapshot.untracked) == sorted(fresh.snapshot.untracked)
    assert after.links == fresh.links
    Path(repo.top, "kept.txt").write_text("kept\n")
    Path(repo.top, "gone.txt").write_text("gone\n")
    back = worktree.take_after(
        snapshots.place, replace(after.snapshot, tree="x"), {path: in_head[path] for path in ("kept.txt", "gone.txt")}
    )
    assert sorted(back.snapshot.files) == ["new link", "new.txt"]


def test_a_file_that_only_the_index_lost_is_no_change(repo: Repo) -> None:
    snapshots = Snapshots(repo)
    Path(repo.top, "kept.txt").write_text("kept\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "kept")
    tree = snapshots.take()
    repo.git("rm", "-q", "--cached", "kept.txt")
    assert snapshots.take() == tree
    assert snapshots.before.files == {}
    Path(repo.top, "kept.txt").write_text("changed\n")
    assert snapshots.take() != tree
