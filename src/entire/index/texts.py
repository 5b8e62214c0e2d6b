"""The texts of the index: each is held once, with its words, in the order in which results come.

A text's rank is its kind, the time when it was last said, and its id. SQLite walks the words by rank, so that the best
results come first without sorting what matches.
"""

from __future__ import annotations

import hashlib
import zlib

from entire.index import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

_KIND_SHIFT, _TIME_SHIFT = 60, 26
_MAX_TIME = (1 << 34) - 1
_CHANGED = """
SELECT t.id, t.kind, t.rank, t.body, (SELECT max(m.time) FROM message m WHERE m.text = t.id)
FROM changed c JOIN text t ON t.id = c.id"""
_PLAIN_BYTES = 400
"""Shorter texts are not compressed: it would cost more than it saves."""


def pack(data: bytes) -> str | bytes:
    """Return a text as the index holds it."""
    return data.decode() if len(data) <= _PLAIN_BYTES else zlib.compress(data, 1)


def unpack(body: str | bytes) -> str:
    return body if isinstance(body, str) else zlib.decompress(body).decode()


def rank(kind: int, time: float, number: int) -> int:
    moment = min(max(int(time), 0), _MAX_TIME)
    return kind << _KIND_SHIFT | moment << _TIME_SHIFT | number & NUMBER


NUMBER = (1 << _TIME_SHIFT) - 1
"""The bits of a rank that are the text's id."""


def ranks(kind: int, since: float) -> tuple[int, int]:
    """Return the lowest and the highest rank of the texts of a kind that were said since then."""
    return rank(kind, since, 0), rank(kind, _MAX_TIME, -1)


class Texts:
    """Adds texts to an index, and removes those that no message has any more."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._changed: set[int] = set()
        self._has_removed = False

    def add(self, kind: int, text: str) -> int:
        """Return the id of a text, which is new or known."""
        data = text.encode("utf-8", "replace")
        digest = hashlib.blake2b(data, digest_size=8, salt=bytes([kind])).digest()
        key = int.from_bytes(digest, "big", signed=True)
        row = (key, kind, pack(data))
        done = self._db.execute("INSERT OR IGNORE INTO text (hash, kind, body) VALUES (?, ?, ?)", row)
        if done.rowcount and done.lastrowid:
            return done.lastrowid
        return int(self._db.execute("SELECT id FROM text WHERE hash = ?", (key,)).fetchone()[0])

    def touch(self, ids: Iterable[int]) -> None:
        """Note that messages with these texts were added, removed, or got another time."""
        self._changed.update(ids)

    def settle(self) -> None:
        """Give the texts that were touched their rank, and remove those that are in no message."""
        self._db.execute("CREATE TEMP TABLE IF NOT EXISTS changed (id INTEGER PRIMARY KEY)")
        self._db.executemany("INSERT INTO changed VALUES (?)", ((number,) for number in sorted(self._changed)))
        removed: list[tuple[int, str, str]] = []
        added: list[tuple[int, str, str]] = []
        ranked: list[tuple[int | None, int]] = []
        gone: list[tuple[int]] = []
        for number, kind, before, body, last in self._db.execute(_CHANGED):
            after = None if last is None else rank(kind, last, number)
            if after is None:
                gone.append((number,))
            if after == before:
                continue
            columns = words.columns(unpack(body))
            if before is not None:
                removed.append((before, *columns))
            if after is not None:
                added.append((after, *columns))
                ranked.append((after, number))
        self._db.execute("DELETE FROM changed")
        self._write(sorted(removed), sorted(added))
        self._db.executemany("DELETE FROM text WHERE id = ?", gone)
        self._db.executemany("UPDATE text SET rank = ? WHERE id = ?", ranked)
        self._has_removed = self._has_removed or bool(gone)
        self._changed.clear()

    def erase(self) -> None:
        """Overwrite the words of removed texts, which SQLite otherwise only marks as removed."""
        if self._has_removed:
            self._db.execute("INSERT INTO words (words) VALUES ('optimize')")
            self._has_removed = False

    def _write(self, removed: list[tuple[int, str, str]], added: list[tuple[int, str, str]]) -> None:
        """Change the words, each way by rising rank: SQLite writes a part of its index whenever the order breaks."""
        self._db.executemany("INSERT INTO words (words, rowid, body, parts) VALUES ('delete', ?, ?, ?)", removed)
        self._db.executemany("INSERT INTO words (rowid, body, parts) VALUES (?, ?, ?)", added)
