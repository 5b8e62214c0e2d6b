"""Runs promises over rigs as tests."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from entire.agents.directory import AgentDirectory
from entire.testing.promises.table import PROMISES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from entire.testing.promises.promise import Promise
    from entire.testing.promises.rig import Rig

_INHERITED = ("PATH", "TMPDIR", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "VIRTUAL_ENV", "CI")
_INHERITED_PREFIXES = ("PYTEST_", "COV_", "COVERAGE_")
_GIT_CONFIG = """\
[user]
    name = Ada Tester
    email = ada@example.com
[init]
    defaultBranch = main
[commit]
    gpgSign = false
[gc]
    auto = 0
[maintenance]
    auto = false
"""


def cases(*rigs: Rig) -> Callable[..., None]:
    """Return a test of every promise over every rig, to be assigned to a name that pytest collects."""
    table = [pytest.param(rig, promise, id=f"{rig.entry.name}{rig.version}-{promise.name}")
             for rig in rigs for promise in PROMISES]  # fmt: skip

    @pytest.mark.parametrize(("rig", "promise"), table)
    def test(rig: Rig, promise: Promise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        reason = promise.why_not(rig)
        if reason:
            pytest.skip(f"{rig.entry.name}, {promise.name}: {reason}")
        seal(rig, tmp_path / "home", monkeypatch)
        (tmp_path / "place").mkdir()
        promise.check(rig, tmp_path / "place")

    return test


def seal(rig: Rig, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a test a home of its own, an environment without anything personal, and the rig's agent."""
    home.mkdir()
    (home / ".gitconfig").write_text(_GIT_CONFIG)
    for name in list(os.environ):
        if name not in _INHERITED and not name.startswith(_INHERITED_PREFIXES):
            monkeypatch.delenv(name)
    for name, value in {
        "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "XDG_STATE_HOME": str(home / ".local/state"),
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"), "GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": "false",
        "GIT_TERMINAL_PROMPT": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(home)
    rig.register(monkeypatch)


def missing_rigs(rigs: Iterable[Rig]) -> list[str]:
    """Return the names of the agents in the registry that none of the rigs describes."""
    described = {rig.entry.name for rig in rigs}
    return [entry.name for entry in AgentDirectory.without_plugins().entries() if entry.name not in described]
