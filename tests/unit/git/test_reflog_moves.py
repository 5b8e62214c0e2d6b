"""Which moves of HEAD make a commit in this worktree."""

from __future__ import annotations

import pytest

from entire.git.history import Logged
from entire.git.reflog import HeadMove

OLD, PARENT, NEW = "a" * 40, "b" * 40, "c" * 40


def commit(*parents: str) -> Logged:
    return Logged(oid=NEW, parents=parents, time=0.0, author="", message="x\n")


@pytest.mark.parametrize(
    ("subject", "is_made"),
    [
        ("commit: x", True),
        ("", True),  # update-ref
        ("commit (merge): x", True),
        ('revert: Revert "x"', True),
        ("pull: Fast-forward", False),
        ("pull --ff-only origin: Fast-forward", False),
        ("merge topic: Fast-forward", False),
        ("checkout: moving from a to b", False),
        ("reset: moving to b", False),
        ("rebase (pick): x", False),
        ("cherry-pick: x", False),
        ("am: x", False),
    ],
)
def test_a_move_from_the_parent(subject: str, *, is_made: bool) -> None:
    assert HeadMove(old=PARENT, new=NEW, subject=subject).makes(commit(PARENT)) is is_made
    assert not HeadMove(old=OLD, new=NEW, subject=subject).makes(commit(PARENT))
    assert not HeadMove(old=PARENT, new=OLD, subject=subject).makes(commit(PARENT))


def test_an_amend_and_a_first_commit() -> None:
    assert HeadMove(old=OLD, new=NEW, subject="commit (amend): x").makes(commit(PARENT))
    assert HeadMove(old="0" * 40, new=NEW, subject="commit (initial): x").makes(commit())
    assert not HeadMove(old=OLD, new=NEW, subject="commit (initial): x").makes(commit())
