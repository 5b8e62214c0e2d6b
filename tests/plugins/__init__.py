"""Plugins for tests, as executables in a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import entire
from tests import forks

_VERSION_ONE = f"""\
import sys
sys.path += {[str(Path(__file__).parent), str(Path(entire.__file__).parents[1])]!r}
import version_one
"""
"""Imports the plugin instead of holding it: a module is compiled once, a script whenever it is called."""


def version_one(folder: Path, name: str = "one", **config: Any) -> Path:
    """Write the plugin of ``version_one.py`` to a folder; ``config`` is its configuration. Return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"entire-agent-{name}"
    forks.write(path, _VERSION_ONE)
    configure(path, **config)
    return path


def demo(folder: Path) -> Path:
    """Write the plugin of the demo agent to a folder, as its user does who wants to try it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "entire-agent-demo-plugin"
    forks.write(path, forks.call("entire_demo_plugin"))
    return path


def shell(folder: Path, name: str, script: str) -> Path:
    """Write a plugin in shell; the script handles ``$1``."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"entire-agent-{name}"
    path.write_text(f"#!/bin/sh\n{script}")
    path.chmod(0o755)
    return path


def configure(plugin: Path, **config: Any) -> None:
    """Change how the plugin behaves from now on."""
    Path(f"{plugin}.json").write_text(json.dumps(config))


def calls(plugin: Path) -> list[list[str]]:
    """Return the calls of the plugin so far."""
    record = Path(f"{plugin}.calls")
    return [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []


def asked(plugin: Path) -> list[str]:
    """Return the subcommands that the plugin was called with since the last time, in order."""
    found = [words[0] for words in calls(plugin)]
    Path(f"{plugin}.calls").unlink(missing_ok=True)
    return found


def questions(plugin: Path) -> list[dict[str, Any]]:
    """Return the questions of ``entire-ask`` so far."""
    record = Path(f"{plugin}.asked")
    return [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
