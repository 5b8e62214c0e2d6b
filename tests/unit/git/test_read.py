"""Objects through one child, and thousands at once."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entire.errors import GitError
from entire.git import bulk, read
from entire.git.read import Object, Objects, parse_commit
from tests.unit.git.repo import Repo, Tree, trees
from tests.unit.git.test_diff import entries


@given(st.lists(st.binary(max_size=300), max_size=6))
@settings(max_examples=15)
def test_blobs_by_one_child_and_in_bulk(repo: Repo, contents: list[bytes]) -> None:
    oids = [repo.blob(data) for data in contents]
    with Objects(repo.top) as objects:
        assert [objects.blob(oid) for oid in oids] == contents
        assert objects.blob("12" * 20) is None
        assert [objects.blob(oid) for oid in reversed(oids)] == contents[::-1]
    found = list(bulk.get(repo.top, [*oids, "12" * 20, *oids]))
    assert [blob.data if blob is not None else None for blob in found] == [*contents, None, *contents]
    assert bulk.sizes(repo.top, [*oids, "12" * 20]) == {
        oid: len(data) for oid, data in zip(oids, contents, strict=True)
    }


@given(st.binary(max_size=80).map(lambda data: data.replace(b"\x07", b"\n")), st.integers(0, 90))
@settings(max_examples=30)
def test_the_end_of_a_blob_starts_with_a_line(repo: Repo, data: bytes, most: int) -> None:
    oid = repo.blob(data)
    with Objects(repo.top) as objects:
        end = objects.end_of_blob(oid, most)
        assert end is not None
        assert objects.blob(oid) == data  # the child is where it should be
        assert objects.size(oid) == len(data)
        assert objects.end_of_blob("12" * 20, most) is None
        assert objects.size("12" * 20) == 0
    before = data[: len(data) - len(end.data)]
    assert data.endswith(end.data)
    assert (end.left_out, end.lines) == (len(before), before.count(b"\n"))
    if len(data) <= most:
        assert not before
    elif end.data:
        assert before.endswith(b"\n")


def test_what_is_too_large_for_metadata_is_not_read(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "SMALL", 100)
    monkeypatch.setattr(bulk, "SMALL", 100)
    monkeypatch.setattr(bulk, "_BATCH_BYTES", 250)
    contents = [b"s" * 100, b"l" * 101, b"t" * 99, b"u" * 98, b"v" * 97]
    oids = [repo.blob(data) for data in contents]
    found = list(bulk.get(repo.top, oids))
    assert [blob.data if blob is not None else None for blob in found] == [contents[0], None, *contents[2:]]
    with Objects(repo.top) as objects:
        assert [objects.small_blob(oid) for oid in oids] == [contents[0], None, *contents[2:]]
        assert objects.small_blob("no\nname") is None


@given(trees)
@settings(max_examples=10)
def test_trees(repo: Repo, files: Tree) -> None:
    tree = repo.tree(files)
    with Objects(repo.top) as objects:

        def walk(oid: str, prefix: str) -> list[tuple[str, tuple[str, str]]]:
            found = []
            for entry in objects.tree(oid):
                if entry.mode == "040000":
                    found += walk(entry.oid, f"{prefix}{entry.name}/")
                else:
                    found.append((prefix + entry.name, (entry.mode, entry.oid)))
            return found

        assert walk(tree, "") == entries(repo, tree)


@pytest.mark.parametrize(
    "name", ["", "none", "a\nb", "HEAD", "x" * 5000, "\udcff", "HEAD:x y", ":(", "@{-1}", "^", "0" * 40]
)
def test_names_that_are_no_object(repo: Repo, name: str) -> None:
    with Objects(repo.top) as objects:
        oid = repo.blob(b"x")
        assert objects.get(name) is None
        assert objects.blob(oid) == b"x", "the child goes on"
        assert objects.tree(oid) == []
        assert objects.commit(oid) is None


def test_a_big_object_and_a_commit(repo: Repo) -> None:
    data = os.urandom(3 << 20)
    repo.git("commit", "-q", "--allow-empty", "-m", "subject\n\nbody é")
    with Objects(repo.top) as objects:
        assert objects.blob(repo.blob(data)) == data
        commit = objects.commit("HEAD")
        assert commit is not None
        assert (commit.parents, commit.message) == ((), "subject\n\nbody é\n".encode())
        assert commit.author.startswith("Ada Tester <ada@example.com> ")
        assert commit.tree == repo.line("rev-parse", "HEAD^{tree}")
        objects.close()
        assert objects.commit("HEAD") == commit, "another child is started"


def test_a_signed_commit() -> None:
    data = (
        b"tree "
        + b"1" * 40
        + b"\nparent a\nparent b\nauthor A <a> 1 +0000\ncommitter C <c> 2 +0000\ngpgsig -----BEGIN\n x\n tree y\n\nhi"
    )
    commit = parse_commit(Object(oid="o", type="commit", data=data))
    assert (commit.tree, commit.parents, commit.committer, commit.message) == (
        "1" * 40,
        ("a", "b"),
        "C <c> 2 +0000",
        b"hi",
    )


def test_a_git_that_is_gone_is_an_error_of_git(repo: Repo) -> None:
    """Not a broken pipe, which a command takes for a reader that has seen enough."""
    oid = repo.blob(b"content")
    with Objects(repo.top) as objects:
        assert objects.blob(oid) == b"content"
        child = objects._child
        assert child is not None
        os.kill(child.pid, signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        with pytest.raises(GitError, match="git cat-file ended unexpectedly"):
            objects.blob(oid)
