"""An installation as users have it: the wheel in an environment of its own, its modules compiled.

An editable install starts slower (its source tree comes through a path file), and an environment full of tools makes
every start of Python slower; both would measure the wrong thing. The environment lies in ``bench/results`` and is made
again when the sources have changed.
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
    """Return the folder with the programs of the private environment; it is made or brought up to date first."""
    venv = RESULTS / f"venv-{sys.version_info.major}.{sys.version_info.minor}"
    stamp = venv / "sources"
    wanted = _digest()
    if stamp.exists() and stamp.read_text() == wanted:
        return venv / "bin"
    print("installing the wheel into", venv.relative_to(ROOT), file=sys.stderr)
    if not (venv / "bin" / "python").exists():
        shutil.rmtree(venv, ignore_errors=True)
        _run(sys.executable, "-m", "venv", "--without-pip", str(venv))
    with tempfile.TemporaryDirectory() as folder:
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")
        # From a copy: building leaves nothing in the sources, and nobody edits it meanwhile.
        copy = Path(folder, "sources")
        for name in ("src", "pyproject.toml", "README.md", "LICENSE"):
            _copy(ROOT / name, copy / name)
        _run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, str(copy))
        wheel = str(next(Path(folder).glob("*.whl")))
        into = ("--python", str(venv / "bin" / "python"), "install", "-c", str(ROOT / "constraints.txt"))
        _run(*pip, *into, wheel)
        _run(*pip, *into, "--no-deps", "--force-reinstall", wheel)  # the same version with other content
    stamp.write_text(wanted)
    return venv / "bin"


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    else:
        shutil.copy2(source, target)


def _digest() -> str:
    """Return a hash over everything that goes into the wheel."""
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted([*(ROOT / "src").rglob("*"), ROOT / "pyproject.toml", ROOT / "constraints.txt"]):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _run(*argv: str) -> None:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(argv, check=True, env=env)
