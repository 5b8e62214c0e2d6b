"""The rules of a keyword are kept for later processes, until a file changes that they are made of."""

from __future__ import annotations

import marshal
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from entire_secrets import keyword_search, patterns
from entire_secrets.rules import rows
from entire_secrets.rules.guards import FOLLOWS, GUARD_OF, is_free
from entire_secrets.rules.rule import Rule
from entire_secrets.rules.table import BY_KEYWORD

RULES = Path(rows.__file__).parent


@pytest.fixture(autouse=True)
def others(monkeypatch: pytest.MonkeyPatch) -> dict[Any, bytes]:
    """What earlier processes kept: nothing, and nothing of what a test keeps is left behind."""
    found: dict[Any, bytes] = {}
    monkeypatch.setattr(patterns, "_kept", found)
    monkeypatch.setattr(patterns, "_new", {})
    monkeypatch.setattr(patterns, "once", set())
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return found


def save(others: dict[Any, bytes]) -> None:
    """Let the next process begin with what this one rule."""
    patterns.save(lambda _, data: others.update(marshal.loads(data)[1]))
    patterns._new.clear()


def facts(rules: list[Rule]) -> list[tuple[object, ...]]:
    return [tuple(getattr(rule, name) for name in Rule.__slots__ if name not in ("group", "match")) for rule in rules]


def test_kept_rules_are_those_of_the_table(others: dict[Any, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    groups = {group for groups in FOLLOWS.values() for group in groups} | {None}
    asked: list[tuple[bytes, str | None, bool]] = [(keyword, None, False) for keyword in BY_KEYWORD]
    asked += [(keyword, group, True) for keyword in GUARD_OF for group in sorted(groups, key=str)]
    made = {each: facts(keyword_search.for_keyword(*each)) for each in asked}
    for (keyword, group, is_guarded), found in made.items():
        expected = [
            rule
            for rule in BY_KEYWORD[keyword]
            if is_free(keyword, rule.id) is not is_guarded
            and (not is_guarded or group in FOLLOWS.get(rule.id, (group,)))
        ]
        assert found == facts(list(expected)), (keyword, group)
    save(others)
    monkeypatch.setattr(rows, "of_keyword", lambda *_: pytest.fail("rules are made again"))
    assert {each: facts(keyword_search.for_keyword(*each)) for each in asked} == made
    assert not patterns._new


def test_guards_are_kept(others: dict[Any, bytes]) -> None:
    assert {keyword: keyword_search.guard_of(keyword) for keyword in GUARD_OF} == GUARD_OF
    save(others)
    assert {keyword: keyword_search.guard_of(keyword) for keyword in GUARD_OF} == GUARD_OF
    assert not patterns._new


@pytest.mark.parametrize("file", ["guards.py", "rule.py", "macros.py", "providers/clouds.py"])
def test_a_changed_file_makes_the_rules_again(
    others: dict[Any, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    shutil.copytree(RULES, tmp_path / "rules")
    monkeypatch.setattr(keyword_search, "_FOLDER", str(tmp_path / "rules"))
    before = facts(keyword_search.for_keyword(b"akia", None, False))
    keyword_search.guard_of(b"token")
    save(others)
    with (tmp_path / "rules" / file).open("a") as changed:
        changed.write("\n")
    assert facts(keyword_search.for_keyword(b"akia", None, False)) == before
    keyword_search.guard_of(b"token")
    made = {("rules", b"akia", None, False), ("rule", "aws-access-key"), ("rule", "aws-secret-key-beside-id")}
    assert patterns._new.keys() == made | ({("guard", b"token")} if file == "guards.py" else set())


def test_a_broken_entry_counts_as_none(others: dict[Any, bytes]) -> None:
    others["rules", b"akia", None, False] = b"broken"
    assert {rule.id for rule in keyword_search.for_keyword(b"akia", None, False)} == {
        "aws-access-key",
        "aws-secret-key-beside-id",
    }


def test_what_makes_rules_is_not_for_bundles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "entire_secrets.rules.providers.clouds", raising=False)
    keyword_search.for_keyword(b"akia", None, False)
    assert patterns.once == {"entire_secrets.rules.providers.clouds"}
