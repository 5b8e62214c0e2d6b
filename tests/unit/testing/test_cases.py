"""A package runs the promises over its agent with a test file of three lines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from entire.testing.promises.table import PROMISES

RIG = """
from entire.agents.registry import AgentEntry
from entire.agents.stand_in import StandIn
from entire.testing.promises import Rig

class Parrot(StandIn):
    def __init__(self, *, metadata):
        super().__init__("parrot", "Parrot", grows_by_lines=False)
        self.metadata = metadata

class ParrotRig(Rig):
    entry = AgentEntry(name="parrot", type="Parrot", target="parrot_rig:Parrot")
    exceptions = {"events": "it has no hooks"}

PARROT = ParrotRig()
"""
THREE_LINES = """\
from entire.testing import promises
from parrot_rig import PARROT
test_promises = promises.cases(PARROT)
"""


def run(folder: Path, rig: str) -> tuple[int, str]:
    (folder / "parrot_rig.py").write_text(rig)
    (folder / "test_promises.py").write_text(THREE_LINES)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "test_promises.py"],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_three_lines_are_enough(tmp_path: Path) -> None:
    status, said = run(tmp_path, RIG)
    assert status == 0, said
    for promise in PROMISES:
        if "player" in promise.needs:
            assert f"parrot, {promise.name}: it has no player" in said
    assert "parrot, events: it has no hooks" in said


def test_a_broken_promise_fails_with_what_was_compared(tmp_path: Path) -> None:
    status, said = run(tmp_path, RIG.replace('super().__init__("parrot"', 'super().__init__("other"'))
    assert status == 1
    assert "test_promises[parrot-identity]" in said
    assert "('other', 'Parrot') == ('parrot', 'Parrot')" in said
