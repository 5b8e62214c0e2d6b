"""The index of links by commit id: what is written is found, in any order, from any of the branches."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.git.history import Logged
from entire.git.read import Commit, Objects, TreeEntry
from entire.git.write import Stream
from entire.model.ids import CheckpointId
from entire.store import links
from entire.store.links import Links

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
    stream = Stream(repo)
    entries = {path: ("100644", stream.blob(entry[1])) for path, entry in changes.items() if entry}  # type: ignore[arg-type]
    mark = stream.commit(message=b"x", author=AUTHOR, parents=(base,) if base else (), changes=entries)
    return stream.write()[mark]


def test_what_is_recorded_is_found_in_its_order(repo: str) -> None:
    tip = write(repo, "", commit(), IDS[2], IDS[0], patch=PATCH)
    tip = write(repo, tip, commit(), IDS[0], IDS[1])
    tip = write(repo, tip, commit(SECOND), IDS[3])
    with Objects(repo) as objects:
        found = Links(repo, objects, [tip])
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
        assert not Links(repo, objects, [tip]).has_patches()
        found = Links(repo, objects, [tip])
        logged = Logged(oid=FIRST, parents=(), time=0.0, author="", message=message)
        assert found.of(commit(message=message)) == found.of(logged) == [IDS[1], IDS[0]]


def test_all_branches_count_and_one_may_be_missing(repo: str) -> None:
    one, two = write(repo, "", commit(), IDS[0]), write(repo, "", commit(), IDS[1], IDS[0])
    with Objects(repo) as objects:
        assert sorted(Links(repo, objects, [one, "refs/heads/none", two]).recorded(FIRST)) == IDS[:2]
        assert Links(repo, objects, []).recorded(FIRST) == []
        assert links.changes(objects, "", commit(), [IDS[0]]).keys() == {f"links/commits/ab/{'c' * 38}-000-{IDS[0]}"}


@given(st.lists(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1), max_size=6))
def test_strange_names_are_passed_over(names: list[str]) -> None:
    entries = [TreeEntry(mode="100644", oid="0" * 40, name=name) for name in names]
    assert all(len(checkpoint_id) == 12 for ids in links._parse(entries).values() for checkpoint_id in ids)
