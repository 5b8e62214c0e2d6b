"""Immutable records."""

from __future__ import annotations

import copy
import pickle

import pytest

from entire.model.value import Value, replace


class Point(Value):
    x: int
    y: int = 0


class Named(Point):
    name: str = "none"
    tags: tuple[str, ...] = ()


def test_fields_are_given_by_name_and_inherited_in_order() -> None:
    assert Named._fields == ("x", "y", "name", "tags")
    assert repr(Named(x=1, name="a")) == "Named(x=1, y=0, name='a', tags=())"


@pytest.mark.parametrize("fields", [{}, {"y": 1}, {"x": 1, "z": 2}, {"z": 2}])
def test_missing_and_unknown_fields_are_type_errors(fields: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="Point"):
        Point(**fields)


def test_positions_are_not_taken() -> None:
    with pytest.raises(TypeError):
        Point(1, 2)  # type: ignore[call-arg]


def test_values_do_not_change() -> None:
    point = Point(x=1)
    with pytest.raises(AttributeError, match="immutable"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="immutable"):
        del point.x
    assert replace(point, y=3) == Point(x=1, y=3)
    assert point == Point(x=1)
    with pytest.raises(TypeError):
        replace(point, z=1)


def test_equal_values_hash_alike_and_kinds_differ() -> None:
    assert Point(x=1) == Point(x=1, y=0)
    assert hash(Point(x=1)) == hash(Point(x=1, y=0))
    assert Point(x=1) != Named(x=1)
    assert Point(x=1) != {"x": 1, "y": 0}
    assert len({Named(x=1, tags=("a",)), Named(x=1, tags=("a",)), Named(x=1)}) == 2


def test_copies_are_equal() -> None:
    value = Named(x=1, name="é", tags=("a",))
    assert copy.copy(value) == copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value
