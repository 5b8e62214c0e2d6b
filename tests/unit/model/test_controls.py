"""Text from elsewhere neither commands a terminal nor hides anything; ordinary text stays as it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entire.model import controls


@given(st.text())
def test_plain_text_cannot_command_a_terminal(given: str) -> None:
    shown = controls.plain(given)
    assert not any(char < " " and char not in "\n\t" for char in shown)
    assert not any("\x7f" <= char <= "\x9f" for char in shown)
    shown.encode("utf-8")


def test_what_plain_text_makes_of_escapes() -> None:
    assert controls.plain("a\x1b[31mb\r\nc\udcff\x9b") == "a^[[31mb\nc\N{REPLACEMENT CHARACTER}\\u009b"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),  # a family
        ("\u2764\ufe0f\u200d\U0001f525", "\u2764\ufe0f\u200d\U0001f525"),  # a heart on fire
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),  # Persian
        ("a\u200db", "a\\u200db"),
        ("\u200d\U0001f468\u200d", "\\u200d\U0001f468\\u200d"),
        ("\U0001f468\u202e\u200b\u2066\U0001f467", "\U0001f468\\u202e\\u200b\\u2066\U0001f467"),
    ],
)
def test_only_joiners_that_join_are_left_as_they_are(given: str, shown: str) -> None:
    assert controls.plain(given) == shown


FLAG = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"  # of Scotland


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (FLAG, FLAG),
        (f"a {FLAG}{FLAG} b", f"a {FLAG}{FLAG} b"),
        (FLAG[1:], "".join(f"\\u{ord(char):x}" for char in FLAG[1:])),  # no flag
        (FLAG[:-1], FLAG[0] + "".join(f"\\u{ord(char):x}" for char in FLAG[1:-1])),  # no end
        (FLAG[0] + FLAG[-1], FLAG[0] + "\\ue007f"),  # no tag
        ("\U0001f600" + FLAG[1:], "\U0001f600" + "".join(f"\\u{ord(char):x}" for char in FLAG[1:])),
        (FLAG[:3] + "\x1b" + FLAG[3:], FLAG[0] + "\\ue0067\\ue0062^[" + "".join(
            f"\\u{ord(char):x}" for char in FLAG[3:])),
        (FLAG[0] + "\U000e0041" * 31 + FLAG[-1], FLAG[0] + "\\ue0041" * 31 + "\\ue007f"),  # a hidden text
    ],
)  # fmt: skip
def test_tags_are_left_as_they_are_only_in_a_flag(given: str, shown: str) -> None:
    assert controls.plain(given) == shown
    assert "".join(controls.characters(given)) == shown


@pytest.mark.parametrize(
    "ordinary",
    [
        "naïve 日本語 한국어 Ελληνικά",
        "שלום עולם",
        "السلام عليكم",
        "e\u0301",
        "❤\ufe0f 1\ufe0f\u20e3 ☀\ufe0e",
        "葛\U000e0100",
    ],
)
def test_ordinary_text_is_left_as_it_is(ordinary: str) -> None:
    assert controls.plain(ordinary) == ordinary
    assert controls.in_json(json.dumps(ordinary, ensure_ascii=False)) == json.dumps(ordinary, ensure_ascii=False)


def test_blanks_of_other_widths_are_spaces() -> None:
    assert controls.plain("«\u00a0Oui\u202f!\u00a0» 全角\u3000空白") == "« Oui ! » 全角 空白"


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("a\ufe0f", r"a\ufe0f"),
        ("日\ufe0f\ufe0e", "日\ufe0f\\ufe0e"),
        ("日\U000e0100\U000e0101", "日\U000e0100\\ue0101"),
        ("\u200b\u200c\u200d\u2060\ufeff", r"\u200b\u200c\u200d\u2060\ufeff"),
        ("日\u200d\u200d日", r"日\u200d\u200d日"),
        ("\u202e\u200d\u2066", r"\u202e\u200d\u2066"),
        ("\u3164\u115f\u1160\uffa0", r"\u3164\u115f\u1160\uffa0"),
        ("a\u034fb\u00adc", r"a\u034fb\u00adc"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
        ("\u061c\u200e\u200f\ufff9", r"\u061c\u200e\u200f\ufff9"),
    ],
)
def test_what_is_invisible_is_shown(hidden: str, shown: str) -> None:
    assert controls.plain(hidden) == shown


@given(st.text())
def test_json_keeps_its_value(given: str) -> None:
    document = controls.in_json(json.dumps(given, ensure_ascii=False, indent=2))
    assert json.loads(document) == given
    assert controls.plain(document) == document


@given(st.text())
def test_plain_text_stays_plain(given: str) -> None:
    assert controls.plain(controls.plain(given)) == controls.plain(given)
