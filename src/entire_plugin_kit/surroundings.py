"""A home and an environment of its own for a promise that is asked in this process."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


@contextmanager
def sealed(home: Path) -> Iterator[None]:
    """Be in a new home, with an environment without anything personal; then as before."""
    home.mkdir(parents=True)
    (home / ".gitconfig").write_text(_GIT_CONFIG)
    before, here = dict(os.environ), os.getcwd()
    kept = {name: value for name, value in before.items() if name in _INHERITED or name.startswith(_INHERITED_PREFIXES)}
    try:
        _set({**kept, **_own(home)})
        os.chdir(home)
        yield
    finally:
        os.chdir(here)
        _set(before)


def _set(variables: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(variables)


def _own(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_EDITOR": "false",
        "GIT_TERMINAL_PROMPT": "0",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
    }
