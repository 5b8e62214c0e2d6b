"""No pattern of a rule tries without end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LONGEST = 120
"""Seconds after which a pattern is taken to be without end: all of them take eight."""


def test_no_text_makes_a_rule_slow() -> None:
    command = [sys.executable, "-m", "tests.unit.entire_secrets.worst_cases"]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[3], timeout=LONGEST, check=True, capture_output=True, text=True
    )
    assert [line for line in done.stdout.splitlines() if " slow: " in line] == []
