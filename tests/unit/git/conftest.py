"""What the tests of the git room share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.git.repo import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")
