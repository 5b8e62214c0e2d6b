"""Fires the hooks configured for the demo agent.

``{"hooks": {"PromptSubmit": [{"command": "...", "timeout": 60}]}}``: the shell runs the commands in sequence, the
user's before the project's, identical ones once. Each gets JSON on standard input. If it prints an object with a
``message``, that is shown to the user. Failing hooks are ignored.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

from entire_demo_agent import memory, places, shell

EVENTS = ("SessionStart", "PromptSubmit", "TurnEnd", "SubagentStart", "SubagentEnd", "Compaction", "SessionEnd")
TIMEOUT = 60.0


class Hooks:
    """The hooks of a session."""

    def __init__(self, workdir: Path, env: dict[str, str], show: Callable[[str], None]) -> None:
        self._workdir = workdir
        self._env = env
        self._show = show

    def fire(self, event: str, **payload: object) -> None:
        """Run all commands of an event. The settings are read every time, so changes take effect at once."""
        commands: dict[str, float] = {}
        for settings in (Path.home() / places.SETTINGS, places.project_root(self._workdir) / places.SETTINGS):
            for command, timeout in read_commands(settings, event):
                commands.setdefault(command, timeout)
        data = {"hook_event_name": event, "cwd": str(self._workdir), "timestamp": memory.stamp(time.time()), **payload}
        for command, timeout in commands.items():
            self._run(command, timeout, json.dumps(data).encode())

    def _run(self, command: str, timeout: float, payload: bytes) -> None:
        try:
            done = shell.run(command, workdir=self._workdir, env=self._env, stdin=payload, timeout=timeout)
            reply = json.loads(done.output)
        except (OSError, ValueError, RecursionError):
            return
        if isinstance(reply, dict) and isinstance(reply.get("message"), str):
            self._show(reply["message"])


def read_commands(settings: Path, event: str) -> list[tuple[str, float]]:
    """Return the commands of an event and their time limits in seconds; none if the settings cannot be read."""
    try:
        loaded = json.loads(settings.read_bytes())
        entries = loaded["hooks"][event]
    except (OSError, ValueError, RecursionError, KeyError, TypeError, IndexError):
        return []
    commands = []
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("command"), str) and entry["command"].strip():
            timeout = entry.get("timeout")
            commands.append(
                (entry["command"], float(timeout) if isinstance(timeout, int | float) and timeout > 0 else TIMEOUT)
            )
    return commands
