"""Objects through one stream: what was told to be written is what git reads."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entire.errors import GitError
from entire.git.write import ImportStream, LargeBlobs, blob_id, quote
from tests.unit.git.repo import WEIRD, Repo, Tree, trees
from tests.unit.git.test_diff import entries

AUTHOR = "Ada <ada@example.com> 1700000000 +0100"


@given(trees, st.dictionaries(st.sampled_from(WEIRD), st.none() | st.binary(max_size=30), max_size=5), st.booleans())
@settings(max_examples=20)
def test_a_commit_is_a_tree_with_changes(
    repo: Repo, base: Tree, changes: dict[str, bytes | None], with_parent: bool
) -> None:
    tree = repo.tree(base)
    stream = ImportStream(repo.top)
    parent = stream.commit(
        message=b"parent", author=AUTHOR, tree=repo.tree({"other": ("100644", b"other\n")}), changes={}
    )
    marks = {name: None if data is None else ("100755", stream.blob(data)) for name, data in changes.items()}
    mark = stream.commit(
        message=b"subject\n\nbody\n", author=AUTHOR, parents=(parent,) if with_parent else (), tree=tree, changes=marks
    )
    wanted = stream.tree_of(mark)
    written = stream.write()
    expected = dict(entries(repo, tree))
    for name, data in changes.items():
        expected.pop(name, None)
        if data is not None:
            expected[name] = ("100755", blob_id(data, 40))
    assert dict(entries(repo, written[mark])) == expected
    if expected:
        assert written[wanted] == repo.line("rev-parse", f"{written[mark]}^{{tree}}")
    head = repo.git("cat-file", "commit", written[mark]).decode()
    assert head.endswith(f"author {AUTHOR}\ncommitter {AUTHOR}\n\nsubject\n\nbody\n")
    assert head.count("parent ") == with_parent


def test_a_commit_on_a_parent_keeps_its_tree_where_none_is_given(repo: Repo) -> None:
    stream = ImportStream(repo.top)
    first = stream.commit(
        message=b"1", author=AUTHOR, tree=repo.tree({"a/b": ("100644", b"1\n"), "c": ("100644", b"2\n")}), changes={}
    )
    second = stream.commit(message=b"2", author=AUTHOR, parents=(first,), changes={"a": None})
    third = stream.commit(
        message=b"3", author=AUTHOR, parents=(second, first), changes={"d": ("100644", stream.blob(b"x"))}
    )
    written = stream.write()
    assert repo.git("ls-tree", "-r", "--name-only", written[second]) == b"c\n"
    assert repo.git("ls-tree", "-r", "--name-only", written[third]) == b"c\nd\n"
    assert repo.line("rev-list", "--parents", "-1", written[third]).split()[1:] == [written[second], written[first]]


def test_objects_of_an_earlier_stream_and_no_refs_left(repo: Repo) -> None:
    stream = ImportStream(repo.top)
    mark = stream.blob(b"kept")
    oid = stream.write()[mark]
    stream = ImportStream(repo.top)
    commit = stream.commit(message=b"", author=AUTHOR, changes={"x": ("100644", oid)})
    assert repo.git("cat-file", "blob", stream.write()[commit] + ":x") == b"kept"
    assert repo.git("for-each-ref") == b""
    assert not [name for _, _, names in os.walk(repo.top) for name in names if name.startswith("fast_import_crash")]


@pytest.mark.parametrize(("count", "packs"), [(1, 0), (95, 0), (101, 1)])
def test_few_objects_are_loose_and_a_pack_is_compressed_whatever_the_user_has_set(
    repo: Repo, count: int, packs: int
) -> None:
    repo.git("config", "fastimport.unpackLimit", "1")
    repo.git("config", "transfer.unpackLimit", "1")
    repo.git("config", "core.looseCompression", "0")
    stream = ImportStream(repo.top)
    marks = {f"a/b/{number}": ("100644", stream.blob(b"%d" % number + b"x" * 3000)) for number in range(count)}
    stream.commit(message=b"m", author=AUTHOR, changes=marks)
    stream.write()
    objects = Path(repo.top, ".git/objects")
    assert len(list(objects.glob("pack/*.pack"))) == packs
    assert sum(path.stat().st_size for path in objects.rglob("*") if path.is_file()) < count * 300 + 1000


def test_an_object_that_is_not_there_is_an_error_and_moves_nothing(repo: Repo) -> None:
    stream = ImportStream(repo.top)
    stream.commit(message=b"x", author=AUTHOR, changes={"x": ("100644", "12" * 20)})
    with pytest.raises(GitError):
        stream.write()
    assert repo.git("for-each-ref") == b""


@pytest.mark.parametrize("format_", ["sha1", "sha256"])
def test_blob_ids_are_gits(tmp_path: Path, format_: str) -> None:
    repo = Repo(tmp_path / "repo", f"--object-format={format_}")
    for data in (b"", b"text\n", b"\0\xff" * 100, b"many\n" * 60_000):
        oid = repo.blob(data)
        assert blob_id(data, len(oid)) == oid


@pytest.mark.parametrize("format_", ["sha1", "sha256"])
@pytest.mark.parametrize("has_memory_files", [True, False])
def test_large_blobs_are_stored_one_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format_: str, has_memory_files: bool
) -> None:
    if not has_memory_files:
        monkeypatch.delattr(os, "memfd_create", raising=False)
    repo = Repo(tmp_path / "repo", f"--object-format={format_}")
    repo.git("config", "core.autocrlf", "input")
    repo.git("config", "core.looseCompression", "0")
    size = len(repo.blob(b""))
    contents = [b"%d\r\n" % number * 500_000 for number in range(3)]
    with LargeBlobs(repo.top) as blobs:
        oids = [blobs.put(data, blob_id(data, size)) for data in contents]
    assert [repo.git("cat-file", "blob", oid) for oid in oids] == contents
    stored = [path for path in Path(repo.top, ".git/objects").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in stored) < 100_000


def test_a_large_blob_that_git_cannot_store_is_an_error(repo: Repo) -> None:
    with pytest.raises(GitError), LargeBlobs(os.path.join(repo.top, "missing")) as blobs:
        blobs.put(b"x", blob_id(b"x", 40))
    with pytest.raises(GitError), LargeBlobs(repo.top) as blobs:
        blobs.put(b"not what was told", blob_id(b"x", 40))


@pytest.mark.parametrize("name", WEIRD)
def test_names_are_quoted_as_fast_import_reads_them(repo: Repo, name: str) -> None:
    stream = ImportStream(repo.top)
    mark = stream.commit(message=b"x", author=AUTHOR, changes={name: ("100644", stream.blob(b"1"))})
    assert [path for path, _ in entries(repo, stream.write()[mark])] == [name]
    assert quote(name).startswith(b'"')


def test_the_work_tree_and_the_index_are_not_touched(repo: Repo) -> None:
    repo.write("a", "100644", b"1\n")
    repo.git("add", "a")
    index = Path(repo.top, ".git", "index").read_bytes()
    stream = ImportStream(repo.top)
    stream.commit(message=b"x", author=AUTHOR, changes={"a": ("100644", stream.blob(b"2\n"))})
    stream.write()
    assert Path(repo.top, ".git", "index").read_bytes() == index
    assert (
        subprocess.run(["git", "-C", repo.top, "status", "--porcelain"], capture_output=True, check=True).stdout
        == b"A  a\n"
    )
