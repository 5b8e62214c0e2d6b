"""The list of keywords is that of the rules, and what hooks look at first never hides one."""

from __future__ import annotations

import random
from unittest.mock import patch

from entire_secrets import engine, keyword_search
from entire_secrets.rules import keywords, rule
from entire_secrets.rules.guards import is_free
from entire_secrets.rules.modules import MODULES
from entire_secrets.rules.table import BY_KEYWORD
from entire_secrets.text import TRIGRAM, Text
from tests.unit.entire_secrets.every import every

ARROW = "→".encode()
LISTED = {True: keywords.FREE, False: keywords.GUARDED}
COUNTS = (
    *'" api_ -- ? & x. key tokens Tokens TOKENS token " \' : = , } 1034 98401726355 7 Xk9 ( { "x _value'.split(),
    *(" ", ", ", "\n", "", "password"),
)


def test_the_list_is_of_all_rules() -> None:
    """If it fails, run ``python scripts/keywords.py``."""
    for free, found in LISTED.items():
        assert {keyword for listed in found.values() for keyword in listed} == {
            keyword for keyword, rules in BY_KEYWORD.items() if any(is_free(keyword, rule.id) is free for rule in rules)
        }


def test_the_modules_of_a_keyword_have_all_its_rules() -> None:
    for keyword, rules in BY_KEYWORD.items():
        names = MODULES[keyword].split()
        assert [each for name in names for each in rule.of_module(name) if keyword in each.keywords] == rules


def test_a_text_with_a_keyword_has_its_trigram() -> None:
    for found in LISTED.values():
        for trigram, listed in found.items():
            for keyword in listed:
                assert not trigram or (len(trigram) == TRIGRAM and trigram in keyword)
                is_word = not keyword.removeprefix(b" ").translate(None, keyword_search.SIGNS)
                stands = keyword.removeprefix(b" ") if is_word else keyword
                for text in (keyword, stands, b"(" + stands + b")", b"\n" + stands.upper() + b"\n", ARROW + stands):
                    assert not trigram or trigram in Text(text).trigrams
                    tier = keyword_search.PURE.free if found is keywords.FREE else keyword_search.PURE.guarded
                    assert keyword in {name for name, _ in tier(Text(text))}


def test_what_counts_hide_is_no_secret() -> None:
    text = b'{"input_tokens":1034,"output_tokens": 98401726355, "cache_tokens":7, "tokens":{"input":3}}'
    with patch("re.compile", side_effect=AssertionError):
        assert list(keyword_search.candidates(Text(text), keyword_search.PURE)) == []


@every("seed", range(200))
def test_counts_change_no_finding(seed: int) -> None:
    source = random.Random(seed)
    for _ in range(40):
        name, sign, number = source.choice(COUNTS), source.choice(COUNTS), source.choice(("1034", "98401726355", "7"))
        before, after = (source.choices(COUNTS, k=source.randint(0, 5)) for _ in range(2))
        parts = [*before, f'"{name}tokens":{sign}{number}', *after]
        text = "".join(parts).encode()
        found = engine.scan(text)
        with patch.object(keyword_search, "COUNTED", b""):
            assert engine.scan(text) == found, text
