"""The interpreter's own C scanner and encoder, against the package ``json``."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.model import jsontext

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def test_the_fast_way_is_the_one_in_use() -> None:
    assert jsontext._fast, "this interpreter changed its private module: hooks pay 7 ms for the package"


@given(values)
def test_values_are_printed_as_the_package_prints_them(value: object) -> None:
    assert jsontext.dumps(value) == json.dumps(value)
    assert jsontext.dumps(value, ensure_ascii=False) == json.dumps(value, ensure_ascii=False)
    assert jsontext.dumps(value, compact=True) == json.dumps(value, separators=(",", ":"))
    assert jsontext._package_dumps(value, compact=True) == jsontext.dumps(value, compact=True)


@given(values, st.sampled_from([None, 1]), st.sampled_from(["", " ", "\n\t\r "]))
def test_what_was_printed_is_read_again(value: object, indent: int | None, around: str) -> None:
    text = around + json.dumps(value, indent=indent) + around
    assert jsontext.loads(text) == value
    assert jsontext.loads(text.encode()) == value


@given(st.one_of(st.text(), st.text(alphabet='{}[]",:\\u0123eE+-.truefalsn \n')))
def test_any_text_is_read_or_refused_as_the_package_does(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):
            jsontext.loads(text)
    else:
        assert repr(jsontext.loads(text)) == repr(expected)


@given(st.binary())
def test_bytes_that_are_no_json_are_a_value_error(data: bytes) -> None:
    try:
        jsontext.loads(data)
    except ValueError:
        pass


@pytest.mark.parametrize(
    "text", ["", " ", "{", "[1,", '{"a"}', '{"a":}', "[1 2]", "1 2", '"\n"', '"\\u12"', "nul", "{'a': 1}", "\ufeff{}"]
)
def test_bad_text(text: str) -> None:
    for data in (text, text.encode()):
        with pytest.raises(ValueError):
            jsontext.loads(data)


def test_numbers_that_json_does_not_have_are_read_as_the_package_reads_them() -> None:
    assert jsontext.loads("[Infinity, -Infinity]") == [math.inf, -math.inf]
    assert math.isnan(jsontext.loads("NaN"))


def test_depth_is_an_error_and_no_crash() -> None:
    with pytest.raises(RecursionError):
        jsontext.loads("[" * 200_000)


def test_what_is_no_json_value_is_refused() -> None:
    for value in ({1, 2}, object(), b"bytes"):
        with pytest.raises(TypeError):
            jsontext.dumps(value)


@given(st.one_of(values, st.integers(), st.floats(), st.integers(1 << 62, 1 << 70), st.integers(-(1 << 70), 0)))
def test_numbers_have_64_bits_or_are_none(value: object) -> None:
    number = jsontext.whole(value)
    assert abs(number) <= jsontext.LARGEST
    assert jsontext.natural(value) == max(number, 0)
    assert math.isfinite(jsontext.real(value))
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53:
        assert number == jsontext.real(value) == value


def test_a_number_of_4000_digits_is_none() -> None:
    value = jsontext.loads("9" * 4000)
    assert (jsontext.whole(value), jsontext.natural(-value), jsontext.real(value)) == (0, 0, 0.0)
