"""``python -m entire`` ends at once, but not before everything is printed and cleaned up."""

from __future__ import annotations

import subprocess
import sys

import pytest

from entire import __main__

PROGRAM = """
import atexit, sys
import {module} as program
{setup}
program._end({status})
"""


def ended(status: int, setup: str) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(module=__main__.__name__, status=status, setup=setup)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("status", [0, 1, 130])
def test_the_status_is_the_commands(status: int) -> None:
    assert ended(status, "").returncode == status


def test_all_output_is_printed() -> None:
    done = ended(0, "sys.stdout.write('x' * 300_000); sys.stderr.write('problem')")
    assert (len(done.stdout), done.stderr) == (300_000, "problem")


def test_what_is_due_at_the_end_is_done() -> None:
    assert ended(0, "atexit.register(print, 'cleaned up')").stdout == "cleaned up\n"


@pytest.mark.parametrize("setup", ["sys.stdout.close()", "sys.stdout = None", "import os; os.close(1); print('x')"])
def test_output_that_nobody_reads_is_no_error(setup: str) -> None:
    done = ended(0, setup)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_command_runs() -> None:
    done = subprocess.run([sys.executable, "-m", "entire", "version"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout
    done = subprocess.run([sys.executable, "-m", "entire", "nonsense"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr
