"""A database as OpenCode keeps it, as far as sessions are concerned; run as a program, what of `opencode` Entire runs.

The real program gives messages that it imports another order of keys; that is tried where the real one runs.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

_TABLES = """
CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, project_id text, parent_id text, slug text NOT NULL,
    directory text NOT NULL, path text, title text NOT NULL, version text NOT NULL, permission text, revert text,
    cost real DEFAULT 0, tokens_input integer DEFAULT 0, time_created integer, time_updated integer);
CREATE TABLE IF NOT EXISTS message (id text PRIMARY KEY, session_id text NOT NULL REFERENCES session ON DELETE CASCADE,
    time_created integer NOT NULL, data text NOT NULL);
CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, message_id text NOT NULL REFERENCES message ON DELETE CASCADE,
    session_id text NOT NULL, data text NOT NULL);
"""
_NAMES = ("id", "parentID", "slug", "title", "version")


class Store:
    """The database at a path, which is made if it is missing."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def change(self, question: str, *values: object) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.executescript(_TABLES)
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(question, values)

    def rows(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        if not self.path.exists():
            return []
        with closing(sqlite3.connect(self.path)) as connection:
            return connection.execute(question, values).fetchall()

    def has(self, session_id: str) -> bool:
        return bool(self.rows("SELECT 1 FROM session WHERE id = ?", session_id))

    def put_session(self, info: dict[str, Any], directory: str) -> None:
        told = [info.get(name) for name in _NAMES]
        notes = [json.dumps(info[name]) if info.get(name) else None for name in ("permission", "revert")]
        times = info["time"]["created"], info["time"]["updated"]
        self.change(
            "INSERT INTO session (id, parent_id, slug, title, version, permission, revert, time_created, time_updated,"
            " directory, path) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '') ON CONFLICT DO UPDATE SET directory = ?",
            *told, *notes, *times, directory, directory,
        )  # fmt: skip

    def put(self, session_id: str, message: dict[str, Any]) -> None:
        info = _without(message["info"], "id", "sessionID")
        created = info.get("time", {}).get("created") or int(time.time() * 1000)
        self.change("INSERT OR IGNORE INTO message VALUES (?, ?, ?, ?)",
                    message["info"]["id"], session_id, created, _dumps(info))  # fmt: skip
        for part in message["parts"]:
            data = _dumps(_without(part, "id", "sessionID", "messageID"))
            self.change("INSERT OR IGNORE INTO part VALUES (?, ?, ?, ?)",
                        part["id"], message["info"]["id"], session_id, data)  # fmt: skip

    def load(self, document: dict[str, Any], directory: str) -> None:
        """Do what `opencode import` does: what is known already stays."""
        self.put_session(document["info"], directory)
        for message in document["messages"]:
            self.put(document["info"]["id"], message)


def _without(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: member for key, member in value.items() if key not in keys}


def _dumps(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def main(words: list[str]) -> int:
    if words != ["--pure", "import", "/dev/stdin"]:
        print(f"not known here: {words}", file=sys.stderr)
        return 1
    Store(Path(os.environ["OPENCODE_DB"])).load(json.loads(sys.stdin.buffer.read()), os.getcwd())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
