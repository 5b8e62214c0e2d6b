"""Each of our plugins passes `entire plugin check`: the built-in agents served; for the demo agent, its plugin.

The templates do in tests/integration/plugins/test_plugin_story.py.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from entire.agents.registry import BUILTIN, EXAMPLE
from entire_plugin_kit import PROMISES, suite
from entire_plugin_kit.promise import PROGRAM, Status
from entire_plugin_kit.suite import Options
from tests import forks, served
from tests.unit.entire_plugin_kit.plugin_faults import SMALL

DEMO = "entire-agent-demo-plugin"
OF_PROGRAMS = [promise for promise in PROMISES if promise.by == PROGRAM]
OF_THE_SDK = {
    "all-or-nothing", "broken-input", "closed-output", "no-input", "other-versions", "parallel", "short-errors",
    "unknown-options", "unknown-subcommand", "unread-input",
    "nonsense-hook-calls",
}  # fmt: skip
"""What `entire.plugin` sees to, whatever the agent is: the demo plugin shows it. Adapters have no say in it."""


WITHOUT_FILES = {"opencode": {"extensions", "large", "processes", "sessions", "surroundings", "transcripts"}}
"""The groups that write transcripts as files, which are not asked of agents that keep sessions in a database."""


def pretend_to_generate(folder: Path) -> Path:
    """Return a folder with a program that answers as Claude Code's does when it prints."""
    folder.mkdir()
    program = folder / "claude"
    program.write_text("""#!/bin/sh\ncat >/dev/null; echo '{"is_error": false, "result": "hi"}'\n""")
    program.chmod(0o755)
    return folder


def find(name: str, folder: Path) -> Path:
    """Return the executable of a plugin of ours; the demo plugin's own is tried in tests/integration."""
    if name in BUILTIN:
        return Path(served.executable(name))
    forks.write(folder / DEMO, forks.call("entire_demo_plugin"))
    return folder / DEMO


@pytest.mark.parametrize(
    ("name", "group"),
    [
        (name, group)
        for name in (*(name for name in BUILTIN if name != EXAMPLE), DEMO)
        for group in dict.fromkeys(promise.group for promise in OF_PROGRAMS)
        if group not in WITHOUT_FILES.get(name, ())
    ],
)
def test_our_plugins_pass_every_check(name: str, group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{pretend_to_generate(tmp_path / 'programs')}:{os.environ['PATH']}")
    left_out = set() if name == DEMO else OF_THE_SDK
    names = {promise.name for promise in OF_PROGRAMS if promise.group == group} - left_out
    options = Options(only=tuple(names), limits=SMALL)
    results = suite.run(str(find(name, tmp_path / "programs")), options)
    assert [result for result in results if result.status is Status.FAILED] == []
