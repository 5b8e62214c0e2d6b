"""A plugin runs only where the user allowed it, and ``entire plugin`` says which and why."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from entire.errors import EntireError
from entire.maintenance import plugins
from tests.integration.pluginworld import PluginWorld


@pytest.fixture
def world(tmp_path: Path) -> PluginWorld:
    return PluginWorld(tmp_path)


def test_no_plugin_runs_before_it_is_allowed(world: PluginWorld) -> None:
    path = world.install()
    world.ok("enable", "--agent", "claude-code")
    (plugin,) = world.json("plugin", "list")["plugins"]
    assert (plugin["state"], plugin["type"], plugin["path"]) == ("not allowed", "", str(path))
    assert "`entire plugin allow x` lets a plugin run." in world.ok("plugin", "list")
    assert world.entire("enable", "--agent", "x") == 2
    assert world.err == (
        f"entire: the plugin x is not allowed to run ({path})\nhint: `entire plugin allow x` lets it run\n"
    )
    world.hook()
    world.ok("status")
    world.entire("doctor")
    world.ok("enable")
    assert world.calls() == []


def test_an_allowed_plugin_runs_until_it_is_denied(world: PluginWorld) -> None:
    path = world.install()
    assert "x may run now. It says that it is Agent x: for tests" in world.ok("plugin", "allow", "x")
    assert world.err == f"plugin: {path}\nIt runs with your rights: it can read and change all that you can.\n"
    assert world.calls() == ["info"]
    assert world.states() == {"x": "allowed"}
    assert "Agent x: 2 hooks installed by the plugin" in world.ok("enable", "--agent", "x")
    assert "Agent x: hooks already installed by the plugin" in world.ok("enable", "--agent", "x")
    world.calls()
    world.hook()
    assert world.calls() == ["parse-hook --hook stop"], "info is cached"
    world.ok("plugin", "deny", "x")
    world.ok("plugin", "deny", "x")
    assert world.states() == {"x": "denied"}
    world.hook()
    assert world.calls() == []
    assert world.entire("enable", "--agent", "x") == 2
    assert world.err.startswith("entire: the plugin x is denied (")
    allowed = world.json("plugin", "allow", "x")
    assert (allowed["state"], allowed["type"], allowed["hook_names"]) == ("allowed", "Agent x", ["start", "stop"])
    world.ok("plugin", "allow", "x", "--yes")
    assert world.states() == {"x": "allowed"}


def test_only_the_plugin_of_a_hook_runs(world: PluginWorld) -> None:
    world.install()
    world.install("y")
    for name in ("x", "y"):
        world.ok("plugin", "allow", name)
    world.ok("enable", "--agent", "x")
    world.calls()
    world.hook(agent="x")
    assert world.calls() == ["parse-hook --hook stop"]
    world.hook(agent="claude-code", verb="stop")
    world.hook(agent="nonsense")
    (world.repo / "a.txt").write_text("two\n")
    world.git("commit", "-qam", "Second")
    assert world.calls() == []


def test_it_works_outside_of_repositories(world: PluginWorld) -> None:
    world.install()
    assert world.states(world.home) == {"x": "not allowed"}
    world.ok("plugin", "allow", "x", cwd=world.home)
    world.ok("plugin", "deny", "x", cwd=world.home)
    assert world.states() == {"x": "denied"}


def test_only_the_file_that_was_shown_is_allowed(world: PluginWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    shown, other = world.install(), world.install(folder=world.folder / "before")
    monkeypatch.setenv("HOME", str(world.home))
    monkeypatch.setenv("PATH", f"{other.parent}{os.pathsep}{world.env['PATH']}")
    with pytest.raises(EntireError, match=f"{other} is now the first plugin x on PATH"):
        plugins.allow(None, "x", str(shown))
    assert (world.states(), world.calls()) == ({"x": "not allowed"}, [])
    assert plugins.allow(None, "x", str(other)).state == "allowed"


def test_a_changed_plugin_does_not_run(world: PluginWorld) -> None:
    world.install()
    world.ok("plugin", "allow", "x")
    world.ok("enable", "--agent", "x")
    assert not any("plugin" in warning for warning in world.warnings())
    path = world.install(description="another one")
    world.calls()
    world.hook()
    said = f"the plugin x has changed since you allowed it, so it does not run ({path})"
    assert world.warnings() == [f"{said}: `entire plugin allow x` lets it run"]
    assert world.entire("doctor") == 1
    assert f"plugins: {said}" in world.out
    assert world.states() == {"x": "changed"}
    assert world.calls() == []
    world.ok("plugin", "allow", "x")
    assert world.warnings() == []
    world.ok("doctor")


def test_a_plugin_with_another_interpreter_does_not_run(world: PluginWorld) -> None:
    path = world.install()
    path.write_text(path.read_text().replace("#!/bin/sh", "#!/usr/bin/env parrot"))
    usual, other = world.folder / "usual/parrot", world.bin / "parrot"
    usual.parent.mkdir()
    usual.symlink_to("/bin/sh")
    world.env["PATH"] += f"{os.pathsep}{usual.parent}"
    world.ok("plugin", "allow", "x")
    world.ok("enable", "--agent", "x")
    world.calls()
    world.hook()
    assert world.calls() == ["parse-hook --hook stop"]
    other.write_text(f'#!/bin/sh\ntouch {world.folder}/evil\nexec /bin/sh "$@"\n')
    other.chmod(0o755)
    world.hook()
    assert world.states() == {"x": "changed"}
    said = f"the plugin x would be run by {other}, which you did not allow, so it does not run ({path})"
    assert world.warnings() == [f"{said}: `entire plugin allow x` lets it run"]
    assert (world.calls(), (world.folder / "evil").exists()) == ([], False)
    world.ok("plugin", "allow", "x")
    assert world.states() == {"x": "allowed"}


def test_a_folder_outside_of_home_is_allowed_for_a_plugin(world: PluginWorld) -> None:
    path = world.install()
    path.write_text(path.read_text().replace(f'"session_dir": "{world.folder}"', '"session_dir": "/srv/parrot"'))
    world.ok("plugin", "allow", "x")
    world.ok("enable", "--agent", "x")
    assert world.entire("plugin", "allow", "x", "--folder", "srv/parrot") == 2
    assert "srv/parrot is not an absolute path" in world.err
    stored = world.home / ".config/entire/plugins.json"
    assert "folders" not in stored.read_text()
    for _ in range(2):
        world.ok("plugin", "allow", "x", "--folder", "/srv/parrot/", "--folder", "/srv/other")
        assert json.loads(stored.read_text())["allowed"]["x"]["folders"] == ["/srv/other", "/srv/parrot"]
    world.ok("plugin", "allow", "x")
    assert json.loads(stored.read_text())["allowed"]["x"]["folders"] == ["/srv/other", "/srv/parrot"]
    world.ok("plugin", "deny", "x")
    world.ok("plugin", "allow", "x")
    assert "folders" not in stored.read_text()


def test_a_plugin_that_is_gone_is_missed(world: PluginWorld) -> None:
    path = world.install()
    world.ok("plugin", "allow", "x")
    world.ok("enable", "--agent", "x")
    path.unlink()
    assert world.warnings() == [
        "the plugin x is not on PATH any more, so its sessions are not recorded: install entire-agent-x again"
    ]
    world.hook()
    assert world.entire("enable", "--agent", "x") == 2


@pytest.mark.parametrize("name", ["git", "claude-code", "gemini", "gemini-cli", "demo"])
def test_names_of_others_are_shadowed(world: PluginWorld, name: str) -> None:
    world.install(name)
    world.switch()
    assert world.states() == {name: "shadowed"}
    assert world.entire("plugin", "allow", name) == 2
    assert f"{name} is not a plugin" in world.err
    world.ok("enable", "--agent", "claude-code")
    world.hook(agent=name)
    assert world.calls() == []


@pytest.mark.parametrize("name", ["X", "a b", "é", "-x"])
def test_names_that_are_not_valid(world: PluginWorld, name: str) -> None:
    world.install(name)
    world.switch()
    assert world.states() == {name: "invalid"}
    assert world.entire("plugin", "allow", "--", name) == 2
    assert world.calls() == []


def test_a_plugin_of_the_repository_never_runs(world: PluginWorld, tmp_path: Path) -> None:
    path = world.install(folder=world.repo / "tools")
    (world.bin / "entire-agent-x").symlink_to(path)
    world.switch()
    world.ok("enable", "--agent", "claude-code")
    assert world.states() == {"x": "inside the repository"}
    assert world.entire("plugin", "allow", "x") == 1
    assert "is not allowed: it lies inside the repository" in world.err
    assert world.entire("enable", "--agent", "x") == 2
    world.hook()
    linked = tmp_path / "linked"
    world.git("worktree", "add", "-q", str(linked))
    assert world.states(linked) == {"x": "inside the repository"}
    (world.bin / "entire-agent-y").symlink_to(world.install("y", folder=linked / "tools"))
    assert world.states() == {"x": "inside the repository", "y": "inside the repository"}
    (world.bin / "entire-agent-y").unlink()
    assert world.calls() == []
    assert world.states(world.home) == {"x": "not allowed"}, "another repository may use it"
    world.ok("plugin", "allow", "x", cwd=world.home)
    world.calls()
    world.hook()
    assert (world.states(), world.calls()) == ({"x": "inside the repository"}, [])


def test_a_file_that_others_can_write_is_refused(world: PluginWorld) -> None:
    path = world.install()
    path.chmod(0o777)
    assert world.entire("plugin", "allow", "x") == 1
    assert f"it can be replaced by other users: they can write {path}" in world.err
    world.switch()
    assert world.states() == {"x": "invalid"}
    assert world.calls() == []


INFOS = {
    "version": ({"protocol_version": 2}, "has protocol_version 2; this version of entire speaks 1"),
    "description": ({"description": 5}, "has a description that is not a line of text"),
    "type": ({"type": ""}, "has no type"),
    "no hooks": ({"hook_names": None}, "declares hooks, but has no hook_names"),
    "taken": ({"type": "Claude Code"}, "the plugin x is ignored: the type 'Claude Code' is taken"),
}


@pytest.mark.parametrize(("info", "why"), INFOS.values(), ids=INFOS)
def test_a_plugin_that_says_nonsense_is_refused(world: PluginWorld, info: dict[str, Any], why: str) -> None:
    world.install(**info)
    assert world.entire("plugin", "allow", "x") == 1
    assert why in world.err
    assert world.states() == {"x": "not allowed"}
    world.switch()
    (plugin,) = world.json("plugin", "list")["plugins"]
    assert (plugin["state"], plugin["is_usable"]) == ("invalid", False)
    assert why in plugin["problem"]
    assert world.entire("enable", "--agent", "x") == 1
    assert why in world.err


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("#!/bin/sh\nexit 3\n", "`entire-agent-x info` failed with status 3"),
        ("#!/bin/sh\necho oops >&2; exit 1\n", "failed with status 1: oops"),
        ("#!/bin/sh\n", "something that is not JSON"),
        ("#!/bin/sh\nprintf '\\377'\n", "something that is not UTF-8"),
        ("#!/nowhere/sh\n", "cannot be started"),
        ("no program", "cannot be started"),
    ],
)
def test_a_plugin_that_does_not_answer_is_refused(world: PluginWorld, script: str, why: str) -> None:
    world.install(script=script.replace("{", "{{"))
    assert world.entire("plugin", "allow", "x") == 1
    assert why in world.err
    assert world.states() == {"x": "not allowed"}


@pytest.mark.parametrize(("info", "why"), INFOS.values(), ids=INFOS)
def test_a_plugin_that_says_nonsense_later_breaks_no_hook(world: PluginWorld, info: dict[str, Any], why: str) -> None:
    world.install()
    world.switch()
    world.ok("enable", "--agent", "x")
    world.install(**info)
    world.calls()
    world.hook()
    assert world.calls() == ["info"]
    (warning,) = world.warnings()
    assert why in warning
    assert world.entire("doctor") == 1
    assert why in world.out


def test_two_plugins_of_one_type(world: PluginWorld) -> None:
    world.install("x", type="Same")
    world.install("y", type="Same")
    world.ok("plugin", "allow", "x")
    assert world.entire("plugin", "allow", "y") == 1
    assert "the type 'Same' is taken" in world.err


def test_the_first_of_a_name_counts(world: PluginWorld, tmp_path: Path) -> None:
    first = world.install()
    second = world.install(folder=tmp_path / "more")
    world.env["PATH"] += f"{os.pathsep}{tmp_path / 'more'}"
    plugins = world.json("plugin", "list")["plugins"]
    assert [(each["path"], each["state"]) for each in plugins] == [
        (str(first), "not allowed"),
        (str(second), "shadowed"),
    ]
    world.ok("plugin", "allow", "x")
    first.unlink()
    assert world.states() == {"x": "changed"}, "the other file was never allowed"


def test_what_the_file_says_is_asked_again_if_it_is_allowed_again(world: PluginWorld) -> None:
    script = '#!/bin/sh\ncat "$HOME/info"\n'
    world.install(script=script)
    answer = '{"protocol_version": 1, "name": "x", "type": "%s"}'
    (world.home / "info").write_text(answer % "Old")
    world.ok("plugin", "allow", "x")
    (world.home / "info").write_text(answer % "New")
    assert [plugin["type"] for plugin in world.json("plugin", "list")["plugins"]] == ["Old"]
    world.ok("plugin", "allow", "x")
    assert [plugin["type"] for plugin in world.json("plugin", "list")["plugins"]] == ["New"]


def test_corrupt_decisions_let_nothing_run(world: PluginWorld) -> None:
    world.install()
    world.ok("plugin", "allow", "x")
    world.ok("enable", "--agent", "x")
    stored = world.home / ".config" / "entire" / "plugins.json"
    stored.write_text("{")
    world.calls()
    for words in (["plugin", "allow", "x"], ["plugin", "deny", "x"], ["plugin", "list"]):
        assert world.entire(*words) == 1
        assert (world.err.split(":")[1], stored.read_text()) == (" no plugin may run", "{")
    world.hook()
    assert world.entire("status") == 0
    assert any(warning.startswith("no plugin may run") for warning in world.warnings())
    assert world.calls() == []


def test_a_home_that_cannot_be_written(world: PluginWorld) -> None:
    world.install()
    (world.home / ".config").write_text("a file")
    assert world.entire("plugin", "allow", "x") == 1
    assert world.err.splitlines()[-2].startswith("entire: cannot write ")
    assert world.states() == {"x": "not allowed"}


def test_the_name_of_a_folder_cannot_look_like_another_line(world: PluginWorld, tmp_path: Path) -> None:
    odd = tmp_path / "a\nIt is safe"
    world.install(folder=odd)
    world.env["PATH"] = f"{odd}{os.pathsep}{world.env['PATH']}"
    assert "\nIt is" not in world.ok("plugin", "list")
    world.ok("plugin", "allow", "x")
    assert "\nIt is" not in world.err
    assert world.states() == {"x": "allowed"}


# ---------------------------------------------------------------- the switch


@pytest.mark.parametrize("path", [".entire/entire.json", ".entire/settings.local.json"])
def test_settings_of_the_user_let_every_plugin_run(world: PluginWorld, path: str) -> None:
    world.install()
    world.switch(path)
    inside = world.repo / "sub"
    inside.mkdir()
    assert world.states() == world.states(inside) == {"x": "allowed by settings"}
    world.ok("enable", "--agent", "x")
    world.calls()
    world.hook()
    assert world.calls() == ["parse-hook --hook stop"]
    assert world.warnings() == []
    world.ok("plugin", "deny", "x")
    assert world.states() == {"x": "denied"}


@pytest.mark.parametrize("value", ["1", '"true"', "false", "null", "[true]"])
def test_only_true_switches_it_on(world: PluginWorld, value: str) -> None:
    world.install()
    world.switch().write_text(f'{{"external_agents": {value}}}')
    assert world.states() == {"x": "not allowed"}


def test_the_committed_settings_let_nothing_run(world: PluginWorld) -> None:
    world.install()
    world.switch(".entire/settings.json").write_text('{"external_agents": true, "enabled": true}')
    assert world.states() == {"x": "not allowed"}
    world.git("add", "-f", ".entire")
    world.git("commit", "-qm", "Settings")
    assert world.states() == {"x": "not allowed"}
    (warning,) = [warning for warning in world.warnings() if "external_agents" in warning]
    assert warning.endswith("run `entire plugin allow NAME` for each plugin you trust")
    world.ok("enable", "--agent", "claude-code")
    world.hook()
    assert world.calls() == []


@pytest.mark.parametrize("path", [".entire/entire.json", ".entire/settings.local.json"])
def test_a_tracked_file_lets_nothing_run(world: PluginWorld, path: str) -> None:
    world.install()
    world.ok("enable", "--agent", "claude-code")
    world.switch(path)
    assert world.states() == {"x": "allowed by settings"}
    world.git("add", "-f", path)
    assert world.states() == {"x": "not allowed"}, "staged"
    world.git("commit", "-qm", "Settings")
    assert world.states() == {"x": "not allowed"}, "committed"
    assert any(
        warning.startswith(f"{world.repo / path}: external_agents has no effect") for warning in world.warnings()
    )
    world.calls()
    world.hook()
    assert world.calls() == []
    world.git("rm", "-q", "--cached", path)
    assert world.states() == {"x": "not allowed"}, "still in HEAD"
    world.git("commit", "-qm", "Mine")
    assert world.states() == {"x": "allowed by settings"}


def test_where_git_cannot_tell_the_switch_lets_nothing_run(world: PluginWorld) -> None:
    world.install()
    world.ok("enable", "--agent", "claude-code")
    world.switch()
    assert world.states() == {"x": "allowed by settings"}
    world.calls()
    (world.repo / ".git" / "index").write_bytes(b"no index")
    assert world.states() == {"x": "not allowed"}
    world.hook()
    assert world.calls() == []


def test_a_file_tracked_in_other_letter_case_lets_nothing_run(world: PluginWorld) -> None:
    """As on a file system that ignores letter case, where it is checked out to this very file."""
    world.install()
    world.switch()
    oid = world.git("hash-object", "-w", ".entire/entire.json")
    world.git("update-index", "--add", "--cacheinfo", f"100644,{oid},.Entire/ENTIRE.json")
    assert world.states() == {"x": "not allowed"}


def test_a_link_lets_nothing_run(world: PluginWorld) -> None:
    """Of the folder or of the file: what it leads to may be tracked under another name."""
    world.install()
    world.switch("shared/entire.json")
    (world.repo / ".entire").symlink_to("shared")
    assert world.states() == {"x": "not allowed"}
    (world.repo / ".entire").unlink()
    (world.repo / ".entire").mkdir()
    (world.repo / ".entire" / "entire.json").symlink_to("../shared/entire.json")
    assert world.states() == {"x": "not allowed"}


def test_a_submodule_lets_nothing_run(world: PluginWorld) -> None:
    world.install()
    world.switch()
    world.git("init", "-q", ".entire")
    assert world.states() == {"x": "not allowed"}


def test_in_a_linked_worktree_the_main_ones_local_settings_count(world: PluginWorld, tmp_path: Path) -> None:
    world.install()
    linked = tmp_path / "linked"
    world.git("worktree", "add", "-q", str(linked))
    world.switch(".entire/entire.json")
    assert world.states(linked) == {"x": "not allowed"}, "these options are of one worktree"
    world.switch(".entire/settings.local.json")
    assert world.states(linked) == {"x": "allowed by settings"}
    world.git("add", "-f", ".entire/settings.local.json")
    assert world.states(linked) == {"x": "not allowed"}
    world.switch(".entire/entire.json", cwd=linked)
    assert world.states(linked) == {"x": "allowed by settings"}


def test_the_switch_works_before_the_first_commit(world: PluginWorld, tmp_path: Path) -> None:
    world.install()
    empty = tmp_path / "empty"
    world.git("init", "-q", str(empty))
    world.switch(cwd=empty)
    assert world.states(empty) == {"x": "allowed by settings"}
