"""Names that travel as text: what is put together comes apart again, and is stored as the text it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.model.turns import (
    BASE,
    NO_MARK,
    NO_TURN,
    PERSON,
    PERSON_INSTEAD,
    MarkKind,
    Owner,
    RunningTurn,
    TurnKey,
    TurnMark,
    owner_between,
)

A, B = TurnKey("s1/t1"), TurnKey("s2/t1")
OF_A, OF_B = Owner(A), Owner(B)
BY_A, BY_B = RunningTurn(A), RunningTurn(B)

ids = st.text(st.characters(codec="ascii", exclude_characters="/ ?"), min_size=1, max_size=20)


@given(ids, ids)
def test_a_turn_names_its_session(session: str, turn: str) -> None:
    key = TurnKey.of(session, turn)
    assert (key.session_id, key.turn_id) == (session, turn)
    assert TurnKey(json.loads(json.dumps(key))) == key
    assert (RunningTurn(key).key, RunningTurn(key).is_background) == (key, False)
    background = RunningTurn.background(key)
    assert (background.key, background.is_background) == (key, True)


def test_no_turn_has_no_session() -> None:
    assert not NO_TURN
    assert (NO_TURN.session_id, NO_TURN.turn_id) == ("", "")


@given(ids, ids)
def test_an_owner_is_a_turn_of_new_content_until_a_checkpoint_has_it(session: str, turn: str) -> None:
    owner = Owner(TurnKey.of(session, turn))
    assert (owner.is_turn, owner.is_new, owner.session_id, owner.turn) == (True, True, session, f"{session}/{turn}")
    old = owner.committed()
    assert (old.is_turn, old.is_new, old.session_id, old.turn) == (True, False, session, f"{session}/{turn}")
    assert old.committed() == old


@pytest.mark.parametrize("owner", [BASE, PERSON, PERSON_INSTEAD])
def test_people_have_no_turn(owner: Owner) -> None:
    assert (owner.is_turn, owner.is_new, owner.session_id, owner.committed()) == (False, False, "", owner)


@given(st.floats(allow_nan=False, allow_infinity=False), ids)
def test_the_mark_of_a_rewind(moment: float, transaction: str) -> None:
    mark = TurnMark.rewind(moment, transaction)
    assert (mark.kind, mark.moment, mark.transaction, mark.undone) == (MarkKind.REWIND, moment, transaction, "")


def test_the_mark_of_an_undo() -> None:
    mark = TurnMark.undo("1-a", "2-b")
    assert (mark.kind, mark.undone, mark.transaction, mark.moment) == (MarkKind.UNDO, "1-a", "2-b", 0.0)


@pytest.mark.parametrize("text", ["0" * 40, "rewind x 1", "rewind 1.0", "undo 1", "undo 1 2 3"])
def test_any_other_mark_is_a_steps(text: str) -> None:
    mark = TurnMark(text)
    assert (mark.kind, mark.transaction, mark.undone, mark.moment) == (MarkKind.STEP, "", "", 0.0)


def test_no_mark() -> None:
    assert (NO_MARK.kind, NO_MARK.transaction) == (MarkKind.NONE, "")


def test_a_rewinds_mark_says_whose_changes_it_took_back() -> None:
    whole, mine, alone = (
        TurnMark.rewind(1.5, "t"), TurnMark.rewind(1.5, "t", keep_mine=True),
        TurnMark.rewind(1.5, "t", session_id="a b"),
    )  # fmt: skip
    assert [mark.keeps("") for mark in (whole, mine, alone)] == [False, True, True]
    assert [mark.keeps("a b") for mark in (whole, mine, alone)] == [False, False, False]
    assert [mark.keeps("c") for mark in (whole, mine, alone)] == [False, False, True]
    assert [mark.is_of_one_session for mark in (whole, mine, alone)] == [False, False, True]
    assert {mark.transaction for mark in (whole, mine, alone)} == {"t"}


@pytest.mark.parametrize(
    ("by", "running", "reports", "expected"),
    [
        (A, (), {}, OF_A),
        (NO_TURN, (), {}, PERSON),
        (NO_TURN, (BY_A,), {}, OF_A),
        (A, (BY_A, BY_B), {B: ["x"]}, OF_B),
        (A, (BY_A, BY_B), {}, OF_A),
        (NO_TURN, (BY_A, BY_B), {B: ["other"]}, OF_A),
        (NO_TURN, (RunningTurn.background(A),), {}, PERSON),
        (NO_TURN, (RunningTurn.background(A),), {A: ["x"]}, OF_A),
        (B, (RunningTurn.background(A),), {A: ["x"]}, OF_A),
        (B, (RunningTurn.background(A),), {}, OF_B),
    ],
)
def test_who_changed_a_path_between_two_snapshots(
    by: TurnKey, running: tuple[RunningTurn, ...], reports: dict[TurnKey, list[str]], expected: Owner
) -> None:
    assert owner_between(by, running, reports)("x") == expected
