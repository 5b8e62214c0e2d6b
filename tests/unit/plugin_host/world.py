"""A repository, a session folder, and adapters of plugins."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

from entire.plugin_host.agent import ExternalAgent
from entire.plugin_host.language import protocol
from entire.plugin_host.programs.program import Program
from tests import plugins


class World:
    """A repository, a session folder, and adapters of plugins."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "repo"
        self.root.mkdir()
        self.sessions = folder / "home" / "sessions"
        self.sessions.mkdir(parents=True)
        self.bin = folder / "bin"
        self.notes: list[str] = []
        self._programs: list[Program] = []
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder / "home")}

    def adapter(self, plugin: Path, *, in_hook: bool = True, **given: Any) -> ExternalAgent:
        program = Program(str(plugin), root=str(self.root), in_hook=in_hook, env=self.env)
        self._programs.append(program)
        info = protocol.parse_info(program.run("info"), program.name)
        program.processes = 0
        plugins.asked(plugin)
        return ExternalAgent(program, info, note=self.notes.append, **given)

    def close(self) -> None:
        """End the plugins that wait for questions."""
        for program in self._programs:
            program.close()

    def ref(self, session_id: str = "s1") -> str:
        return str(self.sessions / f"{session_id}.jsonl")

    def payload(self, **members: Any) -> bytes:
        return json.dumps({"session_id": "s1", "session_ref": self.ref(), **members}).encode()


def shell(world: World, capabilities: str, script: str, **given: Any) -> ExternalAgent:
    info = {
        "protocol_version": 1,
        "name": "sh",
        "type": "Shell",
        "hook_names": ["stop"],
        "capabilities": dict.fromkeys(("hooks", *capabilities.split()), True),
    }
    text = f"case $1 in info) echo {shlex.quote(json.dumps(info))} ;; {script} *) echo no >&2; exit 1 ;; esac"
    return world.adapter(plugins.shell(world.bin, "sh", text), **given)
