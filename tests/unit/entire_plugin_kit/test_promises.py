"""The promises catch adapters that break them, are listed, and skip only what they must."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import pytest

from entire.agents.demo.agent import Demo
from entire.agents.registry import BUILTIN
from entire.model.positions import Position
from entire_plugin_kit import CHECKLIST, PROMISES, Promise, Rig, cases
from entire_plugin_kit.adapter import events, hostile, installing, inventing, malformed, questions, reading, storing
from entire_plugin_kit.cases import ask, why_not
from entire_plugin_kit.framework import conversations, sessions
from entire_plugin_kit.framework.repository import Repository
from entire_plugin_kit.promise import ADAPTER, PROGRAM, Skipped, why
from entire_plugin_kit.table import GROUPS
from tests.rigs.demo import RIG
from tests.unit.entire_plugin_kit import faults
from tests.unit.entire_plugin_kit.faults import CASES, FAULTS, Chosen, FaultyRig

ROOMS = (events, reading, hostile, storing, installing, conversations, sessions)
OF_RIGS = {promise.name: promise for promise in PROMISES if promise.by != PROGRAM}
SPEC = Path(__file__).parents[2] / "fixtures" / "integration-checklist.md"


@pytest.mark.parametrize(("name", "fault"), CASES, ids=[faults.label(*case) for case in CASES])
def test_a_faulty_adapter_is_caught_by_the_promise_that_it_breaks(
    name: str, fault: type[Demo], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Chosen, "agent", fault)
    with pytest.raises(Exception) as caught:  # whatever the adapter raises breaks the promise
        ask(OF_RIGS[name], FaultyRig())
    assert not isinstance(caught.value, Skipped)
    assert why(caught.value)


def test_a_sound_adapter_keeps_the_promise_about_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chosen, "agent", Demo)
    ask(OF_RIGS["fork"], FaultyRig())


def test_every_promise_of_an_adapter_has_a_fault_that_it_catches() -> None:
    assert set(FAULTS) <= set(OF_RIGS)
    assert {promise.name for promise in OF_RIGS.values() if promise.by == ADAPTER} - set(FAULTS) == set()


def test_promises_have_a_name_and_a_sentence() -> None:
    names = [promise.name for promise in PROMISES]
    assert len({*names, *GROUPS}) == len(names) + len(GROUPS)
    assert [name for name in names if not re.fullmatch("[a-z]+(-[a-z]+)*", name)] == []
    assert [promise.name for promise in PROMISES if not promise.text.endswith(".")] == []


def test_every_check_is_in_the_table() -> None:
    written = {
        value
        for room in ROOMS
        for name, value in inspect.getmembers(room, inspect.isfunction)
        if value.__module__ == room.__name__ and not name.startswith("_")
        if list(inspect.signature(value).parameters) == ["rig", "folder"]
    }
    assert {promise.check for promise in OF_RIGS.values()} == written
    assert all(isinstance(promise, Promise) for promise in PROMISES)


def test_every_point_of_the_checklist_is_a_promise_or_has_a_reason() -> None:
    section, points = "", []
    for line in SPEC.read_text().splitlines():
        if line.startswith("### "):
            section = line.removeprefix("### ")
        elif found := re.match(r"- \[ \] \*\*(.+?)\*\*", line):
            points.append((section, found[1]))
    assert len(points) > 15
    assert [(point.section, point.title) for point in CHECKLIST] == points
    for point in CHECKLIST:
        assert point.promises or point.reason, point.title
        assert set(point.promises) <= set(OF_RIGS), point.title


def test_what_is_skipped_says_why() -> None:
    class Nothing(Rig):
        entry = BUILTIN["demo"]
        exceptions = {"declarations": "it has two names"}

    rig = Nothing()
    assert why_not(OF_RIGS["declarations"], rig) == "it has two names"
    assert why_not(OF_RIGS["captured"], rig) == "it has no transcripts"
    assert why_not(OF_RIGS["commits"], rig) == "it has no player"
    assert why_not(OF_RIGS["subagents"], rig) == "it has no subagents"
    assert why_not(OF_RIGS["shell"], rig) == ""


def test_every_promise_of_a_rig_is_a_case_of_every_rig() -> None:
    found = cases(RIG, FaultyRig())
    assert len(found) == 2 * len(OF_RIGS)
    assert str(found[0]) == "demo-declarations"


def test_odd_data_is_near_what_was_captured() -> None:
    """A mutation changes one thing: most of what is made can still be parsed, and is not what it was made from."""
    from hypothesis import find, given
    from hypothesis import strategies as st

    known = [b'{"a": {"b": [1, {"c": "d"}]}}', b'{"x": 1}\n{"y": 2}\n']
    assert find(inventing.mutated(known), lambda data: b'"c": null' in data)
    assert find(inventing.mutated(known), lambda data: data.startswith(b'{"x": 1}\n') and b'"y": null' in data)

    @given(st.sampled_from(malformed.VALUES))
    def every_value_is_json(value: object) -> None:
        json.dumps(value)

    every_value_is_json()


def test_texts_are_found_at_any_depth() -> None:
    assert {"a", "b", "c", "d"} <= set(questions.texts([{"a": ("b", {"c"})}, 7, None, Position(mark="d")]))


def test_a_repository_fails_on_a_problem_in_the_log(tmp_path: Path) -> None:
    repository = Repository(RIG, tmp_path)
    assert repository.problems() == []
    repository.write(".git/entire/logs/entire.log", json.dumps({"level": "ERROR", "msg": "no"}) + "\n")
    assert repository.problems() == ["no"]
