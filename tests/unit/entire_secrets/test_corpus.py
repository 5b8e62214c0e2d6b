"""The corpus that judges redaction is itself sound: it sees every secret, in every carrier of every agent."""

from __future__ import annotations

import random
from collections import Counter

from tests.secrets import judging, kinds, table, values
from tests.secrets.carriers import CARRIERS
from tests.secrets.transcripts import AGENTS, record

KINDS = kinds.every()


def test_it_covers_the_kinds_once_each() -> None:
    assert [name for name, count in Counter(kind.name for kind in KINDS).items() if count > 1] == []
    groups = Counter(kind.group.split(":")[0] for kind in KINDS)
    assert sum(groups.values()) >= 400
    assert groups["places"] >= 100


def test_each_spelling_marks_its_secrets() -> None:
    for kind in KINDS:
        for spelling in kind.spellings:
            marked = values.expand(spelling, random.Random(1))
            _, secrets = values.split(marked)
            assert "«" in marked, kind.name
            assert all(len(secret) >= 4 for secret in secrets), marked
            assert not set("«»") & set("".join(secrets)), marked


def test_it_is_the_same_each_time() -> None:
    first, second = ([case.marked for case in table.sample(KINDS[::20])] for _ in range(2))
    assert first == second


def test_what_nobody_redacts_is_seen_in_every_carrier_of_every_agent() -> None:
    chosen = random.Random(7).sample(list(table.sample(KINDS)), 1500)
    assert {case.carrier.name for case in chosen} == {carrier.name for carrier in CARRIERS}
    assert {case.agent.name for case in chosen} == {agent.name for agent in AGENTS}
    for case in chosen:
        line = record(case.agent, case.carrier.slot, case.carrier.planted(case.text()))
        assert table.outcome(case, line, line).problem, (case.kind.name, case.carrier.name, case.marked)


def test_a_mark_in_place_of_the_secret_is_all_it_asks_for() -> None:
    secret = values.letters(random.Random(1), values.HEX, 40)
    clean = "token: [REDACTED:x] in a file"
    assert not judging.is_left([secret], clean, "token: in a file")
    assert not judging.is_left([secret], clean + secret[:10], "token: in a file")
    assert judging.is_left([secret], clean + secret[:11], "token: in a file")


def test_another_shape_is_a_problem() -> None:
    before = {"a": ["one", 1, None], "b": "two"}
    assert judging.has_same_shape(before, {"a": ["[REDACTED:x]", 1, None], "b": "two"})
    assert not judging.has_same_shape(before, {"a": ["other", 1, None], "b": "two"})
    assert not judging.has_same_shape(before, {"a": ["one", 2, None], "b": "two"})
    assert not judging.has_same_shape(before, {"a": ["one", 1], "b": "two"})
    assert not judging.has_same_shape(before, {"c": ["one", 1, None], "b": "two"})
