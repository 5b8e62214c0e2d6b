"""The tables of rules, by trade: all are used, and each says of what its rules are."""

from __future__ import annotations

from entire_secrets.rules import commands, files, generic, headers
from entire_secrets.rules.providers import (
    business,
    clouds,
    content,
    data,
    hosting,
    identity,
    keys,
    messaging,
    models,
    monitoring,
    payments,
    tools,
)
from entire_secrets.rules.table import PROVIDERS, RULES

PLACES = (commands, files, generic, headers)


def test_every_table_is_used() -> None:
    trades = (business, clouds, content, data, hosting, identity, keys, messaging, models, monitoring, payments, tools)
    assert tuple(trade.__name__.rpartition(".")[2] for trade in trades) == PROVIDERS
    used = {rule.id for rule in RULES}
    for trade in trades:
        assert {row[0] for row in (*trade.ROWS, *trade.KEYED)} <= used
    for places in PLACES:
        assert {row[0] for row in (*places.ROWS, *places.REGIONS)} <= used


def test_every_rule_names_its_source_and_an_example() -> None:
    assert [rule.id for rule in RULES if not rule.source or not rule.example] == []
