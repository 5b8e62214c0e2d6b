"""The list of keywords is that of the rules, and what hooks look at first never hides one."""

from __future__ import annotations

import itertools
import random
from unittest.mock import patch

from entire_secrets import engine, keyword_search, patterns
from entire_secrets.keyword_search import FREE, GUARDED, is_loose
from entire_secrets.rules import rows
from entire_secrets.rules.guards import is_free
from entire_secrets.rules.table import BY_KEYWORD
from entire_secrets.text import Text
from tests.unit.entire_secrets.every import every

ARROW = "→".encode()
TIERS = {FREE: keyword_search.PURE.free, GUARDED: keyword_search.PURE.guarded}
COUNTS = (
    *'" api_ -- ? & x. key tokens Tokens TOKENS token " \' : = , } 1034 98401726355 7 Xk9 ( { "x _value'.split(),
    *(" ", ", ", "\n", "", "password"),
)


def test_the_list_is_of_all_rules() -> None:
    """If it fails, run ``python scripts/keywords.py``."""
    for kind, free in ((FREE, True), (GUARDED, False)):
        assert sorted(keyword_search.all_of(kind)) == sorted(
            keyword for keyword, rules in BY_KEYWORD.items() if any(is_free(keyword, rule.id) is free for rule in rules)
        )
    loose = set(keyword_search.all_of(keyword_search.LOOSE))
    assert loose == {keyword for keyword in BY_KEYWORD if is_loose(keyword)}


def test_the_modules_of_a_keyword_have_all_its_rules() -> None:
    for keyword, rules in BY_KEYWORD.items():
        names = keyword_search.modules(keyword)
        found = [each.id for name in names for each in rows.of_keyword(name, keyword)]
        assert found == [rule.id for rule in rules]
    assert keyword_search.modules(b"apikey,") == keyword_search.modules(b"no such keyword") == []


@every("kind", TIERS)
def test_a_keyword_is_likely_wherever_it_stands(kind: bytes) -> None:
    for keyword, size in itertools.product(keyword_search.all_of(kind), (0, keyword_search.SHORT)):
        stands = keyword if is_loose(keyword) else keyword.removeprefix(b" ")
        for text in (keyword, stands, b"(" + stands + b")", b"\n" + stands.upper() + b"\n", ARROW + stands):
            with patch.object(keyword_search, "SHORT", size):
                assert kind in keyword_search.likely(Text(text))[keyword], text
                assert keyword in {name for name, _ in TIERS[kind](Text(text))}, text


@every("seed", range(20))
def test_the_quick_look_finds_what_a_search_for_each_keyword_does(seed: int) -> None:
    """Among words that are cut, joined and enclosed at random."""
    source = random.Random(seed)
    for kind, tier in TIERS.items():
        keywords = keyword_search.all_of(kind)
        text = Text(b"".join(_part(source, keywords) for _ in range(200)))
        assert sorted(tier(text)) == sorted(_searched(text, keywords))


@every("text", [b"", b" ", b"a", b"ab", b"sid", b"\xff\xfe\xfd", bytes(range(256)), "пароль → 密码".encode()])
def test_any_bytes_are_looked_at(text: bytes) -> None:
    for size in (0, keyword_search.SHORT):
        with patch.object(keyword_search, "SHORT", size):
            for kind, tier in TIERS.items():
                assert sorted(tier(Text(text))) == sorted(_searched(Text(text), keyword_search.all_of(kind)))


def _part(source: random.Random, keywords: tuple[bytes, ...]) -> bytes:
    keyword = source.choice(keywords)
    cut = keyword[source.randint(0, 1) : len(keyword) - source.randint(0, 1)]
    chosen = source.choice((keyword, cut, keyword.upper(), source.randbytes(3), b"word", ARROW))
    return chosen + source.choice((b" ", b"", b"", b"\n", b"=", b"-", b"7"))


def _searched(text: Text, keywords: tuple[bytes, ...]) -> list[tuple[bytes, int]]:
    """Search for each keyword by itself, as ``keyword_search`` describes them."""
    found = []
    for keyword in keywords:
        where = text.lowered if is_loose(keyword) else b" " + text.spread if keyword[:1] == b" " else text.spread
        at = where.find(keyword)
        while at >= 0:
            found.append((keyword, at))
            at = where.find(keyword, at + 1)
    return found


def test_a_prompt_compiles_no_pattern() -> None:
    with patch.object(patterns, "compile", side_effect=AssertionError):
        assert engine.scan(b"Write b.txt, then list what the tests say about it.") == []


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
