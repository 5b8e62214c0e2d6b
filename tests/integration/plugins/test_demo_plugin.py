"""The demo agent by its plugin, from nothing: allowed, enabled, recorded, explained, and both adapters side by side.

That its sessions are rewound, undone and resumed elsewhere is shown in ``test_demo_rewind``.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from entire.agents.demo.agent import Demo
from entire.model.health import HookStatus
from entire_demo_plugin import DemoPlugin
from tests.integration.rewind.test_demo_rewind import SESSION, Desk

NAME, TYPE = "demo-plugin", "Demo Agent (plugin)"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path / "home", tmp_path / "project", NAME)
    made.begin()
    return made


def commands(root: Path) -> set[str]:
    """Return the second and third word of every hook command in the agent's settings."""
    settings = json.loads((root / ".demo-agent" / "settings.json").read_text())
    return {" ".join(entry["command"].split()[:3]) for entries in settings["hooks"].values() for entry in entries}


def test_it_does_not_run_before_it_is_allowed(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "home", tmp_path / "project")
    desk.begin()
    done = subprocess.run(["entire", "enable", "--agent", NAME], cwd=desk.root, env=desk.env, capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert done.returncode == 2
    assert f"{desk.home}/bin/entire-agent-demo-plugin" in done.stderr
    assert "`entire plugin allow demo-plugin`" in done.stderr
    assert commands(desk.root) == {"entire hooks demo"}


def test_the_whole_story(desk: Desk) -> None:
    assert commands(desk.root) == {f"entire hooks {NAME}"}
    first = 'create a file a.txt with one then ask a helper to "create h.txt with x"'
    desk.ask(first, resume=False)
    desk.commit("Add a and h")
    slot = desk.slot()
    assert (slot["agent"], slot["prompts"], slot["files_touched"]) == (TYPE, [first], ["a.txt", "h.txt"])
    assert slot["spent"] == desk.spent(first)
    assert slot["initial_attribution"]["agent_percentage"] == 100

    second = 'append two to a.txt then run git commit -qam "In the turn" then create a file b.txt with b'
    desk.ask(second)
    in_turn = desk.slot()
    assert (in_turn["prompts"], in_turn["files_touched"]) == ([first, second], ["a.txt"])
    desk.commit("Add b")
    assert in_turn["spent"] + desk.slot()["spent"] == desk.spent(second)
    assert desk.slot()["files_touched"] == ["b.txt"]

    told = desk.run("entire", "explain", "--commit", "HEAD~1", "--no-pager")
    assert f"({TYPE})" in told
    assert second in told
    (session,) = desk.json("status")["sessions"]
    assert (session["agent"], session["session_id"]) == (TYPE, SESSION)
    assert "No problems found" in desk.run("entire", "doctor")
    assert desk.log_errors() == []


def test_a_helpers_tokens_count_with_the_commit_of_its_turn(desk: Desk) -> None:
    """The commit must not start the plugin: it counts what the turn's end recorded."""
    helping, more = 'ask a helper to "create h.txt with x"', "create a file a.txt with one"
    desk.ask(helping, resume=False)
    desk.ask("remember this")
    desk.commit("Help")
    desk.ask(more)
    desk.commit("Add a")
    in_turn = 'ask a helper to "create i.txt with y" then run git add . && git commit -qm "In the turn"'
    desk.ask(in_turn)
    inner = [desk.slot(commit)["token_usage"].get("subagent_tokens") for commit in ("HEAD~2", "HEAD~1", "HEAD")]
    assert [usage and usage["output_tokens"] for usage in inner] == [
        used_by_helper(desk, 0),
        None,
        used_by_helper(desk, 1),
    ]
    assert desk.slot("HEAD~2")["spent"] == desk.spent(helping, "remember this")


def used_by_helper(desk: Desk, number: int) -> int:
    """Return the output tokens of a helper, in the order of their work, by its own file."""
    paths = sorted(desk.transcript().with_suffix("").glob("helpers/*.jsonl"), key=lambda path: path.stat().st_mtime)
    answers = [json.loads(line) for line in paths[number].read_bytes().splitlines()]
    return sum(one["usage"]["output"] for one in answers if one["type"] == "answer")


def test_it_is_started_in_a_folder_of_the_repository(desk: Desk) -> None:
    """Its sessions are then in another folder than those that are started at the top."""
    folder = desk.root / "sub"
    folder.mkdir()
    asked = 'create a file a.txt with one then ask a helper to "create h.txt with x"'
    subprocess.run([str(desk.program), "-p", asked, "--session-id", SESSION], cwd=folder, env=desk.env, check=True)
    desk.rewind("--before-last-prompt")
    assert desk.files() == {"README.md": "start\n"}
    desk.rewind("--undo")
    assert desk.prompts() == [asked]
    desk.commit("Add a")
    slot = desk.slot()
    assert (slot["spent"], slot["files_touched"]) == (desk.spent(asked), ["sub/a.txt", "sub/h.txt"])
    assert desk.log_errors() == []
    assert "No problems found" in desk.run("entire", "doctor")


def test_both_adapters_share_the_settings(desk: Desk) -> None:
    desk.run("entire", "enable", "--agent", "demo")
    assert commands(desk.root) == {"entire hooks demo", f"entire hooks {NAME}"}
    adapters: list[Any] = [Demo(), DemoPlugin()]
    for adapter in adapters:
        assert adapter.hooks_health(str(desk.root), "project").status is HookStatus.INSTALLED
        assert adapter.install_hooks(str(desk.root), "project", force=False) == 0
    assert Demo().uninstall_hooks(str(desk.root), "project") == 7
    assert commands(desk.root) == {f"entire hooks {NAME}"}
    assert Demo().hooks_health(str(desk.root), "project").status is HookStatus.MISSING
    assert DemoPlugin().detect(str(desk.root))


def test_it_is_removed_without_a_trace(desk: Desk) -> None:
    desk.run("entire", "disable", "--uninstall", "--force")
    assert not (desk.root / ".demo-agent" / "settings.json").exists()
    assert not DemoPlugin().detect(str(desk.root))
