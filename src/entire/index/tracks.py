"""The messages of one session in the index, as a tree of tracks (``schema``)."""

from __future__ import annotations

from entire.index.entries import OPEN, ORDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from typing import TypeVar

    from entire.index.entries import IndexEntry, IndexSource
    from entire.index.texts import Texts

    T = TypeVar("T")
    Identity = tuple[int, int, int, str, int]  # text, position, turn, tool, failed
    Cover = tuple[int, bool, float, str, int]  # how many messages, then the version that has them, as versions compare


class Tracks:
    """Adds and removes versions of one session's conversation."""

    def __init__(self, db: sqlite3.Connection, texts: Texts, session_id: str) -> None:
        self._db = db
        self._texts = texts
        self._session_id = session_id
        rows = db.execute("SELECT id, parent, fork FROM track WHERE session = ? ORDER BY id", (session_id,))
        self._tracks: dict[int, tuple[int, int]] = {number: (parent, fork) for number, parent, fork in rows}
        self._known: dict[int, list[Identity]] = {}
        self._last: tuple[Sequence[IndexEntry], list[Identity]] = ([], [])  # what was added last

    def add(self, source: IndexSource, entries: Sequence[IndexEntry]) -> None:
        """Add a version; only those of its messages that no track has are written."""
        new = self._identities(entries)
        track, common = self._longest(new)
        if not track or (common < len(new) and common < len(self._messages(track))):
            track = self._fork(track, common)
        version = self._db.execute(
            "INSERT INTO version (key, track, length, session, scope, agent, branch, created, checkpoint)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (source.key, track, len(new), self._session_id, source.scope, source.agent, source.branch, source.created,
             source.checkpoint_id),
        ).fetchone()[0]  # fmt: skip
        self._db.executemany("INSERT OR IGNORE INTO file VALUES (?, ?)", ((version, path) for path in source.files))
        messages = [
            (track, n, text, version, position, turn, entry.time or source.created, entry.time > 0, tool, failed)
            for n, ((text, position, turn, tool, failed), entry) in enumerate(
                zip(new[common:], entries[common:], strict=True), common
            )
        ]
        self._db.executemany("INSERT INTO message VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", messages)
        for _, _, text, _, _, _, time, _, tool, failed in messages:
            self._texts.say(text, time, failed, tool, track)
        self._messages(track).extend(new[common:])

    def remove(self, versions: Sequence[int]) -> None:
        """Remove versions; ``settle`` removes the messages that no other version has."""
        self._db.executemany("DELETE FROM version WHERE id = ?", ((number,) for number in versions))
        self._db.executemany("DELETE FROM file WHERE version = ?", ((number,) for number in versions))

    def settle(self) -> None:
        """Remove what no version has, and find the version where each message is."""
        covers = self._covers()
        for track in sorted(self._tracks, reverse=True):
            fork = self._tracks[track][1]
            end = max([cover[0] for cover in covers[track]], default=fork)
            rows = self._db.execute("DELETE FROM message WHERE track = ? AND n >= ? RETURNING text", (track, end))
            self._texts.touch([text for (text,) in rows])
            if not covers[track]:
                self._db.execute("DELETE FROM track WHERE id = ?", (track,))
            self._place(track, fork, covers[track])

    def _covers(self) -> dict[int, list[Cover]]:
        """Return for each track the versions that go through it, with how many of its messages they have."""
        covers: dict[int, list[Cover]] = {track: [] for track in self._tracks}
        rows = self._db.execute(
            "SELECT track, length, scope = ?, created, key, id FROM version WHERE session = ?", (OPEN, self._session_id)
        )
        for track, length, *version in rows:
            while track:
                covers[track].append((length, *version))
                track, fork = self._tracks[track]
                length = min(length, fork)
        return covers

    def _place(self, track: int, at: int, covers: list[Cover]) -> None:
        """Note for each message of a track the earliest version that has it."""
        for length, _, created, _, version in sorted(covers, key=lambda cover: cover[1:]):
            if length > at:
                rows = self._db.execute(
                    "UPDATE message SET version = ?, time = CASE WHEN is_timed THEN time ELSE ? END"
                    " WHERE track = ? AND n >= ? AND n < ? AND version <> ? RETURNING text, is_timed",
                    (version, created, track, at, length, version),
                )
                self._texts.touch([text for text, is_timed in rows if not is_timed])
                at = length

    def _identities(self, entries: Sequence[IndexEntry]) -> list[Identity]:
        """Return what identifies messages; versions have most of them in common with the one that was added before."""
        common = _common(self._last[0], entries)
        identities = self._last[1][:common]
        for kind, text, position, turn, _, tool, failed in entries[common:]:
            identities.append((self._texts.add(ORDER[kind], text), position, turn, tool, int(failed)))
        self._last = (entries, identities)
        return identities

    def _longest(self, new: list[Identity]) -> tuple[int, int]:
        """Return the track that has most of a conversation's beginning, and how many messages; (0, 0) if none has."""
        best = (0, 0)
        for track in self._tracks:
            known = self._messages(track)
            best = max(best, (track, _common(known, new)), key=lambda pair: pair[1])
        return best

    def _messages(self, track: int) -> list[Identity]:
        """Return what identifies the messages on the path to a track's end."""
        if track not in self._known:
            parent, fork = self._tracks[track]
            before = self._messages(parent)[:fork] if parent else []
            rows = self._db.execute(
                "SELECT text, position, turn, tool, failed FROM message WHERE track = ? ORDER BY n", (track,)
            )
            self._known[track] = [*before, *rows]
        return self._known[track]

    def _fork(self, parent: int, common: int) -> int:
        row = self._db.execute(
            "INSERT INTO track (session, parent, fork) VALUES (?, ?, ?) RETURNING id",
            (self._session_id, parent, common),
        ).fetchone()
        self._tracks[row[0]] = (parent, common)
        self._known[row[0]] = self._messages(parent)[:common] if parent else []
        return int(row[0])


def _common(one: Sequence[T], other: Sequence[T]) -> int:
    """Return how long the beginning is that two lists have in common."""
    length = min(len(one), len(other))
    if one[:length] == other[:length]:  # as with most: much faster than item by item
        return length
    return next((n for n in range(length) if one[n] != other[n]), length)
