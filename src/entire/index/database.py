"""The file of the index: opened, made, and made again when it cannot be used."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from urllib.parse import quote

from entire import files
from entire.errors import EntireError, LockTimeoutError
from entire.index import schema, texts
from entire.index.search import contains, is_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

FOLDER, NAME, LOCK = "index", "search.db", "lock"
_WAIT = 120.0  # seconds for another search that builds the index


class Index:
    """The index in a folder, which is made if it can be.

    Without a file that can be written, an index in memory serves one search; ``note`` then says why.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.note = ""

    @property
    def path(self) -> str:
        return os.path.join(self._folder, NAME)

    def use(self, ask: Callable[[sqlite3.Connection], T], *, waiting: Callable[[], None]) -> T:
        """Return the answer of ``ask``, which may change the index. A damaged or older file is made again."""
        check_support()
        try:
            with self._lock(waiting):
                return self._ask_file(ask)
        except (OSError, sqlite3.Error, LockTimeoutError, _Unwritable) as error:
            self.note = f"the search index could not be written, so this search built one in memory ({_why(error)})"
        try:
            return _ask(self._copy(), ask)
        except sqlite3.Error:
            return _ask(connect(":memory:"), ask)

    def _copy(self) -> sqlite3.Connection:
        """Return a copy in memory of an index that cannot be written, so only what is new is read."""
        copy = sqlite3.connect(":memory:")
        with closing(sqlite3.connect(f"file:{quote(self.path)}?mode=ro", uri=True, timeout=0.1)) as source:
            if source.execute("PRAGMA user_version").fetchone()[0] != schema.VERSION:
                raise sqlite3.DatabaseError("another version")
            source.backup(copy)
        return prepared(copy)

    def _ask_file(self, ask: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return _ask(self._open(), ask)
        except sqlite3.Error as error:
            if _is_outside(error):
                raise
            remove(self._folder)
        return _ask(self._open(), ask)

    def _open(self) -> sqlite3.Connection:
        if os.path.lexists(self.path) and not os.access(self.path, os.W_OK):
            raise _Unwritable("it is read-only")
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))  # only its owner reads it
        db = connect(self.path)
        if db.execute("PRAGMA user_version").fetchone()[0] == schema.VERSION:
            return db
        db.close()
        remove(self._folder)
        return self._open()

    def _lock(self, waiting: Callable[[], None]) -> files.Lock:
        lock = os.path.join(self._folder, LOCK)
        try:
            with files.Lock(lock, timeout=0):
                pass
        except LockTimeoutError:
            waiting()
        except EntireError as error:
            raise _Unwritable(error.message) from error
        return files.Lock(lock, timeout=_WAIT)


class _Unwritable(Exception):
    pass


def check_support() -> None:
    """Raise EntireError if this Python's SQLite cannot search texts."""
    with sqlite3.connect(":memory:") as db:
        try:
            db.execute("CREATE VIRTUAL TABLE words USING fts5 (body)")
        except sqlite3.OperationalError as error:
            raise EntireError(
                f"the SQLite library of this Python ({sqlite3.sqlite_version}) has no FTS5, which search needs",
                hint="install a Python whose SQLite has FTS5, and entire with it",
            ) from error


def connect(path: str) -> sqlite3.Connection:
    """Open an index, which is made if it is new."""
    return prepared(sqlite3.connect(path, timeout=5.0))


def prepared(db: sqlite3.Connection) -> sqlite3.Connection:
    """Return a connection that is set up; makes the tables if there are none."""
    try:
        db.execute(
            "PRAGMA synchronous = OFF"
        )  # survives a killed process; after a crash of the system it is made again
        db.execute("PRAGMA secure_delete = ON")
        db.execute("PRAGMA temp_store = MEMORY")
        db.execute("PRAGMA cache_size = -65536")
        db.create_function("is_in", 2, is_in, deterministic=True)
        db.create_function("contains", 2, contains, deterministic=True)
        if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            db.executescript(f"BEGIN; {schema.TABLES} PRAGMA user_version = {schema.VERSION}; COMMIT;")
    except BaseException:
        db.close()
        raise
    return db


def remove(folder: str, name: str = NAME) -> None:
    """Delete the index in a folder, if there is one; or another file there by its ``name``."""
    for end in ("", "-journal", "-wal", "-shm"):
        files.remove(os.path.join(folder, name) + end)


def bodies(folder: str) -> list[str]:
    """Return all texts of the index in a folder, without changing it; none if there is no index that can be read."""
    return read_bodies(os.path.join(folder, NAME), "text", texts.unpack)


def read_bodies(path: str, table: str, unpack: Callable[[bytes], str]) -> list[str]:
    """Return the texts in the column ``body`` of a table, without changing its file; none if one cannot be read."""
    if not os.path.isfile(path):
        return []
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=5.0)) as db:
            return [unpack(body) for (body,) in db.execute(f"SELECT body FROM {table}")]  # noqa: S608 (a name of ours)
    except sqlite3.Error:
        return []


def _ask(db: sqlite3.Connection, ask: Callable[[sqlite3.Connection], T]) -> T:
    try:
        return ask(db)
    finally:
        db.close()


def _is_outside(error: sqlite3.Error) -> bool:
    """Tell whether a failure is the file system's, so a new file would fail too."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN,
                    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PERM)  # fmt: skip


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return error.message if isinstance(error, EntireError) else str(error)
