"""The table of mutants fits the code: each can be put in place, and the tests that should notice it exist."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.mutants import changes, table
from tests.mutants.changes import Anchor, Span

MUTANTS = table.load()
MODULE = """\
def guard(a, b):
    if a < 1 and b:  # é
        raise ValueError("no")
    return [c for c in b if c.known]
"""


def test_there_are_mutants_of_each_law() -> None:
    laws = {mutant.name.partition("-")[0] for mutant in MUTANTS}
    assert laws >= {"commits", "redaction", "rewind", "turns", "undo"}
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", mutant.name) for mutant in MUTANTS)


def test_each_mutant_fits() -> None:
    for mutant in MUTANTS:
        source = mutant.source()
        assert source != mutant.path().read_text(encoding="utf-8")
        compile(source, mutant.file, "exec")
        assert mutant.tests
        for test in mutant.tests:
            path, _, function = test.partition("[")[0].partition("::")
            assert (table.ROOT / path).exists(), (mutant.name, path)
            text = (table.ROOT / path).read_text(encoding="utf-8") if path.endswith(".py") else ""
            assert not function or f"def {function}(" in text or f"\n{function} = " in text, (mutant.name, function)


def test_a_place_that_is_gone_or_there_twice_is_an_error() -> None:
    mutant = MUTANTS[0]
    assert isinstance(mutant.change, Anchor)
    for change in (replace(mutant.change, function="gone"), replace(mutant.change, name="gone")):
        with pytest.raises(ValueError, match=mutant.name):
            replace(mutant, change=change).source()
    with pytest.raises(ValueError, match="2 values of guard mention b"):
        Anchor("guard", "value", "b", "None").made(MODULE + "    return b\n")


@pytest.mark.parametrize(
    ("kind", "name", "becomes", "line"),
    [
        ("condition", "a", "False", "    if False:  # é"),
        ("condition", "known", "True", "    return [c for c in b if True]"),
        ("statement", "ValueError", "pass", "        pass"),
        ("value", "known", "[]", "    return []"),
    ],
)
def test_a_place_is_found_by_a_name(kind: str, name: str, becomes: str, line: str) -> None:
    assert line in Anchor("guard", kind, name, becomes).made(MODULE).splitlines()


def test_operators_break_what_is_in_the_lines() -> None:
    def broken(*lines: int) -> list[str]:
        spans: list[Span] = [span for _, span in changes.of_lines(MODULE, set(lines))]
        return [span.made(MODULE).splitlines()[lines[0] - 1].strip() for span in spans]

    assert broken(2) == [
        "if not (a < 1 and b):  # é",
        "if ((a < 1) or (b)):  # é",
        "if (a <= 1) and b:  # é",
        "if a < (1 + 1) and b:  # é",
    ]
    assert broken(3) == ["pass"]
    assert broken(1) == []


def test_mutants_of_changed_lines_are_tried_with_the_tests_beside_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "ROOT", tmp_path)
    module, tests = tmp_path / "src/entire/store/guards.py", tmp_path / "tests/unit/store"
    for folder in (module.parent, tests):
        folder.mkdir(parents=True)
    module.write_text(MODULE)
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "start")):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    assert table.changed("HEAD") == []
    module.write_text(MODULE.replace('"no"', '"never"'))
    (mutant,) = table.changed("HEAD")
    assert (mutant.file, mutant.tests) == ("entire/store/guards.py", ("tests/unit/store",))
    assert mutant.source() == MODULE.replace('raise ValueError("no")', "pass")
