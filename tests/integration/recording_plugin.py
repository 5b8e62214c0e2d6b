"""The plugin ``tests/fixtures/plugins/recorder.py`` as an executable on a PATH of its own, and what it noted."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

NAME = "recorder"
HOOKS = ("session-start", "turn-start", "turn-end", "compaction", "session-end")
SOURCE = Path(__file__).resolve().parents[1] / "fixtures/plugins/recorder.py"


class RecordingPlugin:
    def __init__(self, folder: Path, **capabilities: bool) -> None:
        self.bin = folder / "bin"
        self.sessions = folder / "sessions"
        self.path = self.bin / f"entire-agent-{NAME}"
        self._calls = self.bin / "calls"
        self.bin.mkdir(parents=True)
        self.sessions.mkdir()
        told = {"hooks": True, "transcript_analyzer": True, "token_calculator": True, **capabilities}
        info = {
            "protocol_version": 1,
            "name": NAME,
            "type": "Recorder",
            "description": "Notes how it is called",
            "is_preview": False,
            "protected_dirs": [],
            "hook_names": HOOKS,
            "capabilities": told,
            "caller_env_vars": ["RECORDER"],
        }
        (self.bin / "recorder.json").write_text(json.dumps({"info": info, "sessions": str(self.sessions)}))
        self.path.write_text(f"#!{sys.executable} -IS\n{SOURCE.read_text()}")
        self.path.chmod(0o755)

    @property
    def search_path(self) -> str:
        """PATH with the plugin on it."""
        return f"{self.bin}{os.pathsep}{os.environ['PATH']}"

    def calls(self) -> list[list[str]]:
        """Return how the program was called since the last ``forget``, oldest first."""
        return [call["words"] for call in self._noted()]

    def calls_under_lock(self) -> list[list[str]]:
        """Return the calls that it was waited for while the repository's lock was held."""
        return [call["words"] for call in self._noted() if call["locked"]]

    def _noted(self) -> list[dict[str, Any]]:
        lines = self._calls.read_text().splitlines() if self._calls.exists() else []
        return [json.loads(line) for line in lines]

    def forget(self) -> None:
        self._calls.unlink(missing_ok=True)

    def break_down(self, subcommand: str = "all") -> None:
        """Let the calls of a subcommand fail from now on."""
        (self.bin / f"broken-{subcommand}").touch()

    def recover(self) -> None:
        for file in self.bin.glob("broken-*"):
            file.unlink()
