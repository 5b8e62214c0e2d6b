"""The plugin ``tests/fixtures/plugins/recorder.py`` as an executable on a PATH of its own, and what it noted."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import entire
from tests import forks

NAME = "recorder"
HOOKS = ("session-start", "turn-start", "turn-end", "compaction", "session-end")
_FOLDER = Path(__file__).resolve().parents[1] / "fixtures/plugins"
# The plugin is imported, so that it is not compiled for each call.
_PROGRAM = f"""\
import sys
sys.path += {[str(_FOLDER), str(Path(entire.__file__).parents[1])]!r}
import recorder
"""


class RecordingPlugin:
    """``store``: where its agent has a session's records; ``unit``: what positions count (see the plugin);
    ``is_process``: each call is an interpreter, and no fork (``tests.forks``).
    """

    def __init__(
        self,
        folder: Path,
        capabilities: Mapping[str, bool] = {},
        *,
        store: str = "lines",
        unit: str = "lines",
        is_process: bool = False,
    ) -> None:
        self.name = NAME
        self.store = store
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
        self._change(info=info, sessions=str(self.sessions), store=store, unit=unit)
        if is_process:
            self.path.write_text(f"#!{sys.executable} -IS\n{_PROGRAM}")
            self.path.chmod(0o755)
        else:
            forks.write(self.path, _PROGRAM)

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

    def _change(self, **told: object) -> None:
        path = self.bin / "recorder.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps({**known, **told}))

    def tell(self, **fields: object) -> None:
        """Let ``info`` answer other fields from now on."""
        known = json.loads((self.bin / "recorder.json").read_text())["info"]
        self._change(info={**known, **fields})

    def move(self, folder: Path) -> None:
        """Let the agent have its sessions in another folder, as on another machine."""
        folder.mkdir()
        self.sessions = folder
        self._change(sessions=str(folder))

    def ref(self, session_id: str) -> str:
        """Return what its agent calls a session's transcript."""
        return session_id if self.store == "rows" else str(self.sessions / f"{session_id}.jsonl")

    def say(self, session_id: str, record: dict[str, object]) -> None:
        """Let the agent write a record."""
        path, text = Path(self.ref(session_id)), json.dumps(record)
        if self.store == "lines":
            with path.open("a") as file:
                file.write(text + "\n")
        elif self.store == "document":
            known = json.loads(path.read_text())["messages"] if path.exists() else []
            path.write_text(json.dumps({"messages": [*known, record]}))
        else:
            with self._database() as database:
                database.execute("INSERT INTO records VALUES (?, ?)", (session_id, text))

    def text(self, session_id: str) -> str:
        """Return a session's transcript as the plugin reads it."""
        if self.store != "rows":
            path = Path(self.ref(session_id))
            return path.read_text() if path.exists() else ""
        with self._database() as database:
            query = "SELECT record FROM records WHERE session = ? ORDER BY rowid"
            return "".join(f"{record}\n" for (record,) in database.execute(query, (session_id,)))

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.sessions / "agent.db")) as database, database:
            database.execute("CREATE TABLE IF NOT EXISTS records (session TEXT, record TEXT)")
            yield database

    def instead(self, code: str, *subcommands: str) -> None:
        """Let subcommands, without any all of them, do this from now on."""
        for subcommand in subcommands or ("all",):
            (self.bin / f"instead-{subcommand}").write_text(textwrap.dedent(code))

    def break_down(self, *subcommands: str) -> None:
        """Let the calls of subcommands fail from now on."""
        self.instead("sys.exit('the agent is not well')", *subcommands)

    def recover(self) -> None:
        for file in self.bin.glob("instead-*"):
            file.unlink()
