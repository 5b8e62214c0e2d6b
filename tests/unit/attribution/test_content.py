"""The content of commits, replayed from real trees, and how its lines are counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.attribution import content
from entire.attribution.content import CommitTrees, Content, Recorded, examine
from entire.attribution.path_lines import PathLines, attribution, files_of
from entire.model.session import Entry
from entire.model.setup_lines import SetupLines
from entire.model.turns import BASE, PERSON, PERSON_INSTEAD, Owner, RunningTurn, TurnKey
from tests.unit.attribution.differences import patch
from tests.unit.git.repo import Repo, Tree

A, B = TurnKey("s1/t1"), TurnKey("s2/t1")
OF_A, OF_B = Owner(A), Owner(B)
BY_A, BY_B = RunningTurn(A), RunningTurn(B)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


def text(*lines: str) -> tuple[str, bytes]:
    return "100644", "".join(line + "\n" for line in lines).encode()


def entry(repo: Repo, tree: Tree, **more: object) -> Entry:
    return Entry(**{"tree": repo.tree(tree), "time": 0.0, **more})  # type: ignore[arg-type]


def lines(found: Content) -> dict[str, tuple[tuple[int, int, Owner], ...]]:
    return {path.path: path.added for path in found.lines}


def examined(
    repo: Repo, row: list[Entry], trees: CommitTrees, paths: list[str], running: tuple[RunningTurn, ...] = ()
) -> Content:
    return examine(repo.top, Recorded(entries=tuple(row), reports={}, running=running), trees, paths)


def test_turns_and_people_in_one_file(repo: Repo) -> None:
    base: Tree = {"a": text("1", "2"), "b": text("b")}
    first: Tree = {**base, "a": text("1", "two", "2")}
    second: Tree = {**first, "a": text("0", "1", "two", "2")}
    third: Tree = {**second, "a": text("0", "1", "two", "2", "three"), "c": text("new")}
    row = [entry(repo, base), entry(repo, first, by=A), entry(repo, second), entry(repo, third, by=B)]
    found = examined(repo, row, CommitTrees(tree=row[-1].tree, parent_tree=row[0].tree), ["a", "c"])
    assert lines(found) == {"a": ((1, 1, PERSON), (3, 3, OF_A), (5, 5, OF_B)), "c": ((1, 1, OF_B),)}
    assert found.sessions() == ["s1", "s2"]
    assert found.turns("s1") == ["t1"]
    assert files_of("s1", found.lines) == ["a"]
    assert files_of("s2", found.lines) == ["a", "c"]
    assert found.left == {}


def test_a_part_is_committed_then_the_rest(repo: Repo) -> None:
    base: Tree = {"a": text("1")}
    work: Tree = {"a": text("1", "x", "y"), "n": text("n")}
    row = [entry(repo, base), entry(repo, work, by=A)]
    part: Tree = {"a": text("1", "x")}
    tree = repo.tree(part)
    first = examined(repo, row, CommitTrees(tree=tree, parent_tree=row[0].tree), ["a"])
    assert lines(first) == {"a": ((2, 2, OF_A),)}
    assert first.left == {"a": [OF_A]}
    row.append(entry(repo, part, commit="c" * 40, paths=("a",)))
    second = examined(repo, row, CommitTrees(tree=row[1].tree, parent_tree=tree), ["a", "n"])
    assert lines(second) == {"a": ((3, 3, OF_A),), "n": ((1, 1, OF_A),)}
    trees = CommitTrees(tree=row[1].tree, parent_tree=row[0].tree, covered=(tree,))
    amended = examined(repo, row, trees, ["a", "n"])
    assert {path.path: path.added for path in amended.fresh} == {"a": ((3, 3, OF_A),), "n": ((1, 1, OF_A),)}
    numbers = {path.path: [n for a, b, _ in path.added for n in range(a, b + 1)] for path in amended.lines}
    assert numbers == {"a": [2, 3], "n": [1]}
    again = examined(repo, row, CommitTrees(tree=tree, parent_tree=tree), ["a"])
    assert (again.lines, again.fresh, again.sessions()) == ((), (), [])


def test_what_a_running_turn_wrote_since_the_last_snapshot_is_its(repo: Repo) -> None:
    base: Tree = {"a": text("1")}
    row = [entry(repo, base)]
    tree = repo.tree({"a": text("1", "2")})
    for running, owner in (((BY_A,), OF_A), ((), PERSON)):
        found = examined(repo, row, CommitTrees(tree=tree, parent_tree=row[0].tree), ["a"], running)
        assert lines(found) == {"a": ((2, 2, owner),)}


def test_a_file_that_a_turn_moved(repo: Repo) -> None:
    many = [f"line {n}" for n in range(20)]
    base: Tree = {"old": text(*many)}
    row = [entry(repo, base), entry(repo, {"new": text(*many, "more")}, by=A)]
    found = examined(repo, row, CommitTrees(tree=row[1].tree, parent_tree=row[0].tree), ["old", "new"])
    assert lines(found) == {"new": ((21, 21, OF_A),)}
    assert files_of("s1", found.lines) == ["new", "old"]


owners = st.sampled_from([OF_A, OF_A.committed(), OF_B, PERSON, PERSON_INSTEAD])


@given(
    st.lists(st.tuples(owners, st.integers(1, 9)), max_size=6),
    st.dictionaries(owners, st.integers(1, 9), max_size=3),
)
def test_lines_are_counted_by_who_made_them(runs: list[tuple[Owner, int]], removed: dict[Owner, int]) -> None:
    added, at = [], 1
    for owner, size in runs:
        added.append((at, at + size - 1, owner))
        at += size
    path = PathLines(path="a", status="M", binary=False, added=tuple(added), removed=removed, path_owner=BASE)
    first, second = (attribution(session, [path], "now") for session in ("s1", "s2"))
    assert first.total_committed == second.total_committed == sum(size for _, size in runs)
    agents = first.agent_lines + second.agent_lines
    assert agents + first.human_added + first.human_modified == first.total_committed
    assert first.human_removed == removed.get(PERSON, 0)
    assert 0 <= first.agent_percentage <= 100
    if runs:
        assert first.agent_percentage == pytest.approx(100 * first.agent_lines / first.total_committed)


def test_a_commit_that_only_deletes_is_counted_by_deleted_lines() -> None:
    path = PathLines(path="a", status="M", binary=False, added=(), removed={OF_A: 3, PERSON: 1}, path_owner=BASE)
    counted = attribution("s1", [path], "now")
    assert (counted.total_committed, counted.agent_percentage, counted.human_removed) == (0, 75.0, 1)
    assert attribution("s1", [], "now").agent_percentage == 0


def test_lines_that_a_revert_only_restores_are_not_new() -> None:
    path = PathLines(
        path="a", status="M", binary=False, added=((1, 2, OF_A), (5, 5, OF_A)), removed={}, path_owner=BASE
    )
    change = patch("a", ["3\n", "4\n"], ["back\n", "new\n", "3\n", "4\n", "back\n"])
    held = Content(lines=(path,), fresh=(path,), left={}, patch=(change,))
    left = content.without_reverted(held, {"a": [b"back\n"]})
    assert [n for part in left.fresh for first, last, _ in part.added for n in range(first, last + 1)] == [2, 5]
    assert content.without_reverted(held, {"a": [b"back\n", b"new\n", b"back\n"]}).sessions() == []


def test_a_revert_of_lines_after_ones_that_are_not_new() -> None:
    """The commit adds more lines than are new: their numbers tell them apart."""
    new = PathLines(path="a", status="M", binary=False, added=((2, 3, OF_A),), removed={}, path_owner=BASE)
    held = Content(lines=(new,), fresh=(new,), left={}, patch=(patch("a", [], ["covered\n", "new\n", "back\n"]),))
    left = content.without_reverted(held, {"a": [b"back\n", b"covered\n"]})
    assert [part.added for part in left.fresh] == [((2, 2, OF_A),)]


def test_lines_that_enable_replaced_are_nobodys() -> None:
    change = patch("settings", ["one\n", "two\n"], ["new\n"])
    path = PathLines(path="settings", status="M", binary=False, added=((1, 1, PERSON_INSTEAD),),
                     removed={PERSON: 1, PERSON_INSTEAD: 1}, path_owner=BASE)  # fmt: skip
    held = Content(lines=(path,), fresh=(path,), left={}, patch=(change,))
    noted = SetupLines(added=(b"new\n",), removed=(b"one\n", b"two\n"))
    assert content.without_setup(held, {"settings": noted}).lines == ()
    noted = SetupLines(added=(b"new\n",), removed=(b"one\n",))
    (left,) = content.without_setup(held, {"settings": noted}).lines
    assert sum(left.removed.values()) == 1, "the other one is a person's"
