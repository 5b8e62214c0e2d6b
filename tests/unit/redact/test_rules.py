"""The table of patterns, and one planted secret for each rule."""

from __future__ import annotations

import json
import re
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entire.redact import engine, redact, redact_jsonl, redact_text
from entire.redact.rules import BACK, FLAGS, GENERIC, GUARDS, NAMES, ROWS
from tests.unit.redact.planted_secrets import SECRETS, UUID

FIXTURES = Path(__file__).parents[2] / "fixtures"
CHAT = FIXTURES / "gemini" / "transcripts" / "02-four-turns-resumed-within-the-same-minute.jsonl"
PIECES = [
    *(b"token", b"password", b"_auth", b"s", b"x-", b"\\", b'"', b"'", b" ", b"\t", b"u003d", b"://", b"@"),
    *(b":", b"=", b"=>", b":=", b"=====", b"{", b"[", b"(", b",", b"}", b"]", b"12345", b"hunter2-Xy7k9Qz"),
]
"""What may stand between a name and its value, and what ends a value."""


def test_every_rule_has_a_secret_and_the_table_is_sorted() -> None:
    ids = [row[0] for row in ROWS]
    assert ids == sorted(ids)
    assert len(set(engine.BY_ID)) == len(ROWS) + len(GENERIC)
    assert set(SECRETS) == set(engine.BY_ID)
    assert set(BACK) <= set(ids)


def test_keywords_are_lower_case_and_markers_hold_no_match() -> None:
    for rule in engine.RULES:
        assert all(keyword == keyword.lower() for keyword in rule.keywords)
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.id)
        for text in (f"[REDACTED:{rule.id}]", f"password='[REDACTED:{rule.id}]'", f"TOKEN=[REDACTED:{rule.id}]"):
            assert redact(text.encode()) == text.encode()
    assert set(NAMES) | set(FLAGS) <= set(engine.KEYWORDS)
    assert all(set(words) <= set(engine.KEYWORDS) for words, _ in GUARDS)


def test_even_a_careless_rule_cannot_match_a_marker() -> None:
    careless = engine.Rule("careless", (b"[redacted",), rb"\[[^\]]+\]", 0, generic=False)
    found = careless.compile().match(b"[REDACTED:jwt]")
    assert found is not None and not careless.is_secret(found)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join))
@settings(max_examples=400)
def test_a_quick_check_hides_no_finding(data: bytes) -> None:
    found = engine.scan(data)
    with patch.object(engine, "_QUICK_CHECKS", [lambda _data, _at: True] * len(GUARDS)):
        assert engine.scan(data) == found


def test_token_counts_need_no_pattern() -> None:
    data = CHAT.read_bytes()
    assert data.count(b'"tokens":{"input":') > 10
    with patch.object(engine, "_compile_guards", side_effect=AssertionError("a pattern was needed")):
        assert redact_jsonl(data) == data


@pytest.mark.parametrize("rule", sorted(SECRETS))
def test_a_secret_goes_and_nothing_else(rule: str) -> None:
    frame, secret = SECRETS[rule]
    text = f"before\n{frame.format(secret)}\nafter"
    assert redact_text(text) == f"before\n{frame.format(f'[REDACTED:{rule}]')}\nafter"


@pytest.mark.parametrize("ensure_ascii", [True, False])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("rule", sorted(SECRETS))
def test_a_secret_goes_from_json_in_json(rule: str, depth: int, ensure_ascii: bool) -> None:
    frame, secret = SECRETS[rule]

    def wrapped(text: str) -> str:
        value = text
        for _ in range(depth):
            value = json.dumps({"uuid": UUID, "text": value, "n": [1, 2.50]}, ensure_ascii=ensure_ascii)
        return value + "\n"

    before = f'é say "\\hi"\t\n{frame.format(secret)}\nafter'
    after = f'é say "\\hi"\t\n{frame.format(f"[REDACTED:{rule}]")}\nafter'
    assert redact_jsonl(wrapped(before).encode()).decode() == wrapped(after)


@pytest.mark.parametrize("rule", sorted(SECRETS))
def test_a_secret_goes_when_slashes_and_signs_are_escaped(rule: str) -> None:
    frame, secret = SECRETS[rule]

    def escaped(text: str) -> bytes:
        return b'{"text": ' + json.dumps(text).replace("/", "\\/").replace("&", "\\u0026").encode() + b"}"

    line = redact_jsonl(escaped(frame.format(secret)))
    json.loads(line)
    if "/" not in secret:
        assert line == escaped(frame.format(f"[REDACTED:{rule}]"))
    assert secret not in json.loads(line)["text"]
