"""A private PATH with plugins as scripts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

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
