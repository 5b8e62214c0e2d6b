"""The promises of rigs as the cases of a test, for any test runner."""

from __future__ import annotations

import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from entire_plugin_kit.promise import PROGRAM, Noted, Skipped
from entire_plugin_kit.surroundings import sealed
from entire_plugin_kit.table import PROMISES

if TYPE_CHECKING:
    from entire_plugin_kit.promise import Promise
    from entire_plugin_kit.rig import Rig


@dataclass(frozen=True)
class Case:
    """One promise of one rig; ``str`` names it."""

    rig: Rig
    promise: Promise

    def __str__(self) -> str:
        return f"{self.rig.entry.name}{self.rig.version}-{self.promise.name}"

    def run(self) -> None:
        """Ask for the promise. Raises AssertionError if it is broken, unittest.SkipTest if it cannot be asked for."""
        try:
            ask(self.promise, self.rig)
        except Skipped as skipped:
            raise unittest.SkipTest(f"{self.rig.entry.name}, {self.promise.name}: {skipped}") from None
        except Noted:
            pass


def cases(*rigs: Rig) -> list[Case]:
    """Return every promise of adapters and of the framework, for every rig."""
    return [Case(rig, promise) for rig in rigs for promise in PROMISES if promise.by != PROGRAM]


def ask(promise: Promise, rig: Rig) -> None:
    """Ask a rig for a promise, in a home of its own. Raises Skipped where it cannot be asked for, Noted for a remark,
    and anything else if it is broken.
    """
    if reason := why_not(promise, rig):
        raise Skipped(reason)
    with tempfile.TemporaryDirectory(prefix="entire-promise-", ignore_cleanup_errors=True) as folder:
        base = Path(folder).resolve()
        (base / "place").mkdir()
        with sealed(base / "home"), rig.known():
            promise.check(rig, base / "place")


def why_not(promise: Promise, rig: Rig) -> str:
    """Return why a rig is not asked for a promise; '' if it is."""
    if promise.name in rig.exceptions:
        return rig.exceptions[promise.name]
    missing = [rig.lack(part) for part in promise.needs if not rig.has(part)]
    return f"it has {' and '.join(missing)}" if missing else ""
