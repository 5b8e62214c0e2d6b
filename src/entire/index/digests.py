"""What commands found in stored transcripts, kept so that each is read once: a file beside the search index.

It can be deleted at any time. A value is kept for the ids of the objects in which it was found. Another version of this
program starts anew: what it finds may differ.
"""

from __future__ import annotations

import functools
import json
import os
import sqlite3
import zlib
from contextlib import closing
from urllib.parse import quote

import entire
from entire.index import database
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    Key = tuple[str, ...]

NAME = "digests.db"
MOST = 64 << 20
"""Bytes of values; the oldest go first."""
_TABLE = "CREATE TABLE digest (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body BLOB NOT NULL)"
_WAIT = 0.5  # seconds for another command that writes
_CLASS = "="  # the member of an encoded value that names its class


class Digests:
    """The values in a folder's file. Where that cannot be read or written, each command finds them anew.

    ``classes``: of the values; ``may_keep`` is asked before anything is written.
    """

    def __init__(self, folder: str, classes: Iterable[type[Value]], may_keep: Callable[[], bool]) -> None:
        self._path = os.path.join(folder, NAME)
        self._classes = {kind.__name__: kind for kind in classes}
        self._may_keep = may_keep
        self._db: sqlite3.Connection | None = None
        self._found: dict[Key, Any] = {}
        self._unsaved: list[Key] = []

    def get(self, *key: str) -> Any:
        """Return the value that is kept for a key, None if there is none."""
        if key in self._found:
            return self._found[key]
        try:
            row = self._opened().execute("SELECT body FROM digest WHERE key = ?", (_name(key),)).fetchone()
            return self._decoded(json.loads(zlib.decompress(row[0]))) if row is not None else None
        except (sqlite3.Error, OSError, ValueError, KeyError, TypeError, zlib.error):  # damaged, or not to be read
            return None

    def has(self, *key: str) -> bool:
        """Tell whether a value is kept for a key."""
        try:
            rows = self._opened().execute("SELECT 1 FROM digest WHERE key = ?", (_name(key),))
            return key in self._found or rows.fetchone() is not None
        except (sqlite3.Error, OSError):
            return False

    def take(self) -> list[tuple[Key, object]]:
        """Return what would be saved, for another process to keep; it is not saved here."""
        new, self._unsaved = dict.fromkeys(self._unsaved), []
        return [(key, self._found.pop(key)) for key in new]

    def close(self) -> None:
        """Close the file; the next question opens it again."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def put(self, value: object, *key: str) -> None:
        """Keep a value until the end of this command; ``save`` keeps it for others."""
        self._found[key] = value
        self._unsaved.append(key)

    def save(self) -> None:
        """Write what is new, if that can be done at once."""
        new, self._unsaved = dict.fromkeys(self._unsaved), []
        if not new or not _version():
            return
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o750, exist_ok=True)
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))  # only its owner reads it
            self._write([(_name(key), _packed(self._found[key])) for key in new])
        except sqlite3.DatabaseError as error:
            if not isinstance(error, sqlite3.OperationalError):  # damaged
                remove(os.path.dirname(self._path))
        except OSError:
            pass

    def _write(self, rows: Sequence[tuple[str, bytes]]) -> None:
        """Write rows into the file as it is now. If that is removed meanwhile, so are they; if something was forgotten
        since this command read it, nothing is written.
        """
        with closing(sqlite3.connect(self._path, timeout=_WAIT)) as db:
            if self._may_keep():
                _prepare(db)
                with db:
                    db.executemany("INSERT OR REPLACE INTO digest (key, body) VALUES (?, ?)", rows)
                    _bound(db)

    def _opened(self) -> sqlite3.Connection:
        if self._db is None:
            db = sqlite3.connect(f"file:{quote(self._path)}?mode=ro", uri=True, timeout=_WAIT)
            self._db = db if _is_current(db) else sqlite3.connect(":memory:")
        return self._db

    def _decoded(self, given: Any) -> Any:
        if isinstance(given, list):
            return tuple(map(self._decoded, given))
        if isinstance(given, dict):
            kind = self._classes[given.pop(_CLASS)]
            return kind(**{name: self._decoded(inner) for name, inner in given.items()})
        return given


def _packed(value: object) -> bytes:
    return zlib.compress(json.dumps(value, default=_encoded, separators=(",", ":")).encode(), 1)


def _encoded(value: object) -> dict[str, object]:
    assert isinstance(value, Value), value
    return {_CLASS: type(value).__name__, **value.__dict__}


def _name(key: Key) -> str:
    return " ".join(key)


def _prepare(db: sqlite3.Connection) -> None:
    """Set up a connection; makes the table if there is none of this version."""
    db.execute("PRAGMA synchronous = OFF")
    db.execute("PRAGMA secure_delete = ON")
    if not _is_current(db):
        db.execute("PRAGMA auto_vacuum = FULL")
        db.executescript(f"BEGIN; DROP TABLE IF EXISTS digest; {_TABLE}; PRAGMA user_version = {_version()}; COMMIT;")


def _is_current(db: sqlite3.Connection) -> bool:
    return bool(db.execute("PRAGMA user_version").fetchone()[0] == _version())


def _bound(db: sqlite3.Connection) -> None:
    """Remove the oldest values if there are too many: then a quarter goes, so that this is seldom done."""
    while db.execute("SELECT ifnull(sum(length(body)), 0) FROM digest").fetchone()[0] > MOST:
        db.execute("DELETE FROM digest WHERE id IN (SELECT id FROM digest ORDER BY id"
                   " LIMIT (SELECT count(*) / 4 + 1 FROM digest))")  # fmt: skip


@functools.cache
def _version() -> int:
    """Return a number of this program: another one has sources of other sizes and times; 0 if they are not known."""
    facts: list[object] = [entire.__version__]
    folders = [os.path.dirname(entire.__file__)]
    try:
        while folders:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir():
                        folders.append(entry.path)
                    elif entry.name.endswith(".py"):
                        state = entry.stat()
                        facts.append((entry.path, state.st_size, state.st_mtime_ns))
    except OSError:
        return 0
    return zlib.crc32(repr(sorted(map(repr, facts))).encode()) & 0x7FFFFFFF or 1


def remove(folder: str) -> None:
    """Delete what is kept in a folder."""
    database.remove(folder, NAME)


def bodies(folder: str) -> list[str]:
    """Return the texts of each value in a folder, without changing it; nothing if that cannot be read."""
    try:
        return database.read_bodies(os.path.join(folder, NAME), "digest", _unpacked_texts)
    except (ValueError, TypeError, zlib.error):
        return []


def _unpacked_texts(body: bytes) -> str:
    return "\n".join(_texts(json.loads(zlib.decompress(body))))


def _texts(given: object) -> Iterator[str]:
    if isinstance(given, str):
        yield given
    elif isinstance(given, (list, dict)):
        for inner in given if isinstance(given, list) else given.values():
            yield from _texts(inner)
