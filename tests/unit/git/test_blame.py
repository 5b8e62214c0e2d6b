"""git's porcelain form of a blame, and a part of one."""

from __future__ import annotations

import pytest

from entire.errors import GitError
from entire.git import blame
from entire.git.blame import Blame, BlameSource, Group
from tests.unit.git.repo import Repo

ONE, TWO = "1" * 40, "2" * 40
PORCELAIN = f"""\
{ONE} 1 1 2
author Ann
author-mail <ann@example.com>
author-time 1767225600
author-tz +0100
summary one
boundary
filename "tab\\there"
\tfirst
{ONE} 2 2
\t{TWO} 9 9 9
{TWO} 7 3 1
author Bob
summary two
filename b
\t
{ONE} 3 4 1
filename c
\tlast
""".encode()


def test_groups_have_the_commits_lines_and_names() -> None:
    found = blame.parse(PORCELAIN)
    assert found.groups == (
        Group(oid=ONE, path="tab\there", source_line=1, line=1, count=2),
        Group(oid=TWO, path="b", source_line=7, line=3, count=1),
        Group(oid=ONE, path="c", source_line=3, line=4, count=1),
    )
    assert found.sources[ONE] == BlameSource(
        oid=ONE, author="Ann", mail="<ann@example.com>", time=1767225600.0, zone="+0100", subject="one",
        is_boundary=True)  # fmt: skip
    assert (found.sources[TWO].author, found.sources[TWO].time, found.sources[TWO].is_boundary) == ("Bob", 0.0, False)


def test_a_line_that_looks_like_a_head_is_text() -> None:
    assert blame.parse(PORCELAIN).lines == (b"first", f"{TWO} 9 9 9".encode(), b"", b"last")


def test_nothing_is_blamed_in_an_empty_file() -> None:
    assert blame.parse(b"") == Blame()


@pytest.mark.parametrize(
    ("first", "last", "groups", "lines"),
    [
        (2, 3, [(ONE, 2, 2, 1), (TWO, 7, 3, 1)], 2),
        (4, 9, [(ONE, 3, 4, 1)], 1),
        (5, 6, [], 0),
    ],
)
def test_a_part_of_a_blame(first: int, last: int, groups: list[tuple[str, int, int, int]], lines: int) -> None:
    found = blame.clip(blame.parse(PORCELAIN), first, last)
    assert [(group.oid, group.source_line, group.line, group.count) for group in found.groups] == groups
    assert len(found.lines) == lines


def test_lines_are_blamed_as_git_stores_them(repo: Repo) -> None:
    repo.write("a", "100644", b"one\r\ntwo\n")
    repo.git("add", "a")
    repo.git("commit", "-qm", "one")
    found = blame.of(repo.top, (), "a")
    assert [(group.line, group.count) for group in found.groups] == [(1, 2)]
    assert found.lines == (b"one\r", b"two")
    assert all(source.is_commit for source in found.sources.values())


def test_an_uncommitted_line_has_no_commit(repo: Repo) -> None:
    repo.write("a", "100644", b"one\n")
    repo.git("add", "a")
    repo.git("commit", "-qm", "one")
    repo.write("a", "100644", b"one\ntwo\n")
    found = blame.of(repo.top, (), "a")
    assert [found.sources[group.oid].is_commit for group in found.groups] == [True, False]


def test_a_file_that_no_commit_has_is_gits_error(repo: Repo) -> None:
    repo.write("a", "100644", b"one\n")
    with pytest.raises(GitError, match="no such"):
        blame.of(repo.top, (), "a")
