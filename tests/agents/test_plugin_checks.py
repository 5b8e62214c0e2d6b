"""Each of our plugins passes `entire plugin check`: the built-in agents served, the demo plugin, the templates."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from entire.agents.registry import BUILTIN
from entire.testing import compliance
from entire.testing.compliance import Options, Status, fixtures
from entire.testing.compliance.table import GROUPS
from tests import served
from tests.unit.testing.plugin_faults import SMALL

DEMO = "entire-agent-demo-plugin"


def templates(*flags: str) -> Path:
    """Return the template of a plugin, written as an author does."""
    folder = Path.cwd() / "new"
    words = [sys.executable, "-m", "entire", "plugin", "new", "parrot", "--into", str(folder), *flags]
    subprocess.run(words, check=True, capture_output=True)
    return folder / "entire-agent-parrot"


def find(name: str) -> Path:
    """Return the executable of a plugin of ours."""
    if name in BUILTIN:
        return Path(served.executable(name))
    if name == DEMO:
        return Path(sys.executable).with_name(DEMO)
    return templates(*name.split()[1:])


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("name", [*BUILTIN, DEMO, "template", "template --shell"])
def test_our_plugins_pass_every_check(name: str, group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")  # templates start `entire`
    path = find(name)
    captured = path.parent / "fixtures"
    options = Options(only=(group,), limits=SMALL, fixtures=fixtures.load(captured) if captured.is_dir() else None)
    failed = [result for result in compliance.run(str(path), options) if result.status is Status.FAILED]
    assert failed == []
