"""Every built-in agent behind the plugin protocol: its rig, with an adapter that asks a process."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from entire.agents.registry import BUILTIN
from entire.model.value import replace
from entire.plugin_host.agent import ExternalAgent
from entire.plugin_host.language.protocol import PREFIX, Info, parse_info
from entire.plugin_host.programs.program import Program
from entire_plugin_kit import Payload, Player, Rig
from entire_plugin_kit.plugin import LastProgram
from entire_plugin_kit.rig import ignore
from tests import forks
from tests.rigs import every

_FOLDER = tempfile.TemporaryDirectory(prefix="entire-served-")
_START = """\
import sys
sys.path[:0] = {path!r}
from entire.plugin.serving import serve
sys.exit(serve({name!r}, sys.argv[1:]))
"""
PROGRAMS = LastProgram()


def rigs() -> list[ServedRig]:
    """Return the rigs of the built-in agents, each behind a plugin; of several for one agent the first."""
    return [_serve(rig) for rig in every() if rig.entry == BUILTIN.get(rig.entry.name) and not rig.version]


def _serve(rig: Rig) -> ServedRig:
    entry = replace(rig.entry, target=f"{__name__}:{rig.entry.name}", payloads="")
    served: ServedRig = type(f"Served{type(rig).__name__}", (ServedRig, type(rig)), {"entry": entry, "plain": rig})()
    return served


class ServedRig(Rig):
    """What differs behind a plugin: transcripts must be in the session folder of the repository where it is asked."""

    plain: Rig
    """The rig with the adapter itself."""
    thinning = 29  # the adapter's own tests try everything, and here each answer from another place takes a process

    @property
    def payloads(self) -> list[Payload]:  # type: ignore[override]
        return [self._moved(payload) for payload in self.plain.payloads]

    def _moved(self, payload: Payload) -> Payload:
        """Return a payload whose transcripts are where this test's agent keeps its sessions."""
        ref = (payload.event or {}).get("session_ref")
        if not ref:
            return payload
        agent: Any = self.plain.adapter()
        before, after = os.path.dirname(ref), agent.session_dir(os.getcwd())
        event = {key: _replaced(value, before, after) for key, value in dict(payload.event or {}).items()}
        data = payload.data.replace(json.dumps(before)[1:-1].encode(), json.dumps(after)[1:-1].encode())
        return dataclasses.replace(payload, data=data, event=event)

    def play(self, root: Path, session_id: str, call: Callable[[str, bytes], None] = ignore) -> Player:
        os.chdir(root)  # where the plugin is asked; the test's end undoes it
        return super().play(root, session_id, call)


def _replaced(value: Any, before: str, after: str) -> Any:
    return value.replace(before, after) if isinstance(value, str) else value


def __getattr__(name: str) -> Callable[..., ExternalAgent]:
    """Return the factory of an agent: the ``target`` of its entry names it."""
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda metadata={}: _connect(name, metadata)


def _connect(name: str, metadata: Mapping[str, str]) -> ExternalAgent:
    return ExternalAgent(PROGRAMS.of(executable(name)), _info(name), metadata=metadata, note=_problems(name).append)


@cache
def _info(name: str) -> Info:
    program = Program(executable(name), root=os.getcwd(), in_hook=False)
    return parse_info(program.run("info"), name)


@cache
def _problems(name: str) -> list[str]:
    return []


@cache
def executable(name: str) -> str:
    path = Path(_FOLDER.name) / f"{PREFIX}{name}"
    forks.write(path, _START.format(path=[folder for folder in sys.path if folder], name=name))
    return str(path)
