"""Which moves of HEAD make a commit in this worktree."""

from __future__ import annotations

import pytest

from entire.git.history import Logged
from entire.git.reflog import Move
from entire.lifecycle.commits import afterwards, unseen
from entire.lifecycle.commits.pending import CommitKind, Pending

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
    assert unseen._makes(Move(old=PARENT, new=NEW, subject=subject), commit(PARENT)) is is_made
    assert not unseen._makes(Move(old=OLD, new=NEW, subject=subject), commit(PARENT))
    assert not unseen._makes(Move(old=PARENT, new=OLD, subject=subject), commit(PARENT))


def test_an_amend_and_a_first_commit() -> None:
    assert unseen._makes(Move(old=OLD, new=NEW, subject="commit (amend): x"), commit(PARENT))
    assert unseen._makes(Move(old="0" * 40, new=NEW, subject="commit (initial): x"), commit())
    assert not unseen._makes(Move(old=OLD, new=NEW, subject="commit (initial): x"), commit())


def test_the_reason_names_the_sessions() -> None:
    decided = Pending(kind=CommitKind.PLAIN, head="", tree="", moment=0.0, reason="nothing")
    assert afterwards.reason(decided, "no hook") == "nothing"
    one = Pending(kind=CommitKind.PLAIN, head="", tree="", moment=0.0, sessions={"s": []})
    assert afterwards.reason(one, "no hook") == "no hook; it contains work of session s"
    two = Pending(kind=CommitKind.PLAIN, head="", tree="", moment=0.0, sessions={"s": [], "t": []})
    assert afterwards.reason(two, "no hook") == "no hook; it contains work of sessions s, t"
