"""Brings an index up to date: adds conversations that are new, and forgets those that are gone."""

from __future__ import annotations

import gc

from entire.index.texts import Texts
from entire.index.tracks import Tracks

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

    from entire.index.entries import IndexLink, IndexSource, Read

_BATCH = 20_000
"""Messages in a transaction: an interrupted build continues after the last one."""


def state(db: sqlite3.Connection, name: str) -> str:
    """Return what ``remember`` noted last, ''  if nothing."""
    found = db.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
    return str(found[0]) if found is not None else ""


def remember(db: sqlite3.Connection, name: str, value: str) -> None:
    """Note what the index is up to date with."""
    with db:
        db.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))


def missing(db: sqlite3.Connection, keys: Iterable[str]) -> list[str]:
    """Return the keys of conversations that the index does not have."""
    return [key for key in keys if db.execute("SELECT 1 FROM version WHERE key = ?", (key,)).fetchone() is None]


def keys(db: sqlite3.Connection, scope: str) -> set[str]:
    """Return the keys of the conversations of a scope."""
    return {key for (key,) in db.execute("SELECT key FROM version WHERE scope = ?", (scope,))}


def change(
    db: sqlite3.Connection, new: Sequence[IndexSource], gone: Iterable[str], read: Read,
    progress: Callable[[int], None],
) -> None:  # fmt: skip
    """Add conversations, and forget those with the keys ``gone``. Calls ``progress`` with the messages read so far."""
    was_enabled = gc.isenabled()
    gc.disable()  # a build makes millions of values and no cycles
    try:
        _change(db, new, gone, read, progress)
    finally:
        if was_enabled:
            gc.enable()


def _change(
    db: sqlite3.Connection, new: Sequence[IndexSource], gone: Iterable[str], read: Read,
    progress: Callable[[int], None],
) -> None:  # fmt: skip
    added: dict[str, list[IndexSource]] = {}
    unknown = set(missing(db, [source.key for source in new]))
    for source in sorted(new, key=lambda source: (source.created, source.key)):
        if source.key in unknown:
            added.setdefault(source.conversation, []).append(source)
    removed: dict[str, list[int]] = {}
    for key in gone:
        for number, session_id in db.execute("SELECT id, session FROM version WHERE key = ?", (key,)):
            removed.setdefault(session_id, []).append(number)
    texts, count, pending = Texts(db), 0, 0
    for session_id in dict.fromkeys([*added, *removed]):
        tracks = Tracks(db, texts, session_id)
        for source in reversed(added.get(session_id, [])):  # the last has most of the others in it
            entries = read(source)
            tracks.add(source, entries)
            pending += len(entries)
        tracks.remove(removed.get(session_id, ()))
        tracks.settle()
        if pending >= _BATCH:
            texts.settle()
            db.commit()
            count, pending = count + pending, 0
            progress(count)
    texts.settle()
    texts.erase()
    db.commit()


def set_links(db: sqlite3.Connection, links: Iterable[IndexLink]) -> None:
    """Replace what is known of which commits have which checkpoints."""
    with db:
        db.execute("DELETE FROM link")
        db.executemany("INSERT OR REPLACE INTO link VALUES (?, ?, ?, ?)",
                       ((link.checkpoint_id, link.oid, link.author, link.time) for link in links))  # fmt: skip


# ---------------------------------------------------------------- trees of checkpoints


def trees(db: sqlite3.Connection) -> set[tuple[str, str]]:
    """Return the checkpoints that the index has taken in: their ids and trees."""
    return set(db.execute("SELECT checkpoint, tree FROM tree"))


def set_trees(db: sqlite3.Connection, found: Iterable[tuple[str, str]]) -> None:
    with db:
        db.execute("DELETE FROM tree")
        db.executemany("INSERT INTO tree VALUES (?, ?)", found)
