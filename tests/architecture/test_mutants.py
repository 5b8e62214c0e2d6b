"""The table of mutants fits the code: each can be put in place, and the tests that should notice it exist."""

from __future__ import annotations

import re

import pytest

from tests.mutants import table
from tests.mutants.table import Mutant

MUTANTS = table.load()


def test_there_are_mutants_of_each_room() -> None:
    rooms = {mutant.file.partition("/")[0] for mutant in MUTANTS}
    assert rooms >= {"agents", "attribution", "entire_secrets", "lifecycle", "redact", "rewind", "store", "undo"}
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", mutant.name) for mutant in MUTANTS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_fits(mutant: Mutant) -> None:
    source = mutant.source()
    assert source != mutant.path().read_text(encoding="utf-8")
    compile(source, mutant.file, "exec")
    assert mutant.tests
    for test in mutant.tests:
        path, _, function = test.partition("[")[0].partition("::")
        text = (table.ROOT / path).read_text(encoding="utf-8") if path.endswith(".py") else ""
        assert (table.ROOT / path).exists(), path
        assert not function or f"def {function}(" in text or f"\n{function} = " in text, function


def test_the_page_shows_the_score_of_the_table() -> None:
    page = (table.ROOT / "docs/explanation/mutants.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| (?:`([a-z]+)-\*`|all) \|[^|]*\| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    assert {area for area, *_ in shown} == {"", *(mutant.name.partition("-")[0] for mutant in MUTANTS)}
    for area, *numbers in shown:
        mutants = [mutant for mutant in MUTANTS if not area or mutant.name.startswith(f"{area}-")]
        equal = [mutant for mutant in mutants if mutant.equal]
        assert [len(mutants), len(mutants) - len(equal), len(equal)] == list(map(int, numbers)), area
    assert all(f"- `{mutant.name}`: " in page for mutant in MUTANTS if mutant.equal)


def test_an_old_text_that_is_gone_or_occurs_twice_is_an_error() -> None:
    mutant = MUTANTS[0]
    for old in ("this text is in no file of the project", "import"):
        with pytest.raises(ValueError, match="its old text occurs"):
            Mutant(mutant.name, mutant.file, old, "", mutant.tests).source()
