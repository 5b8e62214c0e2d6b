"""What is wrong with own rules is found where it is asked for, without a configuration in memory."""

from __future__ import annotations

import os
from pathlib import Path

from entire.layout import Place
from entire.recording import redact_problems


def place(tmp_path: Path) -> Place:
    (tmp_path / ".entire").mkdir()
    return Place(top=str(tmp_path), git_dir=str(tmp_path / ".git"), common_dir=str(tmp_path / ".git"))


def test_without_a_file_nothing_is_wrong(tmp_path: Path) -> None:
    assert redact_problems.find(place(tmp_path)) == ()


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    here = place(tmp_path)
    Path(here.redact_config).write_text('[allow]\nrules = ["jwt"]\n')
    assert redact_problems.find(here) == ()
    Path(here.redact_config).write_text("allow = 1\n")
    (problem,) = redact_problems.find(here)
    assert "[allow]" in problem


def test_a_link_that_leads_nowhere_is_a_problem(tmp_path: Path) -> None:
    here = place(tmp_path)
    os.symlink(tmp_path / "none", here.redact_config)
    assert len(redact_problems.find(here)) == 1
