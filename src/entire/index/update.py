"""Brings an index up to date: adds conversations that are new, and forgets those that are gone."""

from __future__ import annotations

import gc
import signal

from entire.index.texts import Texts
from entire.index.tracks import Tracks

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from entire.index.entries import IndexEntry, IndexLink, IndexSource, Read

    Expect = Callable[[Mapping[str, Sequence[IndexSource]]], None]
    Progress = Callable[[int, int, int], None]  # conversations that were read, of how many; their messages

_BATCH = 20_000
"""Messages in a transaction: a build that is killed continues after the last one."""
_BATCH_TEXTS = 16 << 20
"""Characters of new texts in a transaction, which are held until then."""


def state(db: sqlite3.Connection, name: str) -> str:
    """Return what ``remember`` noted last, ''  if nothing."""
    row = db.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
    return str(row[0]) if row is not None else ""


def remember(db: sqlite3.Connection, name: str, value: str) -> None:
    """Note what the index is up to date with."""
    with db:
        db.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))


def missing(db: sqlite3.Connection, keys: Iterable[str]) -> list[str]:
    """Return the keys of conversations that the index does not have."""
    return [key for key in keys if db.execute("SELECT 1 FROM version WHERE key = ?", (key,)).fetchone() is None]


def sessions(db: sqlite3.Connection, keys: Iterable[str]) -> set[str]:
    """Return the sessions of those of these conversations that the index has."""
    rows = (db.execute("SELECT session FROM version WHERE key = ?", (key,)).fetchone() for key in keys)
    return {row[0] for row in rows if row is not None}


def keys(db: sqlite3.Connection, scope: str) -> set[str]:
    """Return the keys of the conversations of a scope."""
    return {key for (key,) in db.execute("SELECT key FROM version WHERE scope = ?", (scope,))}


def change(
    db: sqlite3.Connection, new: Iterable[IndexSource], gone: Iterable[str], read: Read, progress: Progress,
    expect: Expect = lambda _: None,
) -> None:  # fmt: skip
    """Add conversations, and forget those with the keys ``gone``. ``expect`` is told first what is read, in its order.

    If reading fails, or the user interrupts it, what was read by then stays in the index.
    """
    was_enabled = gc.isenabled()
    gc.disable()  # a build makes millions of values and no cycles
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        _change(db, new, gone, lambda source: _interruptible(read, source, before), progress, expect)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if was_enabled:
            gc.enable()


def _interruptible(read: Read, source: IndexSource, mask: Iterable[int]) -> Sequence[IndexEntry]:
    """Read a conversation. Only meanwhile, an interruption arrives: a conversation is written wholly or not at all."""
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return read(source)
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))


def _change(
    db: sqlite3.Connection, new: Iterable[IndexSource], gone: Iterable[str], read: Read, progress: Progress,
    expect: Expect,
) -> None:  # fmt: skip
    added: dict[str, list[IndexSource]] = {}
    new = sorted(new, key=lambda source: (source.created, source.key))
    unknown = set(missing(db, [source.key for source in new]))
    for source in new:
        if source.key in unknown:
            added.setdefault(source.conversation, []).append(source)
    del new  # there may be very many: each goes when it is read
    removed: dict[str, list[int]] = {}
    for key in gone:
        for number, session_id in db.execute("SELECT id, session FROM version WHERE key = ?", (key,)):
            removed.setdefault(session_id, []).append(number)
    for sources in added.values():
        sources.reverse()  # the last has most of the others in it
    expect(added)
    texts, done, count, pending = Texts(db), 0, 0, 0
    for session_id in dict.fromkeys([*added, *removed]):
        tracks = Tracks(db, texts, session_id)
        for source in added.pop(session_id, []):
            try:
                entries = read(source)
            except BaseException:
                _keep(db, texts, tracks)
                raise
            tracks.add(source, entries)
            done, count, pending = done + 1, count + len(entries), pending + len(entries)
            progress(done, len(unknown), count)
        tracks.remove(removed.get(session_id, ()))
        if pending < _BATCH and texts.pending < _BATCH_TEXTS:
            tracks.settle()
        else:
            _keep(db, texts, tracks)
            pending = 0
    texts.settle()
    texts.erase()
    db.commit()


def _keep(db: sqlite3.Connection, texts: Texts, tracks: Tracks) -> None:
    tracks.settle()
    texts.settle()
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


def set_trees(db: sqlite3.Connection, pairs: Iterable[tuple[str, str]]) -> None:
    with db:
        db.execute("DELETE FROM tree")
        db.executemany("INSERT INTO tree VALUES (?, ?)", pairs)
