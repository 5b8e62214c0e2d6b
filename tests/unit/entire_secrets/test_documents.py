"""Findings cut to the string values of a JSON document."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire_secrets.documents import is_json, within_values
from entire_secrets.text import Finding

VENDOR = "aws-access-key"
GENERIC = "generic-value"


def kept(data: bytes, *spans: tuple[int, int], rule: str = VENDOR) -> list[bytes]:
    """Return the bytes of what is left of findings at ``spans``."""
    found = within_values(data, [Finding(rule=rule, start=start, end=end) for start, end in spans])
    assert {finding.rule for finding in found} <= {rule}
    return [data[finding.start : finding.end] for finding in found]


def at(data: bytes, part: bytes) -> tuple[int, int]:
    """Return where ``part`` is."""
    return data.index(part), data.index(part) + len(part)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"a": 1}', True),
        (b" \r\n\t[1]\n", True),
        (b'"x"', True),
        (b'{"a": "\xff\xfe"}', True),
        (b'{"a": ' + b"1" * 5000 + b"}", True),
        (b"[" * 200_000, True),  # too deep to tell
        (b"1", False),
        (b"null", False),
        (b"", False),
        (b'{"a": 1', False),
        (b'{"a": 1}{"b": 2}', False),
        (b"{'a': 1}", False),
        (b"[redacted]", False),
    ],
)
def test_what_is_one_document(data: bytes, expected: bool) -> None:
    assert is_json(data) is expected


def test_keys_and_punctuation_are_never_touched() -> None:
    data = b'{"password": "hunter", "n": 12345, "list": ["one", "two"]}'
    assert kept(data, (0, len(data))) == [b"hunter", b"one", b"two"]
    assert kept(data, at(data, b"password")) == []
    assert kept(data, at(data, b"12345")) == []
    assert kept(data, at(data, b'word": "hun')) == [b"hun"]
    assert kept(data, at(data, b'ne", "tw')) == [b"ne", b"tw"]
    assert kept(data) == []


def test_an_empty_string_is_nothing_to_keep() -> None:
    data = b'{"a": "", "b": "x"}'
    assert kept(data, (0, len(data))) == [b"x"]


def test_findings_that_overlap_are_each_cut() -> None:
    data = b'["abcdef"]'
    assert kept(data, (0, 5), (3, 9)) == [b"abc", b"bcdef"]


@pytest.mark.parametrize(
    ("text", "cut", "expected"),
    [
        (rb"ab\ncd", rb"ab" + b"\\", rb"ab\n"),  # an escape is taken whole at the end
        (rb"ab\ncd", rb"ncd", rb"\ncd"),  # and at the start
        (rb"ab\u0026cd", rb"ab\u00", rb"ab\u0026"),
        (rb"ab\u0026cd", rb"26cd", rb"\u0026cd"),
        (rb"ab\u0026cd", rb"cd", rb"cd"),
        (rb"ab\\ncd", rb"ncd", rb"ncd"),  # an escaped backslash and an n
        (rb"ab\\ncd", rb"ab" + b"\\", rb"ab\\"),
        (rb"ab\\\ncd", rb"ncd", rb"\ncd"),
        (rb"ab\"cd", rb'"cd', rb"\"cd"),
    ],
)
def test_no_escape_is_split(text: bytes, cut: bytes, expected: bytes) -> None:
    data = b'{"k": "' + text + b'"}'
    assert kept(data, at(data, cut)) == [expected]


def test_a_quote_in_a_string_does_not_end_it() -> None:
    data = rb'{"a": "x\": \"y", "b": "z"}'
    assert kept(data, (0, len(data))) == [rb"x\": \"y", b"z"]


def test_generic_rules_leave_ids_and_paths_whole() -> None:
    data = b'{"cwd" : "token", "text": "other"}'
    both = at(data, b'token", "text": "other')
    assert kept(data, both, rule=VENDOR) == [b"token", b"other"]
    assert kept(data, both, rule=GENERIC) == [b"other"]


def test_a_structural_key_speaks_for_its_own_value_only() -> None:
    data = b'{"cwd": 1, "text": "first", "path": {"text": "second"}, "id": ["third"]}'
    assert kept(data, (0, len(data)), rule=GENERIC) == [b"first", b"second", b"third"]


TEXTS = st.text(st.sampled_from('ab"\\/\n\t\x00é☃😀u0'), max_size=12)


@given(st.dictionaries(TEXTS, TEXTS, max_size=4), st.booleans(), st.data())
def test_replacing_leaves_the_document_valid(value: dict[str, str], plain: bool, draw: st.DataObject) -> None:
    """Wherever a finding lies: keys, their order and untouched values stay."""
    data = json.dumps(value, ensure_ascii=not plain).encode()
    start = draw.draw(st.integers(0, len(data) - 1))
    end = draw.draw(st.integers(start + 1, len(data)))
    found = within_values(data, [Finding(rule=VENDOR, start=start, end=end)])
    for finding in reversed(found):
        data = data[: finding.start] + b"X" + data[finding.end :]
    result = json.loads(data.decode("utf-8", "replace"))
    assert list(result) == list(value)
    assert sum(result[key] != value[key] for key in value) <= len(found)
