"""Installs the wheel as users have it, in its own environment with compiled modules.

An editable install starts more slowly (a path file adds its source tree), and so does Python in an environment full of
tools; both would distort the figures. The environment is in ``bench/results`` and is rebuilt when the sources change.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"


def private() -> Path:
    """Create or update the private environment; return the folder with its programs."""
    venv = RESULTS / f"venv-{sys.version_info.major}.{sys.version_info.minor}"
    stamp = venv / "sources"
    digest = _digest()
    if stamp.exists() and stamp.read_text() == digest:
        return venv / "bin"
    print("installing the wheel into", venv.relative_to(ROOT), file=sys.stderr)
    if not (venv / "bin" / "python").exists():
        shutil.rmtree(venv, ignore_errors=True)
        _run(sys.executable, "-m", "venv", "--without-pip", str(venv))
    with tempfile.TemporaryDirectory() as folder:
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")
        # Built from a copy, which stays unchanged meanwhile; the build leaves no files in the source tree.
        copy = Path(folder, "sources")
        for name in ("src", "pyproject.toml", "README.md", "LICENSE"):
            _copy(ROOT / name, copy / name)
        _run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, str(copy))
        wheel = str(next(Path(folder).glob("*.whl")))
        into = ("--python", str(venv / "bin" / "python"), "install", "-c", str(ROOT / "constraints.txt"))
        _run(*pip, *into, wheel)
        _run(*pip, *into, "--no-deps", "--force-reinstall", wheel)  # the same version with other content
    stamp.write_text(digest)
    return venv / "bin"


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    else:
        shutil.copy2(source, target)


def _digest() -> str:
    """Hash everything that goes into the wheel."""
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted([*(ROOT / "src").rglob("*"), ROOT / "pyproject.toml", ROOT / "constraints.txt"]):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _run(*argv: str) -> None:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(argv, check=True, env=env)
