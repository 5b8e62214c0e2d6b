"""Where users meet plugins: enable, disable, status, doctor, rewind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from entire import layout
from entire.directory import AgentDirectory
from entire.maintenance import plugins as maintenance
from entire.plugin_host.plugins import PluginInventory
from tests.integration.pluginworld import SCRIPT, PluginWorld


@pytest.fixture
def world(tmp_path: Path) -> PluginWorld:
    return PluginWorld(tmp_path)


def allowed(world: PluginWorld, script: str = SCRIPT, **info: Any) -> Path:
    """Install a plugin that may run."""
    path = world.install(script=script, **info)
    world.ok("plugin", "allow", "x")
    return path


def replaced(answer: str, other: str) -> str:
    """Return the script with another answer to a subcommand."""
    assert f"\n{answer})" in SCRIPT
    return SCRIPT.replace(f"\n{answer})", f"\n{answer}) {other} ;;\nnever)")


def hooks_of(world: PluginWorld, agent: str = "Agent x") -> list[dict[str, Any]]:
    return [hooks for hooks in world.json("status")["hooks"] if hooks["name"] == agent]


def test_enable_says_what_the_plugin_did(world: PluginWorld) -> None:
    path = allowed(world)
    lines = world.ok("enable", "--agent", "x").splitlines()
    assert lines[0] == f"Agent x: 2 hooks installed by the plugin {path}"
    assert lines[-1] == "Ready. Work with Agent x and commit as before."
    (hooks,) = hooks_of(world)
    assert (hooks["is_installed"], hooks["where"]) == (True, str(path))
    world.ok("doctor")
    assert "Agent x  installed" in world.ok("status")


def test_enable_passes_force_on(world: PluginWorld) -> None:
    allowed(world)
    world.calls()
    world.ok("enable", "--agent", "x", "--force")
    assert "install-hooks --force" in world.calls()


def test_a_plugin_knows_no_hooks_of_the_user(world: PluginWorld) -> None:
    allowed(world)
    assert world.entire("enable", "--agent", "x", "--user") == 2
    assert world.err == "entire: the plugin x installs hooks in a repository only\nhint: leave out --user\n"
    assert not (world.repo / ".entire").exists()


def test_sessions_of_a_plugin_without_hooks_are_not_recorded(world: PluginWorld) -> None:
    allowed(world, capabilities={}, hook_names=[])
    said = world.ok("enable", "--agent", "x")
    assert "Agent x: its plugin declares no hooks\n" in said
    assert said.endswith(
        "Sessions of Agent x are not recorded until you do this:\n"
        "  update the plugin: without the capability `hooks`, nothing is recorded\n"
    )


def test_enable_says_which_plugin_did_not_tell_whether_its_agent_is_there(world: PluginWorld) -> None:
    allowed(world, replaced("detect", "echo 'no display' >&2; exit 4"))
    assert "Claude Code: " in world.ok("enable")
    assert world.err == (
        "the plugin x failed: `entire-agent-x detect` failed with status 4: no display: run `entire plugin check x`\n"
    )


def test_a_plugin_that_refuses_leaves_no_hooks_of_another_agent(world: PluginWorld) -> None:
    allowed(world, replaced("install-hooks", "exit 7"))
    assert world.entire("enable", "--agent", "claude-code", "--agent", "x") == 1
    assert world.git("status", "--porcelain") == ""
    allowed(world)
    lines = world.ok("enable", "--agent", "claude-code", "--agent", "x").splitlines()
    assert [line.split(":")[0] for line in lines if line[0] != " "][:2] == ["Claude Code", "Agent x"]


@pytest.mark.parametrize("info", ["echo broken", "echo 'no license' >&2; exit 3"])
def test_a_plugin_that_may_run_but_cannot_is_reported(world: PluginWorld, info: str) -> None:
    """Also if it is not used in this repository: nothing is left out silently."""
    world.install(script=replaced("info", info))
    world.ok("enable", "--agent", "claude-code")
    assert world.warnings() == []
    world.switch()
    (warning,) = world.warnings()
    assert "x" in warning
    assert "info`" in warning
    assert world.entire("doctor") == 1
    assert "1 problem." in world.out
    world.ok("plugin", "deny", "x")
    assert world.warnings() == []
    world.ok("doctor")


def test_hooks_of_a_plugin_that_cannot_run_are_not_said_to_be_missing(world: PluginWorld) -> None:
    path = allowed(world)
    world.ok("enable", "--agent", "x")
    path.write_text(path.read_text() + "# other\n")
    assert world.entire("doctor") == 1
    assert "1 problem." in world.out
    assert "no agent hooks" not in world.ok("status")
    world.ok("plugin", "deny", "x")
    assert "no agent hooks are installed: run `entire enable`" in world.ok("status")


def test_hooks_that_cannot_be_installed(world: PluginWorld) -> None:
    allowed(world, replaced("install-hooks", "echo 'no room' >&2; exit 7"))
    assert world.entire("enable", "--agent", "x") == 1
    assert "`entire-agent-x install-hooks` failed with status 7" in world.err
    assert "no room" in world.err
    assert not (world.repo / ".entire" / "settings.json").exists()
    assert hooks_of(world) == []


def test_hooks_that_cannot_be_checked_are_unknown(world: PluginWorld) -> None:
    allowed(
        world, replaced("are-hooks-installed", 'if [ -e "$HOME/ill" ]; then exit 5; fi; echo \'{{"installed": true}}\'')
    )
    world.ok("enable", "--agent", "x")
    (world.home / "ill").touch()
    (hooks,) = hooks_of(world)
    assert (hooks["is_installed"], hooks["status"], hooks["problem"]) == (False, "unknown", "hooks cannot be checked")
    assert world.entire("doctor") == 1
    assert "agent hooks: Agent x: hooks of the plugin" in world.out
    assert "cannot be checked" in world.out
    assert "`entire-agent-x are-hooks-installed` failed with status 5" in world.out


def test_a_plugin_that_is_not_used_here_is_not_shown(world: PluginWorld) -> None:
    allowed(world, replaced("are-hooks-installed", "exit 5"))
    world.ok("enable", "--agent", "claude-code")
    assert hooks_of(world) == []
    world.ok("doctor")


def test_uninstall_lets_the_plugin_remove_its_hooks(world: PluginWorld) -> None:
    path = allowed(world)
    world.ok("enable", "--agent", "x")
    assert (world.repo / ".agent" / "hooks").exists()
    world.calls()
    assert f"Agent x: hooks of the plugin {path} (project)" in world.ok("disable", "--uninstall", "--force")
    assert "uninstall-hooks" in world.calls()
    assert not (world.repo / ".agent").exists()
    assert world.git("status", "--porcelain") == ""


def test_uninstall_leaves_plugins_alone_that_have_no_hooks_here(world: PluginWorld) -> None:
    allowed(world)
    world.ok("enable", "--agent", "claude-code")
    world.calls()
    world.ok("disable", "--uninstall", "--force")
    assert "uninstall-hooks" not in world.calls()


def test_hooks_that_a_plugin_cannot_remove(world: PluginWorld) -> None:
    """Everything else is removed; the plugin's words are shown as they are, and what to do by hand."""
    path = allowed(world, replaced("uninstall-hooks", "printf 'first: no\\nsecond  line\\n' >&2; exit 3"))
    world.ok("enable", "--agent", "x")
    assert world.entire("disable", "--uninstall", "--force") == 1
    assert "\nfirst: no\nsecond  line\n" in world.err
    assert f"{path} uninstall-hooks" in world.err
    assert "Entire is disabled here." in world.out
    assert not (world.repo / ".entire").exists()
    assert not (world.repo / ".git" / "hooks" / "post-commit").exists()
    assert (world.repo / ".agent" / "hooks").exists()


@pytest.mark.parametrize("how", ["gone", "changed", "denied"])
def test_hooks_of_a_plugin_that_may_not_run_stay(world: PluginWorld, how: str) -> None:
    path = allowed(world)
    world.ok("enable", "--agent", "x")
    if how == "gone":
        path.unlink()
    elif how == "changed":
        world.install(description="other")
    else:
        world.ok("plugin", "deny", "x")
    world.calls()
    assert world.entire("disable", "--uninstall", "--force") == 1
    assert "the hooks of x could not be removed" in world.err
    assert "entire-agent-x uninstall-hooks" in world.err
    assert not (world.repo / ".entire").exists()
    assert world.calls() == []


def test_choosing_a_plugin_on_a_terminal_allows_it(world: PluginWorld) -> None:
    path = world.install()
    world.env["ACCESSIBLE"] = "1"
    assert world.entire("enable", given="x\nn\n") == 0
    assert f"a plugin that may not run yet; choosing it allows {path}" in world.err
    assert "Agent x: 2 hooks installed" in world.out
    assert world.states() == {"x": "allowed"}
    assert world.entire("enable", given="claude-code\nn\n") == 0
    assert f"Agent x: hooks removed by the plugin {path}" in world.out
    assert not (world.repo / ".agent").exists()


def test_enable_works_while_it_is_not_known_which_plugins_may_run(world: PluginWorld) -> None:
    allowed(world)
    (world.home / ".config" / "entire" / "plugins.json").write_text("{")
    world.env["ACCESSIBLE"] = "1"
    assert world.entire("enable", given="claude-code\nn\n") == 0
    assert "Plugins are left out: no plugin may run" in world.err


def test_a_plugin_that_is_not_chosen_stays_forbidden(world: PluginWorld) -> None:
    world.install()
    world.env["ACCESSIBLE"] = "1"
    assert world.entire("enable", given="claude-code\nn\n") == 0
    assert (world.states(), world.calls()) == ({"x": "not allowed"}, [])


def test_allow_asks_on_a_terminal(world: PluginWorld) -> None:
    world.install()
    world.env["ACCESSIBLE"] = "1"
    assert world.entire("plugin", "allow", "x", given="n\n") == 1
    assert (world.out, world.states(), world.calls()) == ("Nothing was changed.\n", {"x": "not allowed"}, [])
    assert world.entire("plugin", "allow", "x", given="y\n") == 0
    assert world.states() == {"x": "allowed"}


def test_a_failing_hook_is_reported_once_for_its_session(world: PluginWorld) -> None:
    allowed(world, replaced("parse-hook", "echo 'cannot read it' >&2; exit 1"))
    world.ok("enable", "--agent", "x")
    for _ in range(3):
        world.hook(session="s-1")
    (warning,) = world.warnings()
    assert warning.startswith("the plugin x failed 3 times in session s-1: `entire-agent-x parse-hook`")
    assert "cannot read it" in warning
    assert world.entire("doctor") == 1
    assert world.out.count("plugins: the plugin x failed 3 times") == 1
    world.hook(session="s-2")
    (warning,) = world.warnings()
    assert warning.startswith("the plugin x failed once in session s-2")
    world.entire("doctor", "--fix", "--yes")
    assert world.warnings() == []


def test_a_payload_may_have_any_form(world: PluginWorld) -> None:
    allowed(world)
    world.ok("enable", "--agent", "x")
    world.ok("enable", "--agent", "claude-code")
    for agent, is_warned in (("x", False), ("claude-code", True)):
        assert world.entire("hooks", agent, "stop", given="<done/>") == 0
        log = world.repo / ".git" / "entire" / "logs" / "entire.log"
        assert ("not a JSON object" in (log.read_text() if log.exists() else "")) is is_warned


def directory(world: PluginWorld) -> AgentDirectory:
    return AgentDirectory(PluginInventory(layout.find(str(world.repo)), world.env, is_switched_on=lambda: False))


def test_a_failure_in_a_command_is_shown_by_it(world: PluginWorld) -> None:
    place = layout.find(str(world.repo))
    assert place is not None
    agents = directory(world)
    agents.plugins.note("x", "it broke")
    agents.plugins.note("x", "again")
    (problem,) = maintenance.find_problems(place, agents, (), now=1.0)
    assert (problem.problem, problem.hint) == ("the plugin x failed: it broke", "run `entire plugin check x`")
    assert not (world.repo / ".git" / "entire").exists(), "reading writes nothing"


def test_allowing_a_plugin_again_drops_its_report(world: PluginWorld) -> None:
    allowed(world, replaced("parse-hook", "exit 1"))
    world.ok("enable", "--agent", "x")
    world.hook()
    assert len(world.warnings()) == 1
    world.ok("plugin", "allow", "x")
    assert world.warnings() == []


def test_hooks_of_a_plugin_that_nobody_allowed_are_reported(world: PluginWorld) -> None:
    """A teammate committed them, with the agent's settings."""
    path = world.install()
    world.ok("enable", "--agent", "claude-code")
    world.hook()
    assert world.warnings() == [f"the plugin x is not allowed to run ({path}): `entire plugin allow x` lets it run"]
    world.ok("plugin", "allow", "x")
    assert world.warnings() == []


def test_one_hanging_plugin_delays_a_command_once(world: PluginWorld) -> None:
    allowed(world)
    world.ok("enable", "--agent", "x")
    world.calls()
    world.ok("status")
    assert world.calls() == ["are-hooks-installed"]
    world.ok("doctor")
    assert world.calls() == ["are-hooks-installed"]


def test_the_plugins_folder_is_protected(world: PluginWorld) -> None:
    """Also a nested one; its name alone protects nothing."""
    allowed(world, protected_dirs=[".agent", "deep/inside"])
    assert {".agent", "deep/inside"} <= directory(world).protected_dirs()
    assert ".agent" not in AgentDirectory.without_plugins().protected_dirs()
    world.ok("enable", "--agent", "x")
    (world.bin / "entire-agent-x").unlink()
    assert {".agent", "deep/inside"} <= directory(world).protected_dirs(), "the plugin is gone, its folder is not"


def test_the_json_of_the_commands(world: PluginWorld) -> None:
    path = world.install()
    found = json.loads(world.ok("plugin", "allow", "x", "--json"))
    assert found == {
        "name": "x", "path": str(path), "real_path": str(path), "state": "allowed", "is_usable": True, "problem": "",
        "type": "Agent x", "description": "for tests", "hook_names": ["start", "stop"], "capabilities": ["hooks"],
    }  # fmt: skip
    assert world.json("plugin", "list") == {"plugins": [found]}
    assert json.loads(world.ok("plugin", "deny", "x", "--json")) == {"name": "x", "state": "denied"}
    assert world.entire("plugin", "allow", "none", "--json") == 2
    assert json.loads(world.out)["error"]["message"] == "there is no plugin 'none' on PATH"


def test_a_hook_starts_nothing_where_entire_is_disabled(world: PluginWorld) -> None:
    path = allowed(world)
    world.ok("enable", "--agent", "x")
    world.ok("disable")
    (world.home / ".cache" / "entire" / "plugins" / "x.json").unlink()
    world.calls()
    world.hook()
    assert (world.calls(), path.exists()) == ([], True)


def test_a_live_session_misses_its_plugin(world: PluginWorld) -> None:
    """Its hooks need not have been installed by ``enable``."""
    path = allowed(world, replaced("parse-hook", 'echo \'{{"type": 2, "session_id": "s-1", "prompt": "Go"}}\''))
    world.ok("enable", "--agent", "claude-code")
    world.hook("start")
    assert [session["agent"] for session in world.json("status")["sessions"]] == ["Agent x"]
    assert world.warnings() == []
    path.unlink()
    (warning,) = world.warnings()
    assert warning.startswith("the plugin x is not on PATH any more")
    world.hook("start")
    assert len(world.warnings()) == 1


def test_a_denied_plugin_is_no_problem(world: PluginWorld) -> None:
    """The user decided that; its hooks are still there, and do nothing."""
    allowed(world)
    world.ok("enable", "--agent", "x")
    world.ok("plugin", "deny", "x")
    world.hook()
    assert world.warnings() == []
    assert world.json("status")["failures"] == 0
    world.entire("doctor")
    assert "plugins:" not in world.out
    world.ok("plugin", "allow", "x", cwd=world.home)
    assert world.warnings() == [], "also once it may run again"


@pytest.mark.parametrize("how", ["gone", "changed", "broken"])
def test_a_plugin_that_cannot_run_is_reported_once(world: PluginWorld, how: str) -> None:
    path = allowed(world)
    world.ok("enable", "--agent", "x")
    if how == "gone":
        path.unlink()
    else:
        world.install(**({"type": None} if how == "broken" else {"description": "other"}))
    if how == "broken":
        world.switch()
    for _ in range(3):
        world.hook()
    found = world.json("status")
    assert (len(found["warnings"]), found["failures"]) == (1, 0)
    log = (world.repo / ".git" / "entire" / "logs" / "entire.log").read_text()
    assert log.count('"level": "WARN"') == 1


@pytest.mark.parametrize("output", [">&-", ">/dev/full", "| true"])
def test_an_agent_that_takes_no_answer_is_no_failure(world: PluginWorld, output: str) -> None:
    message = '{{"type": 1, "session_id": "s-1", "response_message": "hello"}}'
    script = replaced("parse-hook", f"cat >/dev/null; echo '{message}'")
    script = script.replace("\n*)", '\nwrite-hook-response) sleep 0.2; echo "$3" ;;\n*)')
    allowed(world, script, capabilities={"hooks": True, "hook_response_writer": True})
    world.ok("enable", "--agent", "x")
    command = Path(sys.executable).with_name("entire")
    for argv in (str(command), f"{sys.executable} -m entire"):
        done = subprocess.run(["/bin/bash", "-o", "pipefail", "-c", f"echo '{{}}' | {argv} hooks x start {output}"],
                              cwd=world.repo, env=world.env, capture_output=True)  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert world.json("status")["failures"] == 0
