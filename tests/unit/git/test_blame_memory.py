"""Tests of ``git blame`` as a program: its environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.git import blame


@pytest.fixture
def seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a git on PATH that writes down its environment, and return where."""
    program, found = tmp_path / "git", tmp_path / "environment"
    program.write_text(f'#!/bin/sh\n/usr/bin/env >"{found}"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return found


def test_it_keeps_its_memory(seen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    assert blame.of(".", (), "a.py").groups == ()
    found = seen.read_text().splitlines()
    assert "GLIBC_TUNABLES=glibc.malloc.hugetlb=1" in found
    assert any(line.startswith("MALLOC_MMAP_THRESHOLD_=") for line in found)
    assert "GIT_OPTIONAL_LOCKS=0" in found


def test_what_a_person_set_counts(seen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.check=0")
    assert blame.run_as_asked(".", ["--porcelain", "a.py"]) == b""
    assert "GLIBC_TUNABLES=glibc.malloc.check=0" in seen.read_text().splitlines()
