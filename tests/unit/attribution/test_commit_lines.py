"""Lines are counted once: as added or as modified, as new or as committed, in the commit and in what it covers."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.attribution import commit_lines
from entire.attribution.content import CommitTrees, Content, Recorded, examine
from entire.attribution.path_lines import PathLines
from entire.attribution.replay import Lineage
from entire.model.session import Entry
from entire.model.turns import PERSON, PERSON_INSTEAD, Owner, TurnKey
from tests.unit.attribution.differences import between, patch
from tests.unit.git.repo import Repo, Tree

A, B = TurnKey("s1/t1"), TurnKey("s2/t1")
OF_A = Owner(A)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


def text(*lines: str, mode: str = "100644") -> tuple[str, bytes]:
    return mode, "".join(line + "\n" for line in lines).encode()


def entry(repo: Repo, tree: Tree, **more: object) -> Entry:
    return Entry(**{"tree": repo.tree(tree), "time": 0.0, **more})  # type: ignore[arg-type]


def committed(row: Lineage, old: list[str], new: list[str]) -> PathLines:
    """Return the lines of a commit of one file, ``a``."""
    (found,) = commit_lines.attribute(row, between({"a": old}, {"a": new}))
    return found


# ---------------------------------------------------------------- added or modified


def test_one_line_that_a_person_replaced_by_three_is_one_modified_line() -> None:
    """Also if they did it before the first snapshot."""
    old, new = ["1\n"], ["one\n", "two\n", "three\n"]
    for seen in (True, False):
        row = Lineage(lambda path: True)
        if seen:
            row.advance([patch("a", old, new)], lambda path: PERSON)
        lines = committed(row, old, new)
        assert lines.added == ((1, 1, PERSON_INSTEAD), (2, 3, PERSON))
        assert lines.removed == {PERSON_INSTEAD: 1}


def test_a_person_who_changes_their_own_new_line_has_added_one() -> None:
    row = Lineage(lambda path: True)
    row.advance([patch("a", ["1\n"], ["1\n", "draft\n"])], lambda path: PERSON)
    row.advance([patch("a", ["1\n", "draft\n"], ["1\n", "final\n"])], lambda path: PERSON)
    lines = committed(row, ["1\n"], ["1\n", "final\n"])
    assert (lines.added, lines.removed) == (((2, 2, PERSON),), {})


# ---------------------------------------------------------------- new or committed


def test_what_a_commit_took_a_part_of_comes_back_from_a_stash() -> None:
    """The part is still committed, and the rest is still not."""
    base, part, work = ["1\n"], ["1\n", "x\n"], ["1\n", "x\n", "y\n"]
    row = Lineage(lambda path: True)
    row.advance([patch("a", base, work)], lambda path: OF_A)
    row.mark_committed([patch("a", work, part)], ["a"], lambda path: PERSON)
    row.advance([patch("a", work, part)], lambda path: PERSON)  # git stash
    row.advance([patch("a", part, work)], lambda path: PERSON)  # git stash pop
    assert row.path("a").runs[1:3] == [(OF_A.committed(), 1), (OF_A, 1)]


def test_what_a_person_adds_after_a_partial_commit_is_all_that_is_theirs(repo: Repo) -> None:
    """The commit lies between two snapshots, and the second builds on the first."""
    base, part, work = ({"a": text("1", *more)} for more in ((), ("x",), ("x", "y")))
    row = [entry(repo, base), entry(repo, work, by=A), entry(repo, part, commit="c" * 40, paths=("a",))]
    row.append(entry(repo, {"a": text("1", "x", "y", "mine")}))
    trees = CommitTrees(tree=row[3].tree, parent_tree=row[2].tree)
    found = examine(repo.top, Recorded(entries=tuple(row), reports={}), trees, ["a"])
    assert [path.added for path in found.lines] == [((3, 3, OF_A), (4, 4, PERSON))]


def test_lines_keep_their_owners_when_another_turn_moves_the_file(repo: Repo) -> None:
    many = [f"line {number}" for number in range(20)]
    rows: list[Tree] = [{"old": text(*many)}, {"old": text(*many, "x")}, {"new": text(*many, "x", "y")}]
    row = [entry(repo, tree, **by) for tree, by in zip(rows, ({}, {"by": A}, {"by": B}), strict=True)]
    trees = CommitTrees(tree=row[2].tree, parent_tree=row[0].tree)
    found = examine(repo.top, Recorded(entries=tuple(row), reports={}), trees, ["old", "new"])
    assert [path.added for path in found.lines] == [((21, 21, OF_A), (22, 22, Owner(B)))]
    assert [path.path_owner for path in found.lines] == [Owner(B)]


@pytest.mark.parametrize(("stashed", "agent"), [((), 0), (("new",), 3)])
def test_lines_of_a_new_file_come_back_from_a_stash_only(repo: Repo, stashed: tuple[str, ...], agent: int) -> None:
    written, more = text("x", "y", "z"), text("x", "y", "z", "mine")
    row = [entry(repo, {}), entry(repo, {"new": written}, by=A), entry(repo, {})]
    trees = CommitTrees(tree=repo.tree({"new": more}), parent_tree=row[0].tree)
    found = examine(repo.top, Recorded(entries=tuple(row), reports={}), trees, ["new"], stashed)
    (lines,) = found.lines
    assert sum(last - first + 1 for first, last, owner in lines.added if owner == OF_A) == agent


# ---------------------------------------------------------------- covered or not


def amended(repo: Repo, base: Tree, first: Tree, second: Tree, **by: TurnKey) -> Content:
    """Return the content of a commit of ``second``, of which ``first`` is in a checkpoint already."""
    row = [entry(repo, base), entry(repo, first, by=A), entry(repo, second, **by)]
    trees = CommitTrees(tree=row[2].tree, parent_tree=row[0].tree, covered=(row[1].tree,))
    return examine(repo.top, Recorded(entries=tuple(row), reports={}), trees, sorted({*base, *first, *second}))


def test_only_lines_removed_since_what_is_covered_are_new(repo: Repo) -> None:
    found = amended(repo, {"a": text("1", "2", "3", "4")}, {"a": text("1", "3", "4")}, {"a": text("1", "4")}, by=A)
    assert [path.removed for path in found.lines] == [{OF_A: 2}]
    assert [path.removed for path in found.fresh] == [{OF_A: 1}]


def test_only_lines_added_since_what_is_covered_are_new(repo: Repo) -> None:
    found = amended(repo, {"a": text("1")}, {"a": text("1", "x", "y")}, {"a": text("0", "1", "x", "y", "z")}, by=A)
    assert [path.added for path in found.lines] == [((1, 1, OF_A), (3, 5, OF_A))]
    assert [path.added for path in found.fresh] == [((1, 1, OF_A), (5, 5, OF_A))]


def test_a_path_that_is_covered_is_not_new_again(repo: Repo) -> None:
    """The turn's change of the mode is in a checkpoint; since then only a person changed the file."""
    base, first = {"run": text("1")}, {"run": text("1", mode="100755")}
    found = amended(repo, base, first, {"run": text("1", "2", mode="100755")})
    assert [path.path_owner for path in found.lines] == [OF_A]
    assert [path.added for path in found.fresh] == [((2, 2, PERSON),)]
    assert found.sessions() == []
