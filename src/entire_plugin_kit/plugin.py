"""A rig for a plugin: adapters' promises are asked of the executable, through its host, whatever it is written in."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from entire.plugin import AgentEntry, host
from entire_plugin_kit.rig import Payload, Player, Rig, ignore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

_RANGES, _BOUNDARIES = ("entire_ranges", "entire_positions"), "entire_answer_boundaries"
_EXTENSIONS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("pieces", "tokens", "until", "growth", "put-back"), _RANGES),
    **dict.fromkeys(("positions", "large-records"), ("entire_positions",)),
    **dict.fromkeys(("answer-ends", "commits"), (*_RANGES, _BOUNDARIES)),
    **dict.fromkeys(("subagents", "put-back-subagents"), ("entire_subagents",)),
}
"""Promises that version 1 of the protocol cannot give, each with the extensions that can."""


_OF_FIXTURES = ("payloads", "transcripts")


class LastProgram:
    """Remembers the program that was asked last: to start one for each question would take too long."""

    def __init__(self) -> None:
        self._last: dict[object, host.Program] = {}
        self._made: list[host.Program] = []

    def of(self, path: str) -> host.Program:
        """Return the program for the environment and folder of now; the last one, if both are the same."""
        here = (path, os.getcwd(), frozenset(os.environ.items()))
        if here not in self._last:
            while self._last:
                self._last.popitem()[1].close()
            self._last[here] = host.Program(path, root=os.getcwd(), in_hook=False)
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
    info: host.protocol.Info
    described: Rig
    programs: LastProgram
    thinning = 11  # each answer takes a process

    def adapter(self, metadata: Mapping[str, str] = {}) -> host.ExternalAgent:
        """Return a new adapter, which asks the executable in the present folder."""
        return host.ExternalAgent(self.programs.of(self.path), self.info, metadata=metadata)

    def lack(self, part: str) -> str:
        """Return what is missing, in the words of the protocol."""
        names = host.CAPABILITIES.get(part)
        if names:
            return f"no {' or '.join(f'`{name}`' for name in names)}"
        return f"{super().lack(part)}{': name some with `--fixtures` or `--rig`' if part in _OF_FIXTURES else ''}"

    def without_extensions(self) -> PluginRig:
        """Return a rig for the same plugin, whose host asks in version 1 only."""
        published = self.info.capabilities - set(host.protocol.EXTENSIONS)
        return _rig(self.path, host.info_with(self.info, published), self.described, self.programs)

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

    @contextmanager
    def known(self) -> Iterator[None]:
        """Put the plugin on PATH and allow it, as its user does: hooks find it there."""
        os.environ["PATH"] = os.path.dirname(self.path) + os.pathsep + os.environ.get("PATH", os.defpath)
        host.allow(self.path, self.entry.name)
        yield


def describe(path: str, rig: Rig | None = None) -> PluginRig:
    """Return a rig for the plugin at a path, with the parts of another rig. Raises PluginError for a bad ``info``."""
    described = rig or Rig()
    name = os.path.basename(path).removeprefix(host.protocol.PREFIX)
    info = host.protocol.parse_info(host.Program(path, root=os.getcwd(), in_hook=False).run("info"), name)
    return _rig(path, info, described, LastProgram())


def _rig(path: str, info: host.protocol.Info, described: Rig, programs: LastProgram) -> PluginRig:
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
        "programs": programs,
        "exceptions": {**_missing(info), **described.exceptions},
    }
    both: type[PluginRig] = type("DescribedPlugin", (PluginRig, type(described)), members)
    rig = both.__new__(both)  # what the described one was made with, it has
    vars(rig).update({name: part for name, part in vars(described).items() if name not in ("entry", "payloads")})
    return rig


def _missing(info: host.protocol.Info) -> dict[str, str]:
    """Return the promises that the plugin's protocol cannot carry, each with the reason."""
    problems = {}
    for name, extensions in _EXTENSIONS.items():
        if missing := [f"`{one}`" for one in extensions if one not in info.capabilities]:
            problems[name] = f"version 1 of the protocol cannot carry it: declare {' and '.join(missing)}"
    return problems
