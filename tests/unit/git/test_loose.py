"""Objects that we write ourselves are those that git would have written; what is unusual is left to git."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entire.errors import GitError
from entire.git.read import Objects
from entire.git.write import ImportStream
from tests import faults
from tests.unit.git.repo import WEIRD, Repo, Tree, trees

if TYPE_CHECKING:
    from entire.git.loose import Entries

AUTHOR = "Ada <ada@example.com> 1700000000 +0100"
PATHS = [*WEIRD, "dir", "dir/deep", "dir/deep/x/y", "dir.txt", "dir-", "new/a", "new/b", "new"]
Changes = dict[str, tuple[str, bytes] | None]

changes = st.dictionaries(
    st.sampled_from(PATHS),
    st.none() | st.tuples(st.sampled_from(["100644", "100755", "120000", "040000", "160000"]), st.binary(max_size=9)),
    max_size=6,
)


@pytest.fixture
def objects(repo: Repo) -> Iterator[Objects]:
    with Objects(repo.top) as reader:
        yield reader


def add(stream: ImportStream, repo: Repo, asked: Changes, **more: Any) -> str:
    """Add a commit. A folder is one with a file of that content, or the empty one."""
    entries: dict[str, tuple[str, str] | None] = {}
    for path, entry in asked.items():
        if entry is None:
            entries[path] = None
        elif entry[0] == "040000":
            entries[path] = (entry[0], repo.tree({"in": ("100644", entry[1])}) if entry[1] else repo.tree({}))
        else:
            entries[path] = (entry[0], "12" * 20 if entry[0] == "160000" else stream.blob(entry[1]))
    return stream.commit(message=b"subject\n\n\xff\0body", author=AUTHOR, changes=entries, **more)


def fill(stream: ImportStream, repo: Repo, first: Changes, second: Changes, tree: str) -> list[str]:
    """Add a commit, one on it, and one with both as parents and a tree of its own; return what names the trees."""
    one = add(stream, repo, first, tree=tree)
    two = add(stream, repo, second, parents=(one,))
    three = add(stream, repo, first, parents=(two, one), tree=tree)
    return [stream.tree_of(mark) for mark in (one, two, three)]


@given(trees, changes, changes, st.booleans())
@settings(max_examples=25)
def test_the_ids_are_those_of_fast_import(
    repo: Repo, base: Tree, first: Changes, second: Changes, is_packed: bool
) -> None:
    tree = repo.tree(base)
    if is_packed:
        repo.git("update-ref", "refs/tags/kept", repo.line("commit-tree", tree, "-m", "kept"))
        repo.git("gc", "-q")
    with Objects(repo.top) as objects:
        ours, gits = ImportStream(repo.top, objects), ImportStream(repo.top)
        for stream in (ours, gits):
            fill(stream, repo, first, second, tree)
        written = ours.write_small()
    assert written is not None
    expected = gits.write()
    assert written == expected
    for oid in expected.values():
        repo.git("cat-file", "-e", oid)


wide_changes = st.dictionaries(
    st.sampled_from(["00/0", "00/new", "02/2", "04", "06/1/deep", "10/0", "fe", "03/new", "03", "links/a", "a0/1"]),
    st.none() | st.tuples(st.sampled_from(["100644", "040000"]), st.binary(max_size=3)),
    max_size=4,
)


@given(wide_changes, wide_changes)
@settings(max_examples=15)
def test_the_ids_are_those_of_fast_import_in_a_wide_folder(repo: Repo, first: Changes, second: Changes) -> None:
    folder = repo.tree({"0": ("100644", b"")})
    tree = repo.line(
        "mktree", data=b"".join(b"040000 tree %s\t%02x\n" % (folder.encode(), n) for n in range(0, 256, 2))
    )
    with Objects(repo.top) as objects:
        ours, gits = ImportStream(repo.top, objects), ImportStream(repo.top)
        for stream in (ours, gits):
            fill(stream, repo, first, second, tree)
        assert ours.write_small() == gits.write()


def test_objects_are_gits_in_name_mode_and_content(repo: Repo, objects: Objects) -> None:
    stream = ImportStream(repo.top, objects)
    changes = {"a/b/c": ("100644", stream.blob(b"text\n"))}
    mark = stream.commit(message=b"m", author=AUTHOR, tree=repo.tree({"x": ("100644", b"x\n")}), changes=changes)
    written = stream.write_small()
    assert written is not None
    assert repo.git("ls-tree", "-r", "--name-only", written[mark]) == b"a/b/c\nx\n"
    assert repo.git("fsck", "--strict", "--no-dangling", written[mark]) == b""
    path = loose(repo, written[mark])
    assert path.stat().st_mode & 0o7777 == 0o444 & ~umask()
    assert path.parent.stat().st_mode & 0o7777 == 0o777 & ~umask()
    assert not left_over(repo)


@given(st.binary(max_size=20), st.integers(3900, 4100))
@settings(max_examples=20)
def test_a_content_of_any_size_is_read_by_git(repo: Repo, data: bytes, size: int) -> None:
    with Objects(repo.top) as objects:
        stream = ImportStream(repo.top, objects)
        contents = [data, (data or b"x") * (size // (len(data) or 1)) + b"y" * (size % (len(data) or 1))]
        marks = [stream.blob(content) for content in contents]
        written = stream.write_small()
    assert written is not None
    for mark, content in zip(marks, contents, strict=True):
        assert loose(repo, written[mark]).exists()
        assert repo.git("cat-file", "blob", written[mark]) == content


def test_without_an_error_git_is_not_started(repo: Repo, objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    parent, tree = commit(repo), repo.tree({"x": ("100644", b"x\n")})
    long = repo.blob(b"".join(b'{"line": %d, "hash": "%x"}\n' % (n, hash(str(n))) for n in range(2000)))
    monkeypatch.setattr(os, "posix_spawnp", None)
    stream = ImportStream(repo.top, objects)
    changes: Entries = {"d": ("040000", tree), "l": ("100644", long)}
    mark = stream.commit(message=b"m", author=AUTHOR, parents=(parent,), changes=changes)
    assert stream.write()[mark]


def test_what_is_there_already_is_new_to_garbage_collection(repo: Repo, objects: Objects) -> None:
    blob, kept, tree = repo.blob(b"again"), repo.blob(b"kept"), repo.tree({"x": ("100644", b"x\n")})
    old = time.time() - 90 * 86400
    for oid in (blob, kept, tree):
        os.utime(loose(repo, oid), (old, old))
    stream = ImportStream(repo.top, objects)
    again = stream.blob(b"again")
    stream.commit(message=b"m", author=AUTHOR, changes={"a": ("100644", kept), "b": ("040000", tree)})
    assert stream.write_small() is not None
    assert again == ":1"
    assert [oid for oid in (blob, kept, tree) if loose(repo, oid).stat().st_mtime < time.time() - 60] == []
    repo.git("prune", "--expire=1.day.ago")
    assert all(loose(repo, oid).exists() for oid in (blob, kept, tree))


def test_what_only_a_pack_has_is_read_from_it_and_written_again(repo: Repo, objects: Objects) -> None:
    parent = commit(repo)
    repo.git("update-ref", "refs/heads/main", parent)
    repo.git("gc", "-q")
    assert not loose(repo, parent).exists()
    stream = ImportStream(repo.top, objects)
    mark = stream.commit(message=b"m", author=AUTHOR, parents=(parent,), changes={"y": ("100644", stream.blob(b"f\n"))})
    written = stream.write_small()
    assert written is not None
    assert repo.line("rev-parse", f"{written[mark]}:y") == written[":1"]
    assert loose(repo, written[":1"]).exists()


def test_objects_of_an_alternate_are_used(repo: Repo, tmp_path: Path) -> None:
    parent = commit(repo)
    repo.git("update-ref", "refs/heads/main", parent)
    repo.git("clone", "-q", "--shared", repo.top, str(tmp_path / "other"))
    other = Repo(tmp_path / "other")
    with Objects(other.top) as objects:
        stream = ImportStream(other.top, objects)
        mark = stream.commit(message=b"m", author=AUTHOR, parents=(parent,), changes={"f": None})
        written = stream.write_small()
    assert written is not None
    assert other.line("rev-parse", f"{written[mark]}^") == parent
    assert sum(path.is_file() for path in Path(other.top, ".git/objects").rglob("*")) == 2 + 1  # and its alternates


def test_from_a_linked_worktree_they_are_written_to_the_repository(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"), commit(repo))
    with Objects(str(tmp_path / "linked")) as objects:
        stream = ImportStream(str(tmp_path / "linked"), objects)
        mark = stream.blob(b"of the linked one")
        written = stream.write_small()
    assert written is not None
    assert loose(repo, written[mark]).exists()


# ---------------------------------------------------------------- what git writes


def broken_by(act: Callable[[Repo], None]) -> Any:
    return pytest.param(act, id=act.__name__)


def shared(repo: Repo) -> None:
    repo.git("config", "core.sharedRepository", "group")


def of_others(repo: Repo) -> None:
    os.chmod(Path(repo.top, ".git/objects"), 0o777)


def zero_padded(repo: Repo) -> None:
    data = b"040000 t\0" + bytes.fromhex(repo.tree({}))
    write_tree(repo, data)


def doubled(repo: Repo) -> None:
    write_tree(repo, (b"100644 a\0" + bytes.fromhex(repo.blob(b"1"))) * 2)


def write_tree(repo: Repo, data: bytes) -> None:
    oid = repo.line("hash-object", "-w", "-t", "tree", "--literally", "--stdin", data=data)
    repo.git("update-ref", "refs/tags/base", oid)


@pytest.mark.parametrize("unusual", list(map(broken_by, (shared, of_others, zero_padded, doubled))))
def test_git_writes_what_is_unusual(repo: Repo, objects: Objects, unusual: Callable[[Repo], None]) -> None:
    repo.git("update-ref", "refs/tags/base", repo.tree({"x": ("100644", b"x\n")}))
    unusual(repo)
    base = repo.line("rev-parse", "refs/tags/base")
    stream = ImportStream(repo.top, objects)
    mark = stream.commit(message=b"m", author=AUTHOR, tree=base, changes={"y": ("100644", stream.blob(b"y\n"))})
    assert stream.write_small() is None
    assert repo.git("cat-file", "blob", stream.write()[mark] + ":y") == b"y\n"
    if unusual is shared:
        repo.git("update-ref", "HEAD", stream.write()[mark])
        assert loose(repo, repo.line("rev-parse", "HEAD:y")).parent.stat().st_mode & 0o2020


def test_git_writes_with_sha256(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo", "--object-format=sha256")
    with Objects(repo.top) as objects:
        stream = ImportStream(repo.top, objects)
        blob = repo.blob(b"1")
        mark = stream.commit(message=b"m", author=AUTHOR, changes={"y": ("100644", blob)})
        assert repo.git("cat-file", "blob", stream.write()[mark] + ":y") == b"1"
        stream = ImportStream(repo.top, objects)
        alone = stream.blob(b"alone")
        assert repo.git("cat-file", "blob", stream.write()[alone]) == b"alone"


@pytest.mark.parametrize("content", [b"", b"\0" * 9, b"x\x9c", None])
@pytest.mark.parametrize("what", ["tree", "blob", "parent"])
def test_an_object_that_is_damaged_or_missing_is_gits_error(
    repo: Repo, objects: Objects, what: str, content: bytes | None
) -> None:
    oids = {"tree": repo.tree({"x": ("100644", b"x\n")}), "blob": repo.blob(b"b"), "parent": commit(repo)}
    path = loose(repo, oids[what])
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    stream = ImportStream(repo.top, objects)
    stream.commit(
        message=b"m",
        author=AUTHOR,
        tree=oids["tree"],
        parents=(oids["parent"],),
        changes={"y": ("100644", oids["blob"])},
    )
    with pytest.raises(GitError):
        stream.write()
    assert not left_over(repo)


@pytest.mark.parametrize(("mode", "kind"), [("100644", "tree"), ("040000", "blob"), ("100664", "blob")])
def test_an_entry_of_another_kind_is_gits_error(repo: Repo, objects: Objects, mode: str, kind: str) -> None:
    oid = repo.tree({"x": ("100644", b"x\n")}) if kind == "tree" else repo.blob(b"b")
    stream = ImportStream(repo.top, objects)
    stream.commit(message=b"m", author=AUTHOR, changes={"y": (mode, oid)})
    assert stream.write_small() is None
    with pytest.raises(GitError):
        stream.write()


@pytest.mark.parametrize("path", [".git/x", "a/.GIT", "../x", "a//b", "./a", ""])
def test_git_decides_about_names_that_it_may_refuse(repo: Repo, objects: Objects, path: str) -> None:
    stream = ImportStream(repo.top, objects)
    stream.commit(message=b"m", author=AUTHOR, changes={path: ("100644", stream.blob(b"1"))})
    assert stream.write_small() is None


def test_many_or_large_objects_are_gits(repo: Repo, objects: Objects) -> None:
    many = ImportStream(repo.top, objects)
    many.commit(message=b"m", author=AUTHOR, changes={f"a{n}": ("100644", many.blob(b"%d" % n)) for n in range(70)})
    large = ImportStream(repo.top, objects)
    large.blob(b"x" * (256 << 10) + b"y")
    wide = ImportStream(repo.top, objects)
    file = "100644", repo.blob(b"1")
    tree = many_files(repo, {f"file{n:05}": file for n in range(3000)})
    wide.commit(message=b"m", author=AUTHOR, tree=tree, changes={"new": ("100644", wide.blob(b"1"))})
    assert [stream.write_small() for stream in (many, large, wide)] == [None, None, None]
    assert len(wide.write()[":2"]) == 40


def many_files(repo: Repo, entries: Entries) -> str:
    stream = ImportStream(repo.top)
    key = stream.tree_of(stream.commit(message=b"", author=AUTHOR, changes=entries))
    return stream.write()[key]


# ---------------------------------------------------------------- faults


class Save:
    """A save of a few objects in a new repository, which may be hurt."""

    def __init__(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        template = folder.with_name("template")
        if not template.exists():
            repo = Repo(template)
            repo.git("update-ref", "refs/heads/main", commit(repo))
        shutil.copytree(template, folder)
        self.repo = Repo(folder)
        self.parent = self.repo.line("rev-parse", "refs/heads/main")

    def write(self) -> dict[str, str]:
        with Objects(self.repo.top) as objects:
            stream = ImportStream(self.repo.top, objects)
            changes: Entries = {f"d/{n}": ("100644", stream.blob(b"%d\n" % n)) for n in range(3)}
            stream.commit(message=b"m", author=AUTHOR, parents=(self.parent,), changes=changes)
            return stream.write()


def test_where_a_call_fails_git_writes_the_save(tmp_path: Path) -> None:
    with faults.at_call(-1, lambda: None) as seen:
        expected = Save(tmp_path / "whole").write()
    assert seen[0] > 10
    for count in range(seen[0]):
        save = Save(tmp_path / "hurt")
        with faults.at_call(count, faults.fail(errno.EACCES if count % 2 else errno.ENOSPC)):
            assert save.write() == expected
        assert not left_over(save.repo)
        assert save.repo.git("fsck", "--strict", "--no-dangling") == b""


def test_a_kill_leaves_nothing_that_is_reachable_or_damaged(tmp_path: Path) -> None:
    count, folder = 0, tmp_path / "killed"
    while faults.killed(count, Save.write, lambda: Save(folder)):
        count += 1
        repo = Repo(folder)
        assert repo.git("fsck", "--strict", "--no-dangling") == b""
        assert repo.line("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert count > 10


def test_a_disk_that_takes_a_part_of_a_write_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save, write = Save(tmp_path / "repo"), os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[: len(data) // 2] if data[:1] == b"x" else data))
    assert save.write() == Save(tmp_path / "other").write()
    monkeypatch.undo()
    assert not left_over(save.repo)


def test_an_object_that_is_pruned_while_we_write_is_written_by_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, rename = Save(tmp_path / "repo"), os.rename
    for count in range(5):
        seen: list[str] = []

        def renamed(old: str, new: str, seen: list[str] = seen, count: int = count) -> None:
            rename(old, new)
            seen.append(new)
            if len(seen) == count:
                save.repo.git("prune", "--expire=now")

        monkeypatch.setattr(os, "rename", renamed)
        written = save.write()
        assert save.repo.git("fsck", "--strict", *written.values()) is not None
        for oid in written.values():
            save.repo.git("cat-file", "-e", oid)
        monkeypatch.undo()
        save.repo.git("prune", "--expire=now")


# ---------------------------------------------------------------- helpers


def commit(repo: Repo) -> str:
    tree = repo.tree({"f": ("100644", b"f\n"), "d/0": ("100644", b"old\n")})
    data = f"tree {tree}\nauthor {AUTHOR}\ncommitter {AUTHOR}\n\nfirst\n".encode()
    return repo.line("hash-object", "-w", "-t", "commit", "--stdin", data=data)


def loose(repo: Repo, oid: str) -> Path:
    return Path(repo.top, ".git/objects", oid[:2], oid[2:])


def left_over(repo: Repo) -> list[Path]:
    return list(Path(repo.top, ".git/objects").rglob("tmp_*"))


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
