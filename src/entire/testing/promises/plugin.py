"""A rig for a plugin: the promises are asked of the executable, through the host, whatever it is written in."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from entire.agents.external.agent import CAPABILITIES, ExternalAgent
from entire.agents.external.language import protocol
from entire.agents.external.plugins import PluginInventory
from entire.agents.external.programs.program import Program
from entire.agents.registry import AgentEntry
from entire.errors import UsageError
from entire.model.value import replace
from entire.testing.promises.rig import Payload, Player, Rig, ignore

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import pytest

    from entire.agents.external.language.protocol import Info

_RANGES, _BOUNDARIES, _PLACES = ("entire_ranges", "entire_positions"), "entire_answer_boundaries", "entire_hooks_health"
_EXTENSIONS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("pieces", "tokens", "until", "growth", "put-back"), _RANGES),
    **dict.fromkeys(("positions", "large-records"), ("entire_positions",)),
    **dict.fromkeys(("answer-ends", "commits"), (*_RANGES, _BOUNDARIES)),
    **dict.fromkeys(("installation", "commands", "broken-configuration"), (_PLACES,)),
    **dict.fromkeys(("subagents", "put-back-subagents"), ("entire_subagents",)),
}
"""Promises that version 1 of the protocol cannot give, each with the extensions that can."""


class LastProgram:
    """Remembers the program that was asked last: to start one for each question would take too long."""

    def __init__(self) -> None:
        self._last: dict[object, Program] = {}
        self._made: list[Program] = []

    def of(self, path: str) -> Program:
        """Return the program for the environment and folder of now; the last one, if both are the same."""
        here = (path, os.getcwd(), frozenset(os.environ.items()))
        if here not in self._last:
            while self._last:
                self._last.popitem()[1].close()
            self._last[here] = Program(path, root=os.getcwd(), in_hook=False)
            self._made.append(self._last[here])
        return self._last[here]

    def close(self) -> None:
        """End what waits for questions: an older adapter may have asked its own program again."""
        for program in self._made:
            program.close()
        self._last.clear()
        self._made.clear()


class PluginRig(Rig):
    """A plugin, described by another rig, or by nothing but its ``info``."""

    path: str
    info: Info
    described: Rig
    programs: LastProgram
    thinning = 11  # each answer takes a process

    def adapter(self, metadata: Mapping[str, str] = {}) -> ExternalAgent:
        """Return a new adapter, which asks the executable in the present folder."""
        return ExternalAgent(self.programs.of(self.path), self.info, metadata=metadata)

    def lack(self, part: str) -> str:
        """Return what is missing, in the words of the protocol."""
        return f"no {' or '.join(f'`{name}`' for name in CAPABILITIES[part])}" if part in CAPABILITIES else f"no {part}"

    def close(self) -> None:
        """End the process that answers questions."""
        self.programs.close()

    @property
    def payloads(self) -> Sequence[Payload]:  # type: ignore[override]
        """The payloads, with their transcripts where this test's agent keeps its sessions: elsewhere, none counts."""
        return [self._moved(payload) for payload in self.described.payloads]

    def _moved(self, payload: Payload) -> Payload:
        data, event = payload.data, dict(payload.event) if payload.event is not None else {}
        folder = self.adapter().session_dir(os.getcwd())
        for key in ("session_ref", "subagent_ref"):
            if os.path.isabs(ref := event.get(key, "")):
                event[key] = f"{folder}/{os.path.basename(ref)}"
                data = data.replace(json.dumps(ref).encode(), json.dumps(event[key]).encode())
        return replace(payload, data=data, event=event or None)

    def play(self, root: Path, session_id: str, call: Callable[[str, bytes], None] = ignore) -> Player:
        """Return a player; the plugin is asked where it plays."""
        os.chdir(root)
        return super().play(root, session_id, call)

    def register(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Put the plugin on PATH and allow it, as its user does: hooks find it there."""
        monkeypatch.setenv("PATH", os.path.dirname(self.path) + os.pathsep + os.environ.get("PATH", os.defpath))
        plugins = PluginInventory(None, os.environ, is_switched_on=lambda: False)
        executable = plugins.find(self.info.name)
        if executable is None or executable.problem or executable.path != self.path:
            reason = executable.problem if executable and executable.problem else "is not found on PATH"
            raise UsageError(f"{self.path} cannot be used: it {reason}")
        plugins.allow(executable)


def describe(path: str, rig: Rig | None = None) -> PluginRig:
    """Return a rig for the plugin at a path, with the parts of another rig. Raises PluginError for a bad ``info``."""
    described = rig or Rig()
    name = os.path.basename(path).removeprefix(protocol.PREFIX)
    info = protocol.parse_info(Program(path, root=os.getcwd(), in_hook=False).run("info"), name)
    entry = AgentEntry(
        name=info.name,
        type=info.type,
        target="",
        description=info.description,
        protected_dirs=info.protected_dirs,
    )
    members: dict[str, Any] = {
        "entry": entry,
        "path": path,
        "info": info,
        "described": described,
        "programs": LastProgram(),
        "exceptions": {**_missing(info), **described.exceptions},
    }
    found: PluginRig = type("DescribedPlugin", (PluginRig, type(described)), members)()
    vars(found).update({name: part for name, part in vars(described).items() if name not in ("entry", "payloads")})
    return found


def _missing(info: Info) -> dict[str, str]:
    """Return the promises that the plugin's protocol cannot carry, each with the reason."""
    found = {}
    for name, extensions in _EXTENSIONS.items():
        if missing := [f"`{one}`" for one in extensions if one not in info.capabilities]:
            found[name] = f"version 1 of the protocol cannot carry it: declare {' and '.join(missing)}"
    return found
