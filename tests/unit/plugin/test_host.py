"""What the suite for plugins may use of Entire's own side."""

from __future__ import annotations

from pathlib import Path

import pytest

from entire.agents.registry import BUILTIN
from entire.errors import UsageError
from entire.model.value import replace
from entire.plugin import AgentEntry, host
from tests import plugins


def test_an_agent_is_known_for_a_while() -> None:
    before = dict(BUILTIN)
    with host.known(AgentEntry(name="parrot", type="Parrot", target="")):
        assert BUILTIN["parrot"].type == "Parrot"
        with host.known(replace(BUILTIN["gemini"], type="Another")):
            assert BUILTIN["gemini"].type == "Another"
    assert before == BUILTIN


def test_only_what_path_has_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = plugins.version_one(tmp_path / "bin")
    with pytest.raises(UsageError, match="is not found on PATH"):
        host.allow(str(plugin), "one")
    monkeypatch.setenv("PATH", str(plugin.parent), prepend=":")
    with pytest.raises(UsageError):
        host.allow(str(tmp_path / "other"), "one")
    host.allow(str(plugin), "one")


def test_names_of_built_in_agents_are_taken() -> None:
    assert {"gemini", "Gemini CLI"} <= host.built_in()
