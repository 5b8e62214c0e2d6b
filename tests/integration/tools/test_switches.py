"""The count of switches between modules runs on a session that did its work, and sorts calls by floors."""

from __future__ import annotations

import json
import subprocess
import sys

from bench import switches
from tests.architecture.places import ROOT

FLOORS = {"commands": 0, "lifecycle": 1, "store": 2, "git": 3, "model": 4, "errors": 5}


def test_the_program_counts_hooks_and_a_rewind_and_prints_json() -> None:
    command = [sys.executable, "-m", "bench.switches", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    rows = {row.pop("name"): row for row in json.loads(done.stdout)}
    assert list(rows) == ["stop", "prepare-commit-msg", "post-commit", "rewind"]
    for name, row in rows.items():
        assert row["modules"] > 10, name
        assert row["switches"] == row["down"] + row["level"] + row["up"], name
        assert row["up"] == sum(row["upward"].values()), name
        assert row["down"] > row["up"], name
        assert row["values"] > 0, name


def test_calls_are_sorted_by_direction() -> None:
    process = {
        "argv": ["hooks", "claude-code", "stop"],
        "modules": ["entire.cli", "entire.git.run", "entire.model.value", "entire.store.steps"],
        "calls": [
            ["entire", "entire.commands.hooks", 1],
            ["entire.store.steps", "entire.git.run", 2],
            ["entire.store.steps", "entire.store.merge", 4],
            ["entire.git.run", "entire.store.steps", 8],
            ["entire.git.run", "entire.model.value", 16],
            ["entire.model.value", "entire.turns.turn", 32],
        ],
    }
    upward = {"entire.git.run -> entire.store.steps": 8, "entire.model.value -> entire.turns.turn": 32}
    found = switches.row(process, FLOORS)
    assert found == switches.Row("stop", 4, 47, down=3, level=4, up=40, values=16, upward=upward)
    printed = switches.table([found])
    assert "stop                         4        47         3         4        40        16" in printed
    assert "  stop: entire.git.run -> entire.store.steps (8)" in printed


def test_floors_come_from_the_import_contract() -> None:
    floors = switches.floors_of(ROOT)
    assert floors["launch"] < floors["commands"] < floors["lifecycle"] < floors["turns"] < floors["store"]
    assert floors["git"] < floors["model"] < floors["errors"]
    assert floors["store"] == floors["undo"] < floors["agents"] < floors["git"]
