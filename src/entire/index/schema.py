"""The tables of the search index (docs/reference/search.md).

A conversation is a path through a tree of tracks: a track adds messages to the first ``fork`` messages of its parent.
So a conversation that only grows is one track, however often it is stored, and one that was rewound shares what it has
in common with the other. Each stored state of a conversation is a version: the first ``length`` messages of its track.
"""

from __future__ import annotations

VERSION = 4
"""Increase it when the tables, the words of a text or how conversations are read change: an index of
another version is built again.
"""

TABLES = """
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tree (checkpoint TEXT NOT NULL, tree TEXT NOT NULL, PRIMARY KEY (checkpoint, tree)) WITHOUT ROWID;
CREATE TABLE track (id INTEGER PRIMARY KEY, session TEXT NOT NULL, parent INTEGER NOT NULL, fork INTEGER NOT NULL);
CREATE INDEX track_session ON track (session);
CREATE TABLE version (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, track INTEGER NOT NULL, length INTEGER NOT NULL,
    session TEXT NOT NULL, scope TEXT NOT NULL, agent TEXT NOT NULL, branch TEXT NOT NULL, created REAL NOT NULL,
    checkpoint TEXT NOT NULL);
CREATE INDEX version_session ON version (session);
CREATE INDEX version_checkpoint ON version (checkpoint);
CREATE TABLE file (version INTEGER NOT NULL, path TEXT NOT NULL, PRIMARY KEY (version, path)) WITHOUT ROWID;
CREATE TABLE message (
    track INTEGER NOT NULL, n INTEGER NOT NULL, text INTEGER NOT NULL, version INTEGER NOT NULL,
    position INTEGER NOT NULL, turn INTEGER NOT NULL, time REAL NOT NULL, is_timed INTEGER NOT NULL,
    tool TEXT NOT NULL, failed INTEGER NOT NULL, PRIMARY KEY (track, n)) WITHOUT ROWID;
CREATE INDEX message_text ON message (text);
CREATE TABLE text (
    id INTEGER PRIMARY KEY, hash INTEGER NOT NULL UNIQUE, kind INTEGER NOT NULL, rank INTEGER NOT NULL,
    marks TEXT NOT NULL, body NOT NULL);
CREATE TABLE link (
    checkpoint TEXT NOT NULL, oid TEXT NOT NULL, author TEXT NOT NULL, time REAL NOT NULL,
    PRIMARY KEY (checkpoint, oid)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
    body, parts, marks, content = '', columnsize = 0, tokenize = "unicode61 remove_diacritics 2");
INSERT INTO words (words, rank) VALUES ('hashsize', 33554432);
"""
