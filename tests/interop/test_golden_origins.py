"""Lines of commits that the Go CLI linked: a turn only where all lines of the commit are known to be the agent's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from entire import layout
from entire.model.origins import Origin, WhyRequest
from entire.origins import answer, go_written
from entire.store.catalog import Catalog
from tests import golden

WHOLLY_THE_AGENTS = {entry["commit"] for entry in golden.TRUTH if not entry["lines"][1]}
OTHERS = {"Add hello", "Add shell"}  # of the clones, which the table of truth does not have: one turn each


def origins(where: Path) -> list[tuple[str, Origin]]:
    place = layout.find(str(where))
    assert place is not None
    listed = subprocess.run(["git", "-C", str(where), "ls-files", "-z"], check=True, capture_output=True).stdout
    catalog = Catalog(place)
    found = []
    for path in listed.decode().split("\0")[:-1]:
        if (where / path).is_file() and not path.startswith("."):
            view = answer.why(place, catalog, WhyRequest(path=path))
            found += [(path, part.origin) for part in view.files[0].ranges]
    return found


@pytest.mark.parametrize("stage", golden.STAGES)
def test_no_line_is_given_to_a_turn_that_may_not_have_written_it(stage: str, tmp_path: Path) -> None:
    for where in golden.repositories(golden.unpack(stage, tmp_path)):
        for path, origin in origins(where):
            if origin.kind == "turn":
                assert origin.is_evidence, path
                assert origin.subject in WHOLLY_THE_AGENTS | OTHERS, path
            elif origin.kind == "person":
                assert not origin.checkpoint_id, path


def test_what_can_be_concluded(tmp_path: Path) -> None:
    (where,) = golden.repositories(golden.unpack("live/05-active-agent-committed", tmp_path))
    found = dict(origins(where))
    assert found["src/parser.py"].prompt == "Add the parser & its <tests>"
    assert found["src/parser.py"].agent == "Claude Code"
    lexer = found["src/lexer.py"]
    assert lexer.reason == go_written._SILENT.format(lexer.checkpoint_id or lexer.reason.split()[1])
    assert found["src/calc.py"].author == "Dev"
