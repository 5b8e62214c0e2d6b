"""What a merge brought in, from the list of commits and from its subject."""

from __future__ import annotations

import pytest

from entire.git.history import Logged
from entire.queries import merges


@pytest.mark.parametrize(
    ("subject", "names"),
    [
        ("Merge branch 'topic'", ["topic"]),
        ("Merge branch 'topic' into 'main'", ["topic"]),
        ("Merge branches 'a' and 'b'", ["a", "b"]),
        ("Merge remote-tracking branch 'origin/topic'", ["origin/topic"]),
        ("Merge pull request #12 from ada/topic", ["ada/topic"]),
        ("Release 'one'", []),
        ("Merge it all", []),
        ("", []),
    ],
)
def test_branches(subject: str, names: list[str]) -> None:
    assert merges.branches(subject) == names


def commit(oid: str, *parents: str) -> Logged:
    return Logged(oid=oid, parents=parents, time=0.0, author="", message="")


def test_the_merged_commits_are_found_in_the_list() -> None:
    order = [commit("merge", "main", "two"), commit("main", "base"), commit("two", "one"), commit("one", "base"),
             commit("base", "root"), commit("root")]  # fmt: skip
    assert merges.commits_between(order, 0, "two") == ["two", "one"]
    assert merges.commits_between(order[:4], 0, "two") == ["two", "one"]
    assert merges.commits_between(order[:3], 0, "two") is None  # git has to be asked
