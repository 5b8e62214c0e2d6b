"""How a session is put back: OpenCode's import adds what it does not know and changes nothing, so what is there goes
first. Its own command for that deletes the sessions of subagents, too, which an import of their session does not bring
back. So we delete the row of the one session, and the database deletes what belongs to it.

Run as a program, this module is that effect's command: ``python restoring.py DATABASE ID``.
"""

from __future__ import annotations

import os
import sqlite3
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.model.effects import PutBack, Run

_PATIENCE = 10.0  # seconds in which another process may write
_PROGRAM = "opencode"
_ALONE = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}


def plan(
    session_ref: str, before: bytes, after: bytes, subagents: Mapping[str, bytes], env: Mapping[str, str]
) -> PutBack:
    """Return the effects that replace a session's lines, and add the sessions of subagents that are missing."""
    from entire.agents.opencode import database
    from entire.model.effects import PutBack
    from entire.model.positions import SessionRef

    if not SessionRef(session_ref).database:
        return PutBack(problem="it is a copy, and in no database")
    if len(before) > database.LARGEST:
        return PutBack(problem=f"it has more than {database.LARGEST >> 20} MB")
    if not _is_installed(env):
        return PutBack(problem=f"there is no `{_PROGRAM}` on PATH, which alone can import a session")
    effects = [_removal(session_ref, before)] if before else []
    effects += [_removal(session_ref, after).inverse()] if after else []
    effects += [_removal(ref, lines).inverse() for ref, lines in subagents.items() if ref and lines]
    return PutBack(effects=tuple(effects))


def _removal(session_ref: str, lines: bytes) -> Run:
    """Return the effect that deletes a session, whose way back is to import it."""
    from entire.agents.opencode import native
    from entire.model.effects import Run
    from entire.model.ids import Argument
    from entire.model.positions import SessionRef

    ref = SessionRef(session_ref)
    delete = (
        sys.executable,
        "-I",
        os.path.abspath(__file__),
        Argument(ref.database),
        Argument(ref.key, "a session's id"),
    )
    return Run(
        argv=delete,
        undo_argv=(_PROGRAM, "--pure", "import", "/dev/stdin"),
        undo_stdin=native.as_document(lines, ref.key),
        env={**_ALONE, "OPENCODE_DB": ref.database},
    )


def _is_installed(env: Mapping[str, str]) -> bool:
    from entire import process

    return bool(process.find(_PROGRAM, env.get("PATH", os.defpath)))


def _delete(database: str, session_id: str) -> None:
    if not os.path.exists(database):
        return
    connection = sqlite3.connect(database, timeout=_PATIENCE)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        with connection:
            connection.execute("DELETE FROM session WHERE id = ?", (session_id,))
    finally:
        connection.close()


if __name__ == "__main__":
    _delete(*sys.argv[1:3])
