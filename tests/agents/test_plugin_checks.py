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


def pretend_to_generate(folder: Path) -> Path:
    """Return a folder with a program that answers as Claude Code's does when it prints."""
    folder.mkdir()
    program = folder / "claude"
    program.write_text("""#!/bin/sh\ncat >/dev/null; echo '{"is_error": false, "result": "hi"}'\n""")
    program.chmod(0o755)
    return folder


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
    programs = f"{pretend_to_generate(tmp_path / 'programs')}:{Path(sys.executable).parent}"  # templates start `entire`
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    path = find(name)
    captured = path.parent / "fixtures"
    options = Options(only=(group,), limits=SMALL, fixtures=fixtures.load(captured) if captured.is_dir() else None)
    failed = [result for result in compliance.run(str(path), options) if result.status is Status.FAILED]
    assert failed == []
