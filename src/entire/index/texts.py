"""The texts of the index: each is held once, with its words, in the order in which results come.

A text's rank is its kind, the time when it was last said, and its id. SQLite walks the words by rank, so the best
results come first without sorting what matches. Marks among the words say which filters a text can pass, so it
also walks past what a filter excludes.
"""

from __future__ import annotations

import functools
import hashlib
import zlib

from entire.index import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    Row = tuple[int, str, str, str]  # rank, words, parts, marks
    Said = tuple[int, float | None, int, int, str, str, int, int]  # what _CHANGED tells of a text

_KIND_SHIFT, _TIME_SHIFT = 60, 26
_MAX_TIME = (1 << 34) - 1
_CHANGED = """
SELECT c.id, max(m.time), count(m.text), max(m.failed), min(m.tool), max(m.tool), min(m.track), max(m.track)
FROM changed c LEFT JOIN message m ON m.text = c.id GROUP BY c.id ORDER BY c.id"""
_PLAIN_BYTES = 400
"""Shorter texts are not compressed: it would cost more than it saves."""
_MANY_SESSIONS = 20
"""A text that more have is marked as such, not with each of them."""
_SLICE = 8 << 20
"""Characters of texts that are written at once; sorted, with their words, they take four times that."""
_MOST_KNOWN = 500_000
"""Texts of which a first build keeps the hashes in memory."""


def pack(text: str, data: bytes) -> str | bytes:
    """Return a text as the index holds it. ``data``: the text in UTF-8."""
    return text if len(data) <= _PLAIN_BYTES else zlib.compress(data, 1)


def unpack(body: str | bytes) -> str:
    return body if isinstance(body, str) else zlib.decompress(body).decode()


def rank(kind: int, time: float, number: int) -> int:
    moment = min(max(int(time), 0), _MAX_TIME)
    return kind << _KIND_SHIFT | moment << _TIME_SHIFT | number & NUMBER


NUMBER = (1 << _TIME_SHIFT) - 1
"""The bits of a rank that are the text's id."""


def ranks(kind: int, since: float, until: float = _MAX_TIME) -> tuple[int, int]:
    """Return the lowest and the highest rank of the texts of a kind that were last said in that time."""
    return rank(kind, since, 0), rank(kind, min(until, _MAX_TIME), -1)


class Texts:
    """Adds texts to an index, and removes those that no message has any more."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._next = int(db.execute("SELECT ifnull(max(id), 0) + 1 FROM text").fetchone()[0])
        self._new: dict[int, tuple[int, int, str]] = {}  # id -> hash, kind, text: not written yet
        self.pending = 0
        """Characters of texts that are not written yet."""
        self._ids: dict[int, int] = {}  # by hash: of these, and of those that were new before
        self._knows_all = self._next == 1  # so far no other text is in the index
        self._changed: set[int] = set()
        self._once: dict[int, Said] = {}  # new texts that one message has
        self._tracks: dict[int, str] = {}  # the marks of their sessions
        self._has_removed = False
        self._mark_of_tool = functools.lru_cache(words.of_tool)
        self._marks_of = functools.lru_cache(self._compose_marks)  # most texts have those of their neighbours

    def add(self, kind: int, text: str) -> int:
        """Return the id of a text, which is new or known."""
        data = text.encode("utf-8", "replace")
        text = text if len(data) == len(text) else data.decode()
        digest = hashlib.blake2b(data, digest_size=8, salt=bytes([kind])).digest()
        key = int.from_bytes(digest, "big", signed=True)
        known = self._ids.get(key)
        if known is not None:
            return known
        if not self._knows_all:
            row = self._db.execute("SELECT id FROM text WHERE hash = ?", (key,)).fetchone()
            if row is not None:
                return int(row[0])
        number = self._ids[key] = self._next
        self._new[number] = (key, kind, text)
        self.pending += len(text)
        self._next += 1
        return number

    def say(self, number: int, time: float, failed: int, tool: str, track: int) -> None:
        """Note that a message with a text was added."""
        if number in self._new and number not in self._once:
            self._once[number] = (number, time, 1, failed, tool, tool, track, track)
        else:
            self._changed.add(number)

    def touch(self, ids: Iterable[int]) -> None:
        """Note that messages with these texts were removed, or got another time."""
        self._changed.update(ids)

    def settle(self) -> None:
        """Write the new texts, give those that were touched their rank and marks, and remove those in no message."""
        fresh: list[tuple[object, ...]] = []
        removed: list[Row] = []
        added: list[Row] = []
        size = 0
        for said in self._said():
            number, last = said[:2]
            if size > _SLICE:
                self._flush(fresh, removed, added)
                size = 0
            marks = self._marks(said) if last is not None else ""
            if number not in self._new:
                self._change(number, last, marks, removed, added)
            elif last is not None:
                key, kind, text = self._new.pop(number)
                after, size = rank(kind, last, number), size + len(text)
                fresh.append((number, key, kind, after, marks, pack(text, text.encode())))
                added.append((after, *words.columns(text), marks))
            else:
                self._forget_ids()
        self._flush(fresh, removed, added)
        self._changed.clear()
        self._once.clear()
        self._new.clear()
        self.pending = 0
        if not self._knows_all or len(self._ids) > _MOST_KNOWN:
            self._forget_ids()

    def _flush(self, fresh: list[tuple[object, ...]], removed: list[Row], added: list[Row]) -> None:
        """Write what was collected, and empty it."""
        self._db.executemany("INSERT INTO text (id, hash, kind, rank, marks, body) VALUES (?, ?, ?, ?, ?, ?)", fresh)
        self._write(sorted(removed), sorted(added))
        fresh.clear()
        removed.clear()
        added.clear()

    def _said(self) -> list[Said]:
        """Return how and where each text that was added or touched is said, by the texts' numbers."""
        self._db.execute("CREATE TEMP TABLE IF NOT EXISTS changed (id INTEGER PRIMARY KEY)")
        self._db.executemany("INSERT INTO changed VALUES (?)", ((number,) for number in self._changed))
        rows = self._db.execute(_CHANGED).fetchall()
        self._db.execute("DELETE FROM changed")
        return sorted([*rows, *(said for number, said in self._once.items() if number not in self._changed)])

    def _forget_ids(self) -> None:
        self._ids.clear()
        self._knows_all = False

    def _change(self, number: int, last: float | None, marks: str, removed: list[Row], added: list[Row]) -> None:
        """Give a text that is written another rank and other marks, or remove it."""
        row = self._db.execute("SELECT kind, rank, marks, body FROM text WHERE id = ?", (number,)).fetchone()
        if row is None:
            return
        kind, *before, body = row
        after = [rank(kind, last, number), marks] if last is not None else []
        if after == before:
            return
        columns = words.columns(unpack(body))
        removed.append((before[0], *columns, before[1]))
        if last is None:
            self._db.execute("DELETE FROM text WHERE id = ?", (number,))
            self._has_removed = True
            self._forget_ids()
            return
        added.append((rank(kind, last, number), *columns, marks))
        self._db.execute("UPDATE text SET rank = ?, marks = ? WHERE id = ?", (*after, number))

    def _marks(self, said: Said) -> str:
        """Return the marks of a text; if its first and last tool and track are the same, all are."""
        number, _, count, failed, tool, last_tool, track, last_track = said
        if (tool, track) == (last_tool, last_track):
            return self._marks_of((tool,), (track,), bool(failed), count > 1)
        rows = self._db.execute("SELECT DISTINCT tool, track FROM message WHERE text = ?", (number,)).fetchall()
        tools, tracks = zip(*rows, strict=True)
        return self._compose_marks(tools, tracks, is_failed=bool(failed), is_repeated=True)

    def _compose_marks(
        self, tools: tuple[str, ...], tracks: tuple[int, ...], is_failed: bool, is_repeated: bool
    ) -> str:
        sessions = {self._mark_of_track(track) for track in tracks}
        marks = [words.EVERY]
        marks += [words.WIDESPREAD] if len(sessions) > _MANY_SESSIONS else sorted(sessions)
        marks += sorted({self._mark_of_tool(tool) for tool in tools if tool})
        marks += [words.FAILED] if is_failed else []
        marks += [words.REPEATED] if is_repeated else []
        return " ".join(marks)

    def _mark_of_track(self, track: int) -> str:
        if track not in self._tracks:
            row = self._db.execute("SELECT session FROM track WHERE id = ?", (track,)).fetchone()
            self._tracks[track] = words.of_session(row[0])
        return self._tracks[track]

    def erase(self) -> None:
        """Overwrite the words of removed texts, which SQLite otherwise only marks as removed."""
        if self._has_removed:
            self._db.execute("INSERT INTO words (words) VALUES ('optimize')")
            self._has_removed = False

    def _write(self, removed: list[Row], added: list[Row]) -> None:
        """Change the words, each way by rising rank: SQLite writes a part of its index whenever the order breaks."""
        delete = "INSERT INTO words (words, rowid, body, parts, marks) VALUES ('delete', ?, ?, ?, ?)"
        self._db.executemany(delete, removed)
        self._db.executemany("INSERT INTO words (rowid, body, parts, marks) VALUES (?, ?, ?, ?)", added)
