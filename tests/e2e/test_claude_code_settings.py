"""The switch that the real Claude Code has for hooks, in each of its settings files, and how the adapter reads it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from entire.agents.claude_code.agent import ClaudeCode
from entire.model.health import HookStatus
from stories import writing

if TYPE_CHECKING:
    from conftest import World

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(
    ("user", "project", "local", "is_off"),
    [
        (None, None, None, False),
        (True, None, None, True),
        (True, False, None, False),
        (False, True, None, True),
        (None, True, False, False),
        (None, False, True, True),
    ],
)
def test_hooks_that_are_switched_off(
    world: World, user: bool | None, project: bool | None, local: bool | None, is_off: bool
) -> None:
    world.enable()
    folder = world.repo.path / ".claude"
    paths = (world.claude.home / ".claude/settings.json", folder / "settings.json", folder / "settings.local.json")
    for path, switch in zip(paths, (user, project, local), strict=True):
        if switch is not None:
            value = json.loads(path.read_text()) if path.exists() else {}
            path.write_text(json.dumps(value | {"disableAllHooks": switch}))
    world.server.script.add(writing(world, "add hello", "src/hello.py", "x = 1\n", 0))
    run = world.claude.headless("add hello", world.repo.path)
    assert (run.status, bool(world.claude.events("Stop"))) == (0, not is_off)
    health = ClaudeCode(env=world.claude.environment).hooks_health(str(world.repo.path), "project")
    assert (health.status is HookStatus.DISABLED) is is_off
    assert not is_off or health.detail.startswith("remove `disableAllHooks` from ")
