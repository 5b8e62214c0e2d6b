"""From blobs to files as a checkout writes them, and the small tools beside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from entire.errors import GitError
from entire.git import bulk, checkout, diff, history
from tests.unit.git.repo import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    found = Repo(tmp_path / "repo")
    top = Path(found.top)
    (top / ".gitattributes").write_text("*.win text eol=crlf\n*.big filter=upper\n")
    found.git("config", "filter.upper.smudge", "tr a-z A-Z")
    found.git("config", "filter.upper.clean", "tr A-Z a-z")
    (top / "d").mkdir()
    (top / "d/a.win").write_bytes(b"one\r\ntwo\r\n")
    (top / "b.big").write_bytes(b"LARGE\n")
    (top / "run").write_bytes(b"#!/bin/sh\n")
    (top / "run").chmod(0o755)
    (top / "link").symlink_to("nowhere")
    found.git("add", "-A")
    found.git("commit", "-q", "-m", "first")
    return found


def listed(repo: Repo, rev: str = "HEAD") -> dict[str, tuple[str, str]]:
    lines = repo.git("ls-tree", "-r", rev).decode().splitlines()
    return {line.split("\t")[1]: (line.split()[0], line.split()[2]) for line in lines}


def test_files_come_out_as_a_checkout_writes_them(repo: Repo, tmp_path: Path) -> None:
    folder = tmp_path / "work" / "b"
    folder.mkdir(parents=True)
    index = Path(repo.top, ".git/index").read_bytes()
    checkout.stage(repo.top, listed(repo), str(folder))
    assert (folder / "d/a.win").read_bytes() == b"one\r\ntwo\r\n"
    assert (folder / "b.big").read_bytes() == b"LARGE\n"
    assert os.access(folder / "run", os.X_OK)
    assert os.readlink(folder / "link") == "nowhere"
    assert Path(repo.top, ".git/index").read_bytes() == index
    assert os.listdir(folder.parent) == ["b"]


def test_a_missing_object_is_an_error(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    with pytest.raises(GitError):
        checkout.stage(repo.top, {"x": ("100644", "1" * 40)}, str(tmp_path / "b"))


def test_ignored_paths(repo: Repo) -> None:
    Path(repo.top, ".gitignore").write_text("*.log\n*.big\n")
    asked = ["new.log", "b.big", "odd \n name.log", "plain"]
    assert checkout.ignored(repo.top, asked) == {"new.log", "odd \n name.log"}  # what the index holds never is


def test_merging_and_conflicts(repo: Repo, tmp_path: Path) -> None:
    base = b"".join(b"%d\n" % n for n in range(9))
    mine, theirs = base.replace(b"1\n", b"one\n"), base.replace(b"7\n", b"seven\n")
    merged, conflicts = checkout.merge(repo.top, str(tmp_path), mine, base, theirs, ("me", "base", "they"))
    assert (merged, conflicts) == (mine.replace(b"7\n", b"seven\n"), False)
    both = base.replace(b"1\n", b"uno\n")
    merged, conflicts = checkout.merge(repo.top, str(tmp_path), mine, base, both, ("me", "base", "they"))
    assert conflicts
    assert b"<<<<<<< me\none\n=======\nuno\n>>>>>>> they\n" in merged
    assert not list(tmp_path.glob("mine*"))


def test_stored_as_it_is(repo: Repo) -> None:
    oid = checkout.store(repo.top, b"a\r\nb\r\n")
    assert repo.git("cat-file", "blob", oid) == b"a\r\nb\r\n"


@pytest.mark.parametrize(("content", "binary"), [(b"text\n", False), (b"\xff\xfe text", False), (b"a\0b", True)])
def test_binary(content: bytes, binary: bool) -> None:
    assert checkout.is_binary(content) is binary


def test_the_difference_of_two_folders_names_the_files_alone(repo: Repo, tmp_path: Path) -> None:
    for side, text in (("a", "old\n"), ("b", "new\n")):
        (tmp_path / side / "d").mkdir(parents=True)
        (tmp_path / side / "d/file").write_text(text)
    shown = checkout.diff_folders(str(tmp_path), "a", "b", colour=False).decode()
    assert shown.startswith("diff --git a/d/file b/d/file\n")
    assert "-old\n+new\n" in shown
    assert b"\x1b[" in checkout.diff_folders(str(tmp_path), "a", "b", colour=True)


def test_paths_in_commits(repo: Repo) -> None:
    first = repo.line("rev-parse", "HEAD")
    Path(repo.top, "later").write_text("x")
    repo.git("add", "later")
    repo.git("commit", "-q", "-m", "second")
    asked = ["later", "run", "never"]
    assert checkout.in_commits(repo.top, ["HEAD", f"^{first}"], asked) == {"later"}
    assert checkout.in_commits(repo.top, ["HEAD"], asked) == {"later", "run"}
    assert checkout.in_commits(repo.top, ["HEAD"], []) == set()


def test_an_index_at_another_commit_leaves_the_users_alone(repo: Repo, tmp_path: Path) -> None:
    first = repo.line("rev-parse", "HEAD")
    Path(repo.top, "later").write_text("x")
    repo.git("add", "later")
    repo.git("commit", "-q", "-m", "second")
    index = Path(repo.top, ".git/index").read_bytes()
    (tmp_path / "index").write_bytes(index)
    checkout.index_at(repo.top, first, str(tmp_path / "index"))
    assert Path(repo.top, ".git/index").read_bytes() == index
    assert (tmp_path / "index").read_bytes() != index


def test_entries_and_ids_of_paths(repo: Repo) -> None:
    known = listed(repo)
    assert diff.entries(repo.top, "HEAD", ["run", "link", "d", "none"]) == {
        "run": known["run"], "link": known["link"],
    }  # fmt: skip
    assert diff.entries(repo.top, "", ["run"]) == {}
    assert bulk.ids(repo.top, ["HEAD:run", "HEAD:d", "HEAD:none"], "blob") == [known["run"][1], "", ""]
    assert bulk.ids(repo.top, ["HEAD:run", "HEAD:none", "", "HEAD:link"]) == [known["run"][1], "", "", known["link"][1]]


def test_sizes_of_many_pairs(repo: Repo) -> None:
    first = repo.line("rev-parse", "HEAD^{tree}")
    Path(repo.top, "odd\nname").write_text("1\n2\n")
    Path(repo.top, "run").write_text("#!/bin/bash\n")
    repo.git("add", "-A")
    second = repo.line("write-tree")
    found = diff.sizes(repo.top, [(first, second), (first, first), (second, first)])
    assert found == [{"odd\nname": (2, 0), "run": (1, 1)}, {}, {"odd\nname": (0, 2), "run": (1, 1)}]


def test_commits_that_head_does_not_reach(repo: Repo) -> None:
    first = repo.line("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-b", "other")
    repo.git("commit", "-q", "--allow-empty", "-m", "elsewhere")
    other = repo.line("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-")
    assert history.outside(repo.top, "HEAD", [first, other]) == {other}
    assert history.outside(repo.top, "no-such", [first]) == {first}
