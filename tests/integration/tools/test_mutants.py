"""`make mutants` tells a mutant that a test notices from one that none does."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.mutants import __main__ as program
from tests.mutants import table
from tests.mutants.changes import Anchor
from tests.mutants.table import Mutant

FILE, FUNCTION = "entire_secrets/replacing.py", "Replacer.text"
SAME = "self._replaced(data, (_by_place))"
TESTS = ("tests/unit/entire_secrets/test_rules.py::test_a_secret_goes_and_nothing_else",)


def mutant(name: str, new: str, equal: str = "") -> Mutant:
    return Mutant(name, FILE, Anchor(FUNCTION, "value", "_by_place", new), TESTS, equal)


def test_what_tests_notice_and_what_they_do_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mutants = [
        mutant("broken", "data"),
        mutant("harmless", SAME),
        mutant("explained", SAME, "It is the same."),
        mutant("worse", "unknown"),
    ]
    results = program.run(mutants, tmp_path / "copies", workers=1, seconds=60.0, quiet=True)
    assert [(result.name, result.outcome) for result in results] == [
        ("broken", "noticed"),
        ("harmless", "not noticed"),
        ("explained", "equal"),
        ("worse", "noticed"),
    ]
    assert results[0].by.startswith("test_rules.py::test_a_secret_goes_and_nothing_else")
    assert capsys.readouterr().out == ""


def test_tests_that_fail_anyway_notice_nothing(tmp_path: Path) -> None:
    one = replace(mutant("x", "None"), tests=("tests/unit/entire_secrets/test_rules.py::test_nothing",))
    with pytest.raises(SystemExit, match="the tests fail without any change"):
        program.run([one], tmp_path / "copies", workers=1, seconds=60.0, quiet=True)


def test_interrupted_it_leaves_no_copies(tmp_path: Path) -> None:
    names = ["--only", "redaction-what-stands-beside", "--only", "redaction-many-secrets-are-not"]
    command = [sys.executable, "-m", "tests.mutants", *names, "--workers", "1"]
    running = subprocess.Popen(command, cwd=table.ROOT, env={**os.environ, "TMPDIR": str(tmp_path)}, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip
    assert running.stdout is not None
    assert running.stdout.readline().startswith("noticed"), "one mutant was played, the others follow"
    assert list(tmp_path.glob("entire-mutants-*"))
    running.terminate()
    running.communicate(timeout=30.0)
    assert running.returncode != 0
    assert list(tmp_path.glob("entire-mutants-*")) == []
