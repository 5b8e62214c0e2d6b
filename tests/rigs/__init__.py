"""A rig for each built-in agent, and for one that has nothing but the contract."""

from __future__ import annotations

import importlib
from pathlib import Path

from entire_plugin_kit import Rig


def every() -> list[Rig]:
    """Return the rigs of this folder: each module has one, called ``RIG``."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    return [importlib.import_module(f"tests.rigs.{name}").RIG for name in names]
