"""The index of links by commit id: what is written is found, in any order, from any of the branches."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.git.history import Logged
from entire.git.read import Commit, Objects, TreeEntry
from entire.git.write import ImportStream
from entire.model.ids import CheckpointId
from entire.store import links
from entire.store.links import CheckpointLinks

AUTHOR = "A <a@example.com> 1700000000 +0000"
IDS = [CheckpointId(f"{number:012x}") for number in range(1, 5)]
FIRST, SECOND = "ab" + "c" * 38, "ab" + "d" * 38
PATCH = "12" + "3" * 38


def commit(oid: str = FIRST, message: str = "x\n") -> Commit:
    return Commit(oid=oid, tree="", parents=(), author="", committer="", message=message.encode())


@pytest.fixture
def repo(tmp_path: Path) -> str:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return str(tmp_path)


def write(repo: str, base: str, of: Commit, *ids: CheckpointId, patch: str = "") -> str:
    """Return a commit with these links on top of ``base``."""
    with Objects(repo) as objects:
        changes = links.changes(objects, base, of, ids, patch)
    stream = ImportStream(repo)
    entries = {path: ("100644", stream.blob(entry[1])) for path, entry in changes.items() if entry}  # type: ignore[arg-type]
    mark = stream.commit(message=b"x", author=AUTHOR, parents=(base,) if base else (), changes=entries)
    return stream.write()[mark]


def test_what_is_recorded_is_found_in_its_order(repo: str) -> None:
    tip = write(repo, "", commit(), IDS[2], IDS[0], patch=PATCH)
    tip = write(repo, tip, commit(), IDS[0], IDS[1])
    tip = write(repo, tip, commit(SECOND), IDS[3])
    with Objects(repo) as objects:
        found = CheckpointLinks(repo, objects, [tip])
        assert found.recorded(FIRST) == [IDS[2], IDS[0], IDS[1]]
        assert found.recorded(SECOND) == [IDS[3]]
        assert found.recorded("ab" + "e" * 38) == found.recorded("00" + "e" * 38) == found.recorded("") == []
        assert found.of_patch(PATCH) == [IDS[2], IDS[0]]
        assert found.of_patch("") == []
        assert found.has_patches()


def test_what_a_message_names_is_not_recorded_and_comes_first(repo: str) -> None:
    message = f"x\n\nEntire-Checkpoint: {IDS[1]}\n"
    tip = write(repo, "", commit(), IDS[0])
    assert links.missing(commit(message=message), [IDS[1], IDS[0], IDS[0]]) == [IDS[0]]
    with Objects(repo) as objects:
        assert links.changes(objects, tip, commit(message=message), [IDS[1]], PATCH) == {}
        assert links.changes(objects, tip, commit(), [IDS[0]]) == {}
        assert not CheckpointLinks(repo, objects, [tip]).has_patches()
        found = CheckpointLinks(repo, objects, [tip])
        logged = Logged(oid=FIRST, parents=(), time=0.0, author="", message=message)
        assert found.of(commit(message=message)) == found.of(logged) == [IDS[1], IDS[0]]


def test_all_branches_count_and_one_may_be_missing(repo: str) -> None:
    one, two = write(repo, "", commit(), IDS[0]), write(repo, "", commit(), IDS[1], IDS[0])
    with Objects(repo) as objects:
        assert sorted(CheckpointLinks(repo, objects, [one, "refs/heads/none", two]).recorded(FIRST)) == IDS[:2]
        assert CheckpointLinks(repo, objects, []).recorded(FIRST) == []
        assert links.changes(objects, "", commit(), [IDS[0]]).keys() == {f"links/commits/ab/{'c' * 38}-000-{IDS[0]}"}


@given(st.lists(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1), max_size=6))
def test_strange_names_are_passed_over(names: list[str]) -> None:
    entries = [TreeEntry(mode="100644", oid="0" * 40, name=name) for name in names]
    assert all(len(checkpoint_id) == 12 for ids in links._parse(entries).values() for checkpoint_id in ids)


# ---------------------------------------------------------------- unlinked by hand


def with_files(repo: str, *paths: str) -> str:
    """Return a commit with these paths as empty files: what a join leaves that takes the files of both sides."""
    stream = ImportStream(repo)
    blob = stream.blob(b"")
    mark = stream.commit(message=b"x", author=AUTHOR, changes=dict.fromkeys(paths, ("100644", blob)))
    return stream.write()[mark]


def test_what_a_person_has_unlinked_is_not_found_until_it_is_linked_again(repo: str) -> None:
    message = f"x\n\nEntire-Checkpoint: {IDS[1]}\n"
    logged = Logged(oid=FIRST, parents=(), time=0.0, author="", message=message)
    own = write(repo, "", commit(), IDS[0])
    with Objects(repo) as objects:
        assert (
            CheckpointLinks(repo, objects, [own]).unlinked(FIRST),
            CheckpointLinks(repo, objects, [own]).unlinked_commits(),
        ) == ([], {})
        once = links.toggled(CheckpointLinks(repo, objects, [own]), FIRST, IDS[:2])
        assert once.keys() == {f"links/unlinked/ab/{'c' * 38}-001-{name}" for name in IDS[:2]}
        first = with_files(repo, *once)
        found = CheckpointLinks(repo, objects, [own, first])
        assert found.of(logged) == found.recorded(FIRST) == []
        assert found.is_recorded(FIRST)
        assert not found.is_recorded(SECOND)
        assert found.unlinked(FIRST) == IDS[:2]
        assert found.unlinked_commits() == {FIRST: IDS[:2]}
        (linked,) = found.linked([logged])
        assert (linked.checkpoint_ids, linked.unlinked_ids) == ((), tuple(IDS[:2]))
        again = links.toggled(found, FIRST, [IDS[1]])
        assert again.keys() == {f"links/unlinked/ab/{'c' * 38}-002-{IDS[1]}"}
        second = with_files(repo, *again)
        for tips in ([own, first, second], [second, first, own]):
            assert CheckpointLinks(repo, objects, tips).of(logged) == [IDS[1]]
            assert CheckpointLinks(repo, objects, tips).recorded(FIRST) == []


class Clone:
    """A plain model of a clone's entries for one commit and one checkpoint: what links.toggled writes for it."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def entries(self) -> list[TreeEntry]:
        return [TreeEntry(mode="100644", oid="0" * 40, name=name) for name in self.names]

    @property
    def count(self) -> int:
        return links._parse_counts(self.entries()).get("c" * 38, {}).get(IDS[0], 0)

    @property
    def is_unlinked(self) -> bool:
        return self.count % 2 == 1

    def decide(self, unlinked: bool) -> None:
        if self.is_unlinked != unlinked:
            self.names.add(f"{'c' * 38}-{self.count + 1:03}-{IDS[0]}")


@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["unlink", "link", "join"])), max_size=20))
def test_clones_agree_once_they_have_joined_and_a_decision_after_a_join_counts(actions: list[tuple[str, str]]) -> None:
    clones = {"a": Clone(), "b": Clone()}
    for name, action in actions:
        clone, other = clones[name], clones["b" if name == "a" else "a"]
        if action == "join":
            clone.names |= other.names
        else:
            clone.decide(action == "unlink")
            assert clone.is_unlinked == (action == "unlink")
    one, two = Clone(), Clone()
    one.names = clones["a"].names | clones["b"].names
    two.names = clones["b"].names | clones["a"].names
    assert one.is_unlinked == two.is_unlinked
    counts = (clones["a"].count, clones["b"].count)
    assert one.count == max(counts)
    for unlinked in (True, False):
        one.decide(unlinked)
        joined = Clone()
        joined.names = one.names | clones["a"].names | clones["b"].names
        assert joined.is_unlinked is unlinked


def test_other_names_do_not_count() -> None:
    names = ["", "-", f"{'c' * 38}-x-{IDS[0]}", f"{'c' * 38}-001-zz", f"{'c' * 38}-001-{IDS[0]}-x", f"c-¹-{IDS[0]}"]
    assert links._parse_counts([TreeEntry(mode="100644", oid="0" * 40, name=name) for name in names]) == {}
    many = [f"{'c' * 38}-{count:03}-{IDS[0]}" for count in (2, 1, 1000, 999)]
    entries = [TreeEntry(mode="100644", oid="0" * 40, name=name) for name in many]
    assert links._parse_counts(entries) == {"c" * 38: {IDS[0]: 1000}}
