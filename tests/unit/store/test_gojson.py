"""JSON and times come out as Go prints them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.model.times import parse_time
from entire.store import gojson

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ([], "[]"),
        ({"a": [1, {"b": None}], "c": {}}, '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ],\n  "c": {}\n}'),
        ("<a> & b\u2028\u2029", '"\\u003ca\\u003e \\u0026 b\\u2028\\u2029"'),
        ('"\\\n\r\t\b\f\x01\x7fé', '"\\"\\\\\\n\\r\\t\\b\\f\\u0001\x7fé"'),
        ("\udc80x\ud800", '"\ufffdx\ufffd"'),
        (100.0, "100"),
        (66.66666666666667, "66.66666666666667"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-9, "1.5e-9"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.2345678901234568e20, "123456789012345680000"),
        (-0.0, "-0"),
        (float("nan"), "null"),
        (True, "true"),
    ],
)
def test_vectors(value: object, text: str) -> None:
    assert gojson.dumps(value) == text.encode() + b"\n"


def test_other_types_are_refused() -> None:
    with pytest.raises(TypeError):
        gojson.dumps({"a": {1}})


@given(values)
def test_every_reader_finds_the_same_value(value: object) -> None:
    printed = gojson.dumps(value)
    assert json.loads(printed) == value
    assert not set("<>&\u2028\u2029") & set(printed.decode())


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_comes_back(value: float) -> None:
    assert float(gojson.dumps(value)) == value


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1795262977.4017, "2026-11-21T12:09:37.4017Z"),
        (1795262977.0, "2026-11-21T12:09:37Z"),
        (0.0, "1970-01-01T00:00:00Z"),
        (0.000001, "1970-01-01T00:00:00.000001Z"),
    ],
)
def test_times_drop_trailing_zeros(seconds: float, text: str) -> None:
    assert gojson.rfc3339(seconds) == text
    assert parse_time(text) == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026-11-21T14:09:37+02:00", 1795262977.0),
        ("2026-11-21T06:39:37.5-05:30", 1795262977.5),
        ("2026-11-21T12:09:37", 1795262977.0),
        ("2000-02-29T00:00:00Z", 951782400.0),
        ("0001-01-01T00:00:00Z", 0.0),
        ("2026-13-01T00:00:00Z", 0.0),
        ("2026-11-21T12:09:37 soon", 0.0),
        ("yesterday", 0.0),
        ("", 0.0),
        (None, 0.0),
        (12, 0.0),
    ],
)
def test_times_with_and_without_offset_are_read(text: object, seconds: float) -> None:
    assert parse_time(text) == seconds


@given(st.integers(0, 253402300799))
def test_times_come_back(seconds: int) -> None:
    assert parse_time(gojson.rfc3339(seconds)) == seconds


@given(st.text(max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    assert parse_time(text) >= 0.0


@pytest.mark.parametrize("seconds", [1e308, float("inf"), float("nan"), -1e308])
def test_a_time_that_is_none_is_written_as_one(seconds: float) -> None:
    assert gojson.rfc3339(seconds) in ("1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z")
