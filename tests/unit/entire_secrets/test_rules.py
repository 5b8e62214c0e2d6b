"""The table of patterns, and one planted secret for each rule."""

from __future__ import annotations

import json
import re
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]
from unittest.mock import patch

from entire_secrets.rules.generic import FLAGS
from entire_secrets.rules.guards import COLUMNS, FOLLOWS, GUARDS, NAMES, UNGUARDED
from entire_secrets.rules.macros import expand
from entire_secrets.rules.rows import ListedRule
from entire_secrets.rules.rule import WORDED, Rule
from entire_secrets.rules.table import BY_ID, RULES
from tests.unit.entire_secrets.built_in import redact, redact_jsonl, redact_text
from tests.unit.entire_secrets.every import every
from tests.unit.entire_secrets.planted_secrets import SECRETS

FIXTURES = Path(__file__).parents[2] / "fixtures"
ID = "0b9c3a52-5f0e-4b7e-9a55-2f6f3f0a7c11"
CHAT = FIXTURES / "gemini" / "transcripts" / "02-four-turns-resumed-within-the-same-minute.jsonl"


def test_every_rule_has_a_secret_and_the_table_is_sorted() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES) == len(BY_ID) - 1  # and the second opinion
    assert {rule.id for rule in RULES if not rule.example} <= set(SECRETS) <= set(BY_ID)


def test_keywords_are_lower_case_and_markers_hold_no_match() -> None:
    for rule in RULES:
        assert all(keyword == keyword.lower() for keyword in rule.keywords)
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.id)
        for text in (f"[REDACTED:{rule.id}]", f"password='[REDACTED:{rule.id}]'", f"TOKEN=[REDACTED:{rule.id}]"):
            assert redact(text.encode()) == text.encode()


def test_a_rule_that_begins_where_a_word_does_finds_nothing_within_a_word() -> None:
    """Its pattern is not even compiled there: see ``Rule.is_start``."""
    starting = [rule for rule in RULES if rule.is_start]
    assert len(starting) > 300
    for rule in starting:
        parsed = _parser.parse(expand(rule.expression)).data
        assert len(parsed) > 1, f"{rule.id}: not all of its alternatives begin so"
        pattern = re.compile(expand(rule.expression))
        for secret in filter(None, [SECRETS.get(rule.id)]):
            text = secret[0].format(secret[1]).encode()
            assert pattern.match(b"a" + text.lstrip(), 1) is None


def test_guards_are_of_keywords_and_rules_that_exist() -> None:
    keywords = {keyword for rule in RULES for keyword in rule.keywords}
    guarded = [keyword for words, _ in GUARDS for keyword in words]
    assert set(NAMES) | set(FLAGS) | set(guarded) <= keywords
    assert len(guarded) == len(set(guarded))
    assert {*FOLLOWS, *UNGUARDED} <= set(BY_ID)
    assert {*COLUMNS} <= WORDED
    assert all(set(guarded).intersection(BY_ID[name].keywords) for name in (*FOLLOWS, *UNGUARDED))


def test_even_a_careless_rule_cannot_match_a_marker() -> None:
    careless = ListedRule(("careless", (b"redacted",), rb"\[[^\]]{1,20}\]", 0, "", ""))
    found = careless.compile().match(b"[REDACTED:jwt]")
    assert found is not None and not careless.is_secret(found)


def test_a_token_of_two_characters_is_none() -> None:
    assert redact(b"npm_" + b"a1" * 18) == b"npm_" + b"a1" * 18


def test_a_token_of_words_is_none() -> None:
    name = b"lin_" + b"api_sessionReaderClientModuleHandlerTable48217"
    assert redact(name) == name


def test_token_counts_need_no_judgement() -> None:
    data = CHAT.read_bytes()
    assert data.count(b'"tokens":{"input":') > 10
    with patch.object(Rule, "is_secret", side_effect=AssertionError("a value was judged")):
        assert redact_jsonl(data) == data


@every("rule", sorted(SECRETS))
def test_a_secret_goes_and_nothing_else(rule: str) -> None:
    frame, secret = SECRETS[rule]
    text = f"before\n{frame.format(secret)}\nafter"
    assert redact_text(text) == f"before\n{frame.format(f'[REDACTED:{rule}]')}\nafter"


@every("ensure_ascii", [True, False])
@every("depth", [1, 2, 3])
@every("rule", sorted(SECRETS))
def test_a_secret_goes_from_json_in_json(rule: str, depth: int, ensure_ascii: bool) -> None:
    frame, secret = SECRETS[rule]

    def wrapped(text: str) -> str:
        value = text
        for _ in range(depth):
            value = json.dumps({"uuid": ID, "text": value, "n": [1, 2.50]}, ensure_ascii=ensure_ascii)
        return value + "\n"

    before = f'é say "\\hi"\t\n{frame.format(secret)}\nafter'
    after = f'é say "\\hi"\t\n{frame.format(f"[REDACTED:{rule}]")}\nafter'
    assert redact_jsonl(wrapped(before).encode()).decode() == wrapped(after)


@every("rule", sorted(SECRETS))
def test_a_secret_goes_when_slashes_and_signs_are_escaped(rule: str) -> None:
    frame, secret = SECRETS[rule]

    def escaped(text: str) -> bytes:
        return b'{"text": ' + json.dumps(text).replace("/", "\\/").replace("&", "\\u0026").encode() + b"}"

    line = redact_jsonl(escaped(frame.format(secret)))
    json.loads(line)
    if "/" not in secret:
        assert line == escaped(frame.format(f"[REDACTED:{rule}]"))
    assert secret not in json.loads(line)["text"]
