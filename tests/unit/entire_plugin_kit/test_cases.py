"""A package asks its agent for the promises with a test file of a few lines, with pytest or without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from entire_plugin_kit import PROMISES
from entire_plugin_kit.promise import PROGRAM

RIG = """
from entire.plugin import AgentEntry, OpaqueTranscript, transcripts
from entire_plugin_kit import Rig

class Parrot:
    name, type, hook_names, capabilities = "parrot", "Parrot", (), ()

    def __init__(self, *, metadata):
        self.metadata = metadata

    def detect(self, root):
        return False

    def parse_hook(self, hook, payload):
        return None

    def transcript(self, session_ref, stored=None):
        return OpaqueTranscript(session_ref, stored)

    def chunk_transcript(self, transcript, max_size):
        return transcripts.chunk(transcript, max_size)

    def reassemble_transcript(self, chunks):
        return transcripts.join(chunks)

class ParrotRig(Rig):
    entry = AgentEntry(name="parrot", type="Parrot", target="parrot_rig:Parrot")
    exceptions = {"events": "it has no hooks"}

PARROT = ParrotRig()
"""
TEST = """\
import pytest
from entire_plugin_kit import cases
from parrot_rig import PARROT

@pytest.mark.parametrize("case", cases(PARROT), ids=str)
def test_promises(case):
    case.run()
"""


def run(folder: Path, rig: str) -> tuple[int, str]:
    (folder / "parrot_rig.py").write_text(rig)
    (folder / "test_promises.py").write_text(TEST)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "test_promises.py"],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_a_few_lines_are_enough(tmp_path: Path) -> None:
    status, said = run(tmp_path, RIG)
    assert status == 0, said
    for promise in PROMISES:
        if promise.by != PROGRAM and "player" in promise.needs:
            assert f"parrot, {promise.name}: it has no player" in said
    assert "parrot, events: it has no hooks" in said


def test_a_broken_promise_fails_with_what_was_compared(tmp_path: Path) -> None:
    status, said = run(tmp_path, RIG.replace('capabilities = "parrot"', 'capabilities = "other"'))
    assert status == 1
    assert "test_promises[parrot-declarations]" in said
    assert "('other', 'Parrot') == ('parrot', 'Parrot')" in said


def test_without_hypothesis_only_what_invents_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "parrot_rig.py").write_text(RIG)
    script = """
import sys, unittest
sys.modules["hypothesis"] = sys.modules["pytest"] = None
import importlib.util
importlib.util.find_spec = lambda name, find=importlib.util.find_spec: None if name == "hypothesis" else find(name)
from entire_plugin_kit import cases
from parrot_rig import PARROT
for case in cases(PARROT):
    try:
        case.run()
    except unittest.SkipTest as reason:
        if "hypothesis" in str(reason):
            print(case.promise.name)
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.split()) == {promise.name for promise in PROMISES if "hypothesis" in promise.needs}
