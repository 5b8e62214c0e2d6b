"""Each question is asked once, and a failure is an answer."""

from __future__ import annotations

import pytest

from entire.plugin_host.calls import Calls
from entire.plugin_host.language.protocol import PluginError
from entire.plugin_host.programs.program import Program
from tests import plugins
from tests.unit.plugin_host.world import World


def calls(world: World, *, in_hook: bool = True) -> Calls:
    plugin = plugins.shell(world.bin, "sh", 'echo x >>"$0.calls"; echo "{}"')
    return Calls(Program(str(plugin), root=str(world.root), in_hook=in_hook, env=world.env), world.notes.append)


def times(world: World) -> int:
    return len((world.bin / "entire-agent-sh.calls").read_text())


def test_a_question_is_asked_once_until_the_answers_are_forgotten(world: World) -> None:
    asked = calls(world)
    assert [asked.call("a"), asked.call("a"), asked.call("b"), asked.call("b", stdin=b"x")] == [{}] * 4
    assert times(world) == 2 * 3
    asked.forget()
    asked.call("a")
    assert times(world) == 2 * 4


@pytest.mark.parametrize("error", [PluginError("it failed"), ValueError("it failed"), OSError("it failed")])
def test_a_failure_is_noted_once_and_not_asked_again(world: World, error: Exception) -> None:
    asked, tried = calls(world), list[int]()

    def fail() -> int:
        tried.append(1)
        raise error

    assert [asked.once(("question",), fail), asked.once(("question",), fail)] == [None, None]
    assert asked.fresh().once(("question",), fail) is None
    assert asked.once(("another",), fail, may_fail=True) is None
    assert (len(tried), len(world.notes)) == (3, 1)
    assert "it failed" in world.notes[0]


@pytest.mark.parametrize("in_hook", [True, False])
def test_a_command_asks_again_what_it_may_have_changed(world: World, in_hook: bool) -> None:
    asked = calls(world, in_hook=in_hook)
    asked.current().call("a")
    asked.current().call("a")
    assert times(world) == 2 * (1 if in_hook else 2)


def test_an_answer_may_come_with_another(world: World) -> None:
    asked = calls(world)
    asked.remember(("a",), 7)
    asked.remember(("a",), 8)
    assert asked.once(("a",), lambda: 9) == 7
