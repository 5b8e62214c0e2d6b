"""Reads OpenCode's database, and never writes it.

A message and a part of one are rows with the agent's own JSON, but for the ids, which are in columns. We make lines of
them: the session's, with what does not depend on the machine, and one for each message, as `opencode export` has it.
Hooks import `_sqlite3` alone: the package around it takes longer to load than a query.
"""

from __future__ import annotations

import os

from entire.agents import transcripts
from entire.agents.untrusted import clean, loads
from entire.model import jsontext
from entire.model.ids import is_session_id
from entire.model.positions import SessionRef
from entire.model.transcripts import SessionFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Rows = list[tuple[Any, ...]]

LARGEST = transcripts.MAX_SPAN
"""Bytes of a session; one with more is not read to its end."""
_PATIENCE = 1.0  # seconds for which another process may lock the whole database
_COLUMNS = ("id", "parent_id", "slug", "version", "title", "permission", "revert", "time_created")
_SESSION = f"SELECT {', '.join(_COLUMNS)} FROM session WHERE id = ?"  # noqa: S608  # our own names
_MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS = "SELECT message_id, id, data FROM part WHERE session_id = ? ORDER BY message_id, id"
_STARTED_IN = (
    "SELECT id, time_updated FROM session WHERE directory = ? AND parent_id IS NULL ORDER BY time_updated DESC"
)
_HAS_MESSAGE = "SELECT 1 FROM message WHERE session_id = ? LIMIT 1"
_MOST_LISTED = 500


def lines(session_ref: str) -> tuple[bytes, int]:
    """Return a session's lines, and how many bytes of them do not change any more: those before its last prompt, of
    which OpenCode adds to the message what it changed.
    """
    ref = SessionRef(session_ref)
    session, messages, parts = _read(ref.database, (_SESSION, ref.key), (_MESSAGES, ref.key), (_PARTS, ref.key))
    if not session:
        return b"", 0
    by_message: dict[str, list[str]] = {}
    for message, part, data in parts:
        by_message.setdefault(message, []).append(_object(data, id=part, sessionID=ref.key, messageID=message))
    composed, settled = bytearray(_session_line(session[0])), 0
    for message, data in messages:
        if '"role":"user"' in data:
            settled = len(composed)
        info = _object(data, id=message, sessionID=ref.key)
        line = f'{{"info":{info},"parts":[{",".join(by_message.get(message, ()))}]}}\n'
        composed += line.encode("utf-8", "replace")
        if len(composed) > LARGEST:
            break
    return bytes(composed), settled


def listed(database: str, root: str) -> list[SessionFile]:
    """Return the newest sessions that were started in a folder, without those of subagents."""
    folders = dict.fromkeys((root, os.path.realpath(root)))
    found = _read(database, *((f"{_STARTED_IN} LIMIT {_MOST_LISTED}", folder) for folder in folders))
    return [
        SessionFile(session_id=name, session_ref=SessionRef.of_rows(database, name), changed=updated / 1000)
        for rows in found for name, updated in rows
        if is_session_id(clean(name)) and isinstance(updated, int)
    ]  # fmt: skip


def has_message(session_ref: str) -> bool:
    ref = SessionRef(session_ref)
    return bool(_read(ref.database, (_HAS_MESSAGE, ref.key))[0])


def _read(database: str, *questions: tuple[str, str]) -> list[Rows]:
    """Return the rows that answer each question, all as they are at one moment; none if they cannot be read."""
    import _sqlite3

    nothing: list[Rows] = [[] for _ in questions]
    if not os.path.isfile(database):
        return nothing
    named = database.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    try:
        connection = _sqlite3.connect(f"file:{named}?mode=ro", timeout=_PATIENCE, uri=True)
        try:
            connection.execute("BEGIN")
            return [connection.execute(question, (key,)).fetchall() for question, key in questions]
        finally:
            connection.close()
    except (_sqlite3.Error, ValueError):  # ValueError: a path with a NUL
        return nothing


def _session_line(row: tuple[Any, ...]) -> bytes:
    known = dict(zip(_COLUMNS, row, strict=True))
    info = {
        "id": clean(known["id"]), "parentID": clean(known["parent_id"]), "slug": clean(known["slug"]),
        "version": clean(known["version"]), "title": clean(known["title"]), "permission": _json(known["permission"]),
        "revert": _json(known["revert"]),
    }  # fmt: skip
    told = {key: value for key, value in info.items() if value} | {"time": {"created": known["time_created"]}}
    return jsontext.dumps({"info": told}, ensure_ascii=False, compact=True).encode("utf-8", "replace") + b"\n"


def _json(text: object) -> Any:
    return loads(clean(text).encode()) if text else None


def _object(data: str, **ids: str) -> str:
    """Return the JSON of a row with its ids. A break of the line means nothing there."""
    given = jsontext.dumps(ids, compact=True)
    return given if data[1:2] in ("}", "") else f"{given[:-1]},{data[1:]}".replace("\n", " ")
