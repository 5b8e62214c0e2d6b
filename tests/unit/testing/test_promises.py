"""The promises catch adapters that break them, are listed, and skip only what they must."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import pytest

from entire.agents.demo.agent import Demo
from entire.agents.registry import BUILTIN
from entire.model.transcripts import Position
from entire.testing.promises import events, hostile, installing, odd, questions, reading, sessions, storing
from entire.testing.promises.checklist import CHECKLIST
from entire.testing.promises.promise import Promise
from entire.testing.promises.repository import Repository
from entire.testing.promises.rig import Rig
from entire.testing.promises.suite import cases, missing_rigs, seal
from entire.testing.promises.table import ADAPTER, PROMISES
from tests.rigs.demo import RIG
from tests.unit.testing import faults
from tests.unit.testing.faults import CASES, FAULTS, Chosen, FaultyRig

ROOMS = (events, reading, hostile, storing, installing, sessions)
CHECKS = {promise.name: promise for promise in PROMISES}
SPEC = Path(__file__).parents[2] / "fixtures" / "integration-checklist.md"


@pytest.mark.parametrize(("name", "fault"), CASES, ids=[faults.label(*case) for case in CASES])
def test_a_faulty_adapter_is_caught_by_the_promise_that_it_breaks(
    name: str, fault: type[Demo], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig, promise = FaultyRig(), CHECKS[name]
    monkeypatch.setattr(Chosen, "agent", fault)
    seal(rig, tmp_path / "home", monkeypatch)
    (tmp_path / "place").mkdir()
    assert promise.why_not(rig) == ""
    with pytest.raises((Exception, pytest.fail.Exception)) as caught:
        promise.check(rig, tmp_path / "place")
    assert not isinstance(caught.value, pytest.skip.Exception)


def test_every_promise_of_an_adapter_has_a_fault_that_it_catches() -> None:
    assert set(FAULTS) <= set(CHECKS)
    assert {promise.name for promise in ADAPTER} - set(FAULTS) == set()


def test_promises_have_a_name_and_a_sentence() -> None:
    assert len(CHECKS) == len(PROMISES)
    assert [name for name in CHECKS if not re.fullmatch("[a-z]+(-[a-z]+)*", name)] == []
    assert [promise.name for promise in PROMISES if not promise.text.endswith(".")] == []


def test_every_check_is_in_the_table() -> None:
    written = {
        value
        for room in ROOMS
        for name, value in inspect.getmembers(room, inspect.isfunction)
        if value.__module__ == room.__name__ and not name.startswith("_")
        if list(inspect.signature(value).parameters) == ["rig", "folder"]
    }
    assert {promise.check for promise in PROMISES} == written
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
        assert set(point.promises) <= set(CHECKS), point.title


def test_what_is_skipped_says_why() -> None:
    class Nothing(Rig):
        entry = BUILTIN["demo"]
        exceptions = {"identity": "it has two names"}

    rig = Nothing()
    assert CHECKS["identity"].why_not(rig) == "it has two names"
    assert CHECKS["captured"].why_not(rig) == "it has no transcripts"
    assert CHECKS["commits"].why_not(rig) == "it has no player"
    assert CHECKS["subagents"].why_not(rig) == "it has no subagents"
    assert CHECKS["shell"].why_not(rig) == ""


def test_an_agent_without_a_rig_is_named() -> None:
    assert missing_rigs([RIG]) == [name for name in BUILTIN if name != "demo"]


def test_every_promise_is_a_case_of_every_rig() -> None:
    (mark,) = cases(RIG, FaultyRig()).pytestmark  # type: ignore[attr-defined]
    assert len(mark.args[1]) == 2 * len(PROMISES)
    assert mark.args[1][0].id == "demo-identity"


def test_odd_data_is_near_what_was_captured() -> None:
    """A mutation changes one thing: most of what is made can still be parsed, and is not what it was made from."""
    from hypothesis import find, given
    from hypothesis import strategies as st

    known = [b'{"a": {"b": [1, {"c": "d"}]}}', b'{"x": 1}\n{"y": 2}\n']
    assert find(odd.mutated(known), lambda data: b'"c": null' in data)
    assert find(odd.mutated(known), lambda data: data.startswith(b'{"x": 1}\n') and b'"y": null' in data)

    @given(st.sampled_from(odd.VALUES))
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
