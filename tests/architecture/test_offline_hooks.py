"""No hook waits for a network: each git that a hook starts, from the script or from Python, is told to fetch nothing.

Git itself says what it was given: it traces every process with its arguments and the two variables that keep it from
fetching. What a chained hook starts is the user's own, and gets what git gave the hook.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from entire.githooks import install, scripts
from tests.architecture.hookworld import World
from tests.architecture.places import PACKAGE
from tests.forks import BIN

OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
OTHER = "1" * 40
CHAINED = "version --build-options"  # a call that only the chained hooks make

# The functions of the git room that give a git other variables than ``run.environment``: over the network with the
# user's choice, for a command, and for the user's own hooks of a commit that we make.
ONLINE = {("remote.py", "_run"), ("switch.py", "switch"), ("commit_hooks.py", "_environment")}


class Traced:
    """A world in which git notes each of its processes."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder = world, folder
        folder.mkdir()
        world.git("config", "--global", "trace2.envVars", ",".join(OFFLINE))
        world.env |= {
            "GIT_TRACE2_EVENT": str(folder),
            "PATH": f"{BIN}{os.pathsep}{world.env['PATH']}",
        }

    def calls(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the arguments of each git that ran since, with the variables that it got."""
        for path in sorted(self.folder.iterdir()):
            events = [json.loads(line) for line in path.read_text().splitlines()]
            path.unlink()
            argv = next(event["argv"] for event in events if event["event"] == "start")
            params = {event["param"]: event["value"] for event in events if event["event"] == "def_param"}
            yield " ".join(argv[1:]), {name: params[name] for name in OFFLINE if name in params}

    def script(self, name: str, *args: str, stdin: str = "") -> int:
        """Run one of git's hooks as git does."""
        hook = self.world.repo / ".git/hooks" / name
        done = subprocess.run([hook, *args], cwd=self.world.repo, env=self.world.env, input=stdin.encode(),
                              capture_output=True)  # fmt: skip
        return done.returncode


@pytest.fixture
def traced(tmp_path: Path) -> Traced:
    return Traced(World(tmp_path), tmp_path / "traced")


def offline_calls(traced: Traced) -> int:
    calls = list(traced.calls())
    assert [call for call, given in calls if given != OFFLINE] == []
    return len(calls)


def test_every_git_of_an_agents_hooks_is_offline(traced: Traced) -> None:
    world, counts = traced.world, {}
    for verb, _, commands in world.turn():
        counts[verb] = (offline_calls(traced), len(commands))
    assert all(traced >= started for traced, started in counts.values()), counts  # git starts some itself
    assert counts["stop"][1] > 0


def test_every_git_of_a_turn_that_commits_is_offline_but_the_users_own_hooks(traced: Traced) -> None:
    world = traced.world
    (world.repo / ".entire/settings.json").write_text('{"strategy": "auto-commit", "enabled": true}')
    hook = world.repo / ".git/hooks/pre-commit"
    hook.write_text(f"#!/bin/sh\ngit {CHAINED}\n")
    hook.chmod(0o755)
    for _ in world.turn():
        pass
    calls = list(traced.calls())
    assert {call: given for call, given in calls if given != OFFLINE} == {CHAINED: {}}
    assert world.git("log", "--format=%s", "-1") != "First", "nothing was committed"


def test_every_git_of_gits_own_hooks_is_offline_but_the_chained_ones(traced: Traced) -> None:
    world = traced.world
    assert install.uninstall(str(world.repo)).removed
    for name in scripts.NAMES:
        earlier = world.repo / ".git/hooks" / name
        earlier.write_text(f"#!/bin/sh\ngit {CHAINED}\n")
        earlier.chmod(0o755)
    assert install.install(str(world.repo), command=str(BIN / "entire")).chained == scripts.NAMES
    for verb, _, _ in world.turn():
        if verb == "stop":
            break
    message, template = world.repo / ".git/COMMIT_EDITMSG", world.folder / "template"
    template.write_text("Template\n")
    world.git("config", "commit.template", str(template))
    world.git("add", ".")
    message.write_text("Second\n")
    list(traced.calls())
    assert traced.script("prepare-commit-msg", str(message), "commit", "HEAD") == 0
    assert "Entire-Checkpoint: " in message.read_text()
    assert traced.script("commit-msg", str(message)) == 0
    found = list(traced.calls())
    world.git("-c", "core.hooksPath=/dev/null", "commit", "-qF", str(message))
    list(traced.calls())
    assert traced.script("post-commit") == 0
    head = world.git("rev-parse", "HEAD")
    refs = ("refs/heads/main", "refs/heads/entire/1a2b3c4-e3b0c4", "refs/heads/entire/checkpoints/v1")
    (world.repo / ".git/entire/push").touch()
    (world.repo / ".entire/settings.json").write_text('{"strategy_options": {"push_sessions": true}}')
    assert (
        traced.script("pre-push", "origin", "url", stdin="".join(f"{ref} {head} {ref} {OTHER}\n" for ref in refs)) == 0
    )
    found += traced.calls()
    assert [given for call, given in found if call == CHAINED] == [{}] * len(scripts.NAMES)
    assert [call for call, given in found if call != CHAINED and given != OFFLINE] == []
    assert len(found) > 15


def test_only_the_named_functions_give_git_another_environment() -> None:
    found = set()
    for path in sorted((PACKAGE / "git").glob("*.py")):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef):
                words = {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
                if "without_repository" in words:
                    found.add((path.name, function.name))
    assert found == ONLINE
