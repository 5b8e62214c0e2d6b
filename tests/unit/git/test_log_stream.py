"""git's log is read while it is written, with any names and messages."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from entire.errors import GitError
from entire.git import log_stream
from entire.git.log_stream import LoggedChange


class Repository:
    """A repository whose commits are made by git alone."""

    def __init__(self, top: Path) -> None:
        self.top = top
        top.mkdir()
        self.git("init", "-q")

    def git(self, *args: str) -> str:
        done = subprocess.run(["git", "-C", str(self.top), *args], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, message: str, files: dict[str, bytes] | None = None) -> str:
        for name, data in (files or {}).items():
            path = self.top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "--allow-empty-message", "--cleanup=verbatim", "-m", message)
        return self.git("rev-parse", "HEAD")

    def log(self, *revisions: str, paths: tuple[str, ...] = (), sizes: bool = True) -> list[LoggedChange]:
        batches = log_stream.batches(str(self.top), revisions or ("HEAD",), paths, sizes=sizes)
        return [commit for batch in batches for commit in batch]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def test_files_with_their_sizes(repository: Repository) -> None:
    text = b"".join(b"line %d\n" % number for number in range(20))
    repository.commit("one\n\nbody\n", {"tab\there": text, "bin": b"\0\1"})
    (repository.top / "tab\there").rename(repository.top / "new\nname")
    repository.commit("two", {"bin": b"\0\2", "new\nname": text + b"more\n"})
    repository.commit("")
    empty, two, one = repository.log()
    assert (empty.message, empty.files) == ("", ())
    assert (two.subject, sorted(two.files or ())) == ("two", [("bin", -1, -1), ("new\nname", 1, 0)])
    assert (one.message, sorted(one.files or ())) == ("one\n\nbody\n", [("bin", -1, -1), ("tab\there", 20, 0)])
    assert two.parents == (one.oid,)


def test_a_merge_has_no_files_of_its_own(repository: Repository) -> None:
    repository.commit("base", {"a": b"a\n"})
    main = repository.git("branch", "--show-current")
    repository.git("checkout", "-q", "-b", "side")
    side = repository.commit("side", {"b": b"b\n"})
    repository.git("checkout", "-q", main)
    first = repository.commit("first", {"a": b"b\n"})
    repository.git("merge", "-q", "side", "-m", "merge")
    merge, *rest = repository.log()
    assert (merge.parents, merge.files) == ((first, side), ())
    assert sorted(commit.subject for commit in rest) == ["base", "first", "side"]


def test_settings_of_the_user_change_nothing(repository: Repository) -> None:
    for name in ("log.showRoot", "diff.renames", "log.showSignature"):
        repository.git("config", name, "false")
    repository.git("config", "diff.relative", "true")
    repository.git("config", "diff.external", "false")
    repository.commit("one", {"d/a": b"a\n" * 9})
    repository.git("mv", "d/a", "d/b")
    repository.commit("two")
    folder = str(repository.top / "d")
    two, one = next(log_stream.batches(folder, ["HEAD"]))
    assert (two.files, one.files) == ((("d/b", 0, 0),), (("d/a", 9, 0),))


def test_without_sizes(repository: Repository) -> None:
    repository.commit("one", {"a": b"a\n"})
    assert [commit.files for commit in repository.log(sizes=False)] == [None]


def test_only_commits_of_some_paths(repository: Repository) -> None:
    repository.commit("one", {"a": b"a\n", "b": b"b\n"})
    repository.commit("two", {"b": b"c\n"})
    assert [commit.subject for commit in repository.log(paths=("a",))] == ["one"]


def test_a_long_history_comes_in_batches_and_may_be_left_early(repository: Repository) -> None:
    stream = "".join(f"commit refs/heads/long\ncommitter A <a> {number} +0000\ndata 3\n{number % 1000:03}\n"
                     for number in range(3000))  # fmt: skip
    subprocess.run(["git", "-C", str(repository.top), "fast-import", "--quiet"], input=stream.encode(), check=True)
    found = log_stream.batches(str(repository.top), ["long"])
    assert len(next(found)) == log_stream.FIRST
    found.close()
    sizes = [len(batch) for batch in log_stream.batches(str(repository.top), ["long"])]
    assert sum(sizes) == 3000
    assert max(sizes) <= log_stream.BATCH


def test_git_says_what_is_wrong(repository: Repository) -> None:
    repository.commit("one")
    with pytest.raises(GitError, match="nowhere"):
        repository.log("nowhere")
