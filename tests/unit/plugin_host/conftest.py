"""A private PATH with plugins as scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.unit.plugin_host.world import World

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Return a function that writes the executable of a plugin into a folder below ``tmp_path``."""

    def write(name: str, folder: str = "bin", *, content: str = "#!/bin/sh\n", mode: int = 0o755) -> Path:
        path = tmp_path / folder / f"entire-agent-{name}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        path.chmod(mode)
        return path

    return write


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Return a repository with a session folder, in a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    made = World(tmp_path)
    yield made
    made.close()
