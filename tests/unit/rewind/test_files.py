"""What a rewind makes of files, in the small: what differs from a commit, and whose changes follow each other."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from entire.model.turns import PERSON, Owner
from entire.rewind import files
from entire.rewind.edits import PathEdit

OWNERS = st.sampled_from([PERSON, Owner("a/1"), Owner("a/2"), Owner("b/1")])


def test_what_is_not_as_in_a_commit() -> None:
    present = {"same": ("100644", "1"), "other": ("100644", "2"), "goes": ("100755", "3")}
    found = {"same": "1", "other": "9", "goes": "", "new": "4", "never": ""}
    assert files.differing_paths(present, found) == {"other", "goes", "new"}


@given(st.lists(OWNERS, max_size=12))
def test_changes_are_put_together_by_session(owners: list[Owner]) -> None:
    row = [
        PathEdit(path="x", old_tree=f"{n}", new_tree=f"{n + 1}", time=n, owner=owner) for n, owner in enumerate(owners)
    ]
    groups = files._groups(row, [(f"{n}", f"{n + 1}") for n in range(len(row))])
    assert [change for group in groups for change in group] == row
    assert all(len({change.session_id for change in group}) == 1 for group in groups)
    assert all(group[-1].session_id != following[0].session_id for group, following in itertools.pairwise(groups))


def test_changes_with_another_one_between_them_are_apart() -> None:
    row = [PathEdit(path="x", old_tree=f"{n}", new_tree=f"{n + 1}", time=n, owner=PERSON) for n in range(3)]
    assert files._groups(row, [("a", "b"), ("b", "c"), ("d", "e")]) == [row[:2], row[2:]]
