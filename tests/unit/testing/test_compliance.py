"""Each check of plugins passes a good one, and finds a plugin that breaks its rule."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from entire.testing import compliance
from entire.testing.compliance import Options, Result, Status, fixtures
from entire.testing.compliance.table import CHECKS
from tests.unit.testing.plugin_faults import CAPTURED, CASES, FAULTS, GOOD, SMALL, Fault

NAMES = [check.name for check in CHECKS]


def results(path: Path, *only: str, **how: object) -> dict[str, Result]:
    options = Options(**{"only": only, "limits": SMALL, "fixtures": fixtures.load(CAPTURED), **how})  # type: ignore[arg-type]
    return {result.name: result for result in compliance.run(str(path), options)}


@pytest.mark.parametrize("name", NAMES)
def test_a_good_plugin_passes(name: str) -> None:
    (result,) = results(GOOD, name).values()
    noted = name == "info-speed" and result.status is Status.NOTE  # the machine may be busy
    assert result.status is Status.PASSED or noted, result


@pytest.mark.parametrize(("name", "fault"), CASES, ids=[f"{name}-{fault.name}" for name, fault in CASES])
def test_a_plugin_that_breaks_a_rule_is_found(name: str, fault: Fault, tmp_path: Path) -> None:
    (result,) = results(fault.write(tmp_path), name, limits=fault.limits).values()
    assert result.status is (Status.NOTE if fault.is_noted else Status.FAILED), result
    assert result.reason


@pytest.mark.skipif("ENTIRE_LONG" not in os.environ, reason="takes half an hour: set ENTIRE_LONG=1")
@pytest.mark.parametrize(("name", "fault"), CASES, ids=[f"{name}-{fault.name}" for name, fault in CASES])
def test_no_other_check_finds_it(name: str, fault: Fault, tmp_path: Path) -> None:
    found = results(fault.write(tmp_path), limits=fault.limits)
    assert {each.name for each in found.values() if each.status is Status.FAILED} == set() if fault.is_noted else {name}


def test_every_check_has_a_fault_that_it_finds() -> None:
    assert set(FAULTS) == set(NAMES)
    assert {name for name, faults in FAULTS.items() if all(fault.is_noted for fault in faults)} == set()


def test_checks_have_a_name_and_a_sentence() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert [name for name in NAMES if not re.fullmatch("[a-z]+(-[a-z]+)*", name)] == []
    assert [check.name for check in CHECKS if not check.text.endswith(".")] == []
