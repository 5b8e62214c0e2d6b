"""An agent that keeps its conversations in a database, which only its own program changes."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

from entire.agents.composed import ComposedLines
from entire.agents.registry import AgentEntry
from entire.model.effects import PutBack, Run
from entire.model.positions import SessionRef
from tests.bare_agent import Analysis, Bare

PROGRAM = Path(__file__).with_name("store_program.py")


class StoreTranscript(ComposedLines, Analysis):
    """Rows of a database; none of its lines change once they are there."""

    def compose(self) -> tuple[bytes, int]:
        content = read(self.session_ref)
        return content, len(content)


class StoreAgent(Bare):
    capabilities: ClassVar[frozenset[str]] = frozenset({"session_resumer", "transcript_analyzer"})

    def transcript(self, session_ref: str, stored: bytes | None = None) -> Any:
        return StoreTranscript(session_ref, stored)

    def session_dir(self, root: str) -> str:
        return os.path.join(os.path.dirname(root), "agent.db")

    def resolve_session_file(self, session_dir: str, session_id: str) -> str:
        return SessionRef.of_rows(session_dir, session_id)

    def own_session_id(self, session_id: str, transcript: bytes) -> str:
        return session_id

    def format_resume_command(self, session_id: str) -> str:
        return f"store --resume {session_id}"

    def put_back(self, session_ref: str, transcript: bytes, subagents: Mapping[str, bytes]) -> PutBack:
        if os.path.exists(SessionRef(session_ref).database + ".open"):
            return PutBack(problem="its database is open")
        present = read(session_ref)
        return PutBack(effects=(
            Run(argv=_put(session_ref, transcript), stdin=transcript, undo_argv=_put(session_ref, present),
                undo_stdin=present),
        ))  # fmt: skip


def read(session_ref: str) -> bytes:
    database, session_id = SessionRef(session_ref).database, SessionRef(session_ref).key
    if not os.path.isfile(database):
        return b""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        found = connection.execute("select content from sessions where id = ?", (session_id,)).fetchone()
    return bytes(found[0]) if found else b""


def entry() -> AgentEntry:
    return AgentEntry(name=Bare.name, type=Bare.type, target=f"{__name__}:StoreAgent", description="Has a database",
                      protected_dirs=(".bare",))  # fmt: skip


def _put(session_ref: str, content: bytes) -> tuple[str, ...]:
    database, session_id = SessionRef(session_ref).database, SessionRef(session_ref).key
    return (sys.executable, str(PROGRAM), "put" if content else "delete", database, session_id)
