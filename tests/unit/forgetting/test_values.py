"""A value is found in every form in which a transcript holds it; the document around it stays valid."""

from __future__ import annotations

import base64
import html
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.errors import UsageError
from entire.forgetting.values import Secret

MARK = b"[REDACTED:forgotten]"
VALUE = 'p\u00e4ss/"w\\rd\n2'


def removed(data: str, name: str = "full.jsonl", value: str = VALUE) -> str:
    return Secret(value.encode(), "forgotten").removed(name, data.encode()).decode()


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_json_in_json(depth: int, ascii_only: bool) -> None:
    text = f"before {VALUE} after"
    for _ in range(depth):
        text = json.dumps({"x": text}, ensure_ascii=ascii_only)
    found = removed(text + "\n")
    for _ in range(depth):
        found = json.loads(found)["x"]
    assert found == "before [REDACTED:forgotten] after"


@pytest.mark.parametrize(
    "form", [VALUE, quote(VALUE, safe=""), quote(VALUE, safe="").replace("%C3", "%c3").replace("%A4", "%a4").replace(
        "%2F", "%2f").replace("%5C", "%5c").replace("%0A", "%0a"), html.escape(VALUE), json.dumps(VALUE)[1:-1]]
)  # fmt: skip
def test_other_forms_in_plain_text(form: str) -> None:
    assert removed(f"a {form} b", "prompt.txt") == "a [REDACTED:forgotten] b"


@pytest.mark.parametrize("before", ["", "x", "xy"])
def test_base64_around_it(before: str) -> None:
    encoded = base64.b64encode(f"{before}tulip-orange-42 and more".encode()).decode()
    found = removed(encoded, "prompt.txt", "tulip-orange-42")
    assert "[REDACTED:forgotten]" in found
    assert base64.b64encode(b"tulip-orange-42")[4:16].decode() not in found


def test_numbers_and_structure_are_left_alone() -> None:
    line = '{"tokens": 48392, "pin": "48392"}\n'
    assert removed(line, value="48392") == '{"tokens": 48392, "pin": "[REDACTED:forgotten]"}\n'


def test_an_escape_is_not_cut() -> None:
    line = json.dumps({"x": "a\nope again, nope"}) + "\n"
    assert json.loads(removed(line, value="nope"))["x"] == "a\nope again, [REDACTED:forgotten]"


def test_a_line_that_is_no_json_is_plain_text_among_others() -> None:
    lines = '{"a": "tulip"}\n{"broken: tulip\n'
    assert removed(lines, value="tulip") == '{"a": "[REDACTED:forgotten]"}\n{"broken: [REDACTED:forgotten]\n'


@given(st.text(min_size=4, max_size=12), st.text(max_size=20), st.text(max_size=20))
def test_a_document_stays_valid_and_the_value_is_gone(value: str, before: str, after: str) -> None:
    document = json.dumps({"k": before + value + after, "n": [1, {"deep": json.dumps({"v": value})}]}) + "\n"
    if value in MARK.decode() or len(value.encode()) < 4:
        return
    found = json.loads(removed(document, value=value))
    assert found["n"][0] == 1
    assert value not in found["k"].replace(MARK.decode(), "\0")


@pytest.mark.parametrize("value", ["", "abc"])
def test_a_short_value_is_refused(value: str) -> None:
    with pytest.raises(UsageError):
        Secret(value.encode(), "forgotten")
