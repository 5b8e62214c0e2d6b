"""Bringing the index up to date: how far it is, and what is kept of it when it is interrupted."""

from __future__ import annotations

import signal
import sqlite3
import threading
import tracemalloc
from contextlib import closing

import pytest

from entire.index import database, texts, update
from entire.index.entries import IndexEntry, IndexSource
from entire.index.tracks import Tracks

SOURCES = [IndexSource(key=f"{number}", session_id=f"session {number // 2}", created=number) for number in range(6)]


def read(source: IndexSource) -> list[IndexEntry]:
    return [IndexEntry(kind="prompt", text=f"text {at}", position=at) for at in range(int(source.key) % 2 + 1)]


def held(db: sqlite3.Connection) -> list[str]:
    return sorted(key for (key,) in db.execute("SELECT key FROM version"))


def test_progress_says_how_many_conversations_are_read_and_how_many_there_are() -> None:
    told: list[tuple[int, int, int]] = []
    with closing(database.connect(":memory:")) as db:
        update.change(db, SOURCES, [], read, lambda *counts: told.append(counts))
    assert told == [(1, 6, 2), (2, 6, 3), (3, 6, 5), (4, 6, 6), (5, 6, 8), (6, 6, 9)]


@pytest.mark.parametrize("problem", [KeyboardInterrupt, MemoryError])
def test_what_was_read_before_reading_ended_is_kept_and_not_read_again(problem: type[BaseException]) -> None:
    asked: list[str] = []

    def failing(source: IndexSource) -> list[IndexEntry]:
        asked.append(source.key)
        if len(asked) == 4:
            raise problem
        return read(source)

    with closing(database.connect(":memory:")) as db:
        with pytest.raises(problem):
            update.change(db, SOURCES, [], failing, lambda *_: None)
        db.rollback()
        assert held(db) == ["0", "1", "3"]
        update.change(db, SOURCES, [], failing, lambda *_: None)
        assert asked == ["1", "0", "3", "2", "2", "5", "4"]
        assert held(db) == ["0", "1", "2", "3", "4", "5"]
        whole = contents(db)
    with closing(database.connect(":memory:")) as db:
        update.change(db, SOURCES, [], read, lambda *_: None)
        assert contents(db) == whole


def contents(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    return sorted(db.execute("SELECT t.body, t.rank, m.position, v.key FROM message m JOIN text t ON t.id = m.text"
                             " JOIN version v ON v.id = m.version"))  # fmt: skip


def test_an_interruption_while_a_conversation_is_written_waits_until_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    add = Tracks.add

    def interrupted(tracks: Tracks, source: IndexSource, entries: list[IndexEntry]) -> None:
        if source.key == "3":
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        add(tracks, source, entries)

    monkeypatch.setattr(Tracks, "add", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with closing(database.connect(":memory:")) as db:
            with pytest.raises(KeyboardInterrupt):
                update.change(db, SOURCES, [], read, lambda *_: None)
            db.rollback()
            assert held(db) == ["0", "1", "3"]
            assert not db.in_transaction
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    finally:
        signal.signal(signal.SIGINT, before)


def test_texts_are_written_in_slices_that_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(database.connect(":memory:")) as db:
        update.change(db, SOURCES, [], read, lambda *_: None)
        whole = contents(db)
    monkeypatch.setattr(texts, "_SLICE", 5)
    monkeypatch.setattr(update, "_BATCH_TEXTS", 5)
    with closing(database.connect(":memory:")) as db:
        update.change(db, SOURCES, [], read, lambda *_: None)
        assert contents(db) == whole
        assert len(db.execute("SELECT 1 FROM words WHERE words MATCH 'text'").fetchall()) == 2


def test_writing_a_long_conversation_takes_little_more_memory_than_its_texts() -> None:
    size, count = 1 << 18, 64
    said = [IndexEntry(kind="answer", text=f"{number} {'word ' * (size // 5)}", position=number)
            for number in range(count)]  # fmt: skip
    with closing(database.connect(":memory:")) as db:
        tracemalloc.start()
        update.change(db, SOURCES[:1], [], lambda _: said, lambda *_: None)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < count * size * 1.5
