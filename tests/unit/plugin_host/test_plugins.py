"""The plugins on PATH, as one hook or command uses them: each is asked once what it is, and ended with the others."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from entire.model.positions import START
from entire.plugin_host.language.protocol import PluginError
from entire.plugin_host.plugins import PluginInventory
from tests import plugins as scripts
from tests.unit.plugin_host.scripted import pids, survivors
from tests.unit.plugin_host.world import World

INFO = {"protocol_version": 1, "name": "x", "type": "X", "capabilities": {"entire_ranges": True}}
ANSWERS = 'echo $$ >>"$0.pids"; while read -r question; do echo \'{"answer": "said"}\'; done'


@pytest.fixture
def known(world: World) -> Iterator[PluginInventory]:
    """Return the plugins that settings let run, outside of a repository."""
    env = {**world.env, "PATH": f"{world.bin}:{world.env['PATH']}"}
    made = PluginInventory(None, env, is_switched_on=lambda: True)
    yield made
    made.close()


def install(world: World, info: str, ask: str = ANSWERS) -> Path:
    text = f'case $1 in info) echo info >>"$0.asked"; {info} ;; entire-ask) {ask} ;; *) exit 1 ;; esac'
    return scripts.shell(world.bin, "x", text)


def test_a_plugin_that_cannot_say_what_it_is_is_asked_once(world: World, known: PluginInventory) -> None:
    path = install(world, "echo 'not now' >&2; exit 1")
    executable = known.find("x")
    assert executable is not None
    for _ in range(3):
        with pytest.raises(PluginError, match="not now"):
            known.info(executable)
    assert Path(f"{path}.asked").read_text() == "info\n"


def test_all_adapters_of_a_plugin_ask_one_process_and_closing_ends_it(world: World, known: PluginInventory) -> None:
    path = install(world, f"echo {shlex.quote(json.dumps(INFO))}")
    for session in ("s1", "s2"):
        assert known.agent("x", {"session": session}).transcript(world.ref(session)).summary(START) == "said"
    (pid,) = pids(Path(f"{path}.pids"), 1)
    known.close()
    assert survivors([pid]) == []
