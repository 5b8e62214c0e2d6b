"""Where things are in the source tree, for the tests of this folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "entire"
BESIDE = (SOURCE / "entire_secrets",)
"""Packages beside the product that hooks load."""
_SKIPPED = {".venv", ".git", ".cache", "node_modules", "__pycache__", "build", "dist"}


def module_name(path: Path) -> str:
    """Return the dotted name of a source file."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def place_of(path: Path) -> Path:
    """Return where a source file is: below ``entire``, or with the name of a package beside it."""
    return path.relative_to(PACKAGE if PACKAGE in path.parents else SOURCE)


def source_files() -> list[Path]:
    """Return every module of the packages; what is in a folder without ``__init__.py`` is data."""
    found = (path for package in (PACKAGE, *BESIDE) for path in package.rglob("*.py"))
    return sorted(path for path in found if (path.parent / "__init__.py").exists())


def project_files() -> list[Path]:
    """Return every file that belongs to the project: what git knows or would add, else all but what tools make."""
    command = ["git", "-c", "safe.directory=*", "-C", str(ROOT), "ls-files", "-coz", "--exclude-standard"]
    if (ROOT / ".git").exists():
        listed = subprocess.run(command, capture_output=True, check=True).stdout
        paths = [ROOT / os.fsdecode(name) for name in listed.split(b"\0") if name]
        return sorted(path for path in paths if path.is_file() and not path.is_symlink())
    found: list[Path] = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in _SKIPPED and not name.endswith("_cache")]
        found.extend(Path(folder, name) for name in names)
    return sorted(found)
