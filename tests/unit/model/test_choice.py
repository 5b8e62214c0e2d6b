"""Closed sets of words."""

from __future__ import annotations

import copy
import pickle

import pytest

from entire.model.choice import Choice


class Colour(Choice):
    RED = "red"
    GREEN = 2


def test_members_are_found_by_value_and_by_name_and_stand_in_order() -> None:
    assert Colour("red") is Colour.RED
    assert Colour["GREEN"] is Colour.GREEN
    assert [member.name for member in Colour] == ["RED", "GREEN"]
    assert [member.value for member in Colour] == ["red", 2]
    assert len(Colour) == 2
    assert repr(Colour.RED) == "Colour.RED"


@pytest.mark.parametrize("value", ["blue", "RED", None, [], {}])
def test_other_values_are_value_errors(value: object) -> None:
    with pytest.raises(ValueError):
        Colour(value)


def test_members_stay_the_same_object_in_copies() -> None:
    assert pickle.loads(pickle.dumps(Colour.RED)) is Colour.RED
    assert copy.deepcopy({"a": Colour.GREEN})["a"] is Colour.GREEN


def test_members_can_be_matched_and_be_keys() -> None:
    names = {Colour.RED: "r", Colour.GREEN: "g"}
    assert names[Colour("red")] == "r"
    assert len(set(Colour)) == 2
    assert Colour.RED in (Colour.RED,)


class Shape(Choice):
    ROUND = "o"
    LONG = "-"

    @property
    def is_round(self) -> bool:
        return self is Shape.ROUND


def test_properties_are_no_members() -> None:
    assert [shape.name for shape in Shape] == ["ROUND", "LONG"]
    assert [shape.is_round for shape in Shape] == [True, False]
