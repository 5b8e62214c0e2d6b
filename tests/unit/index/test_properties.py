"""The index against a plain model: a list of conversations in which texts are looked for one by one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entire.index import database, search, texts, update, words
from entire.index.entries import OPEN, STORED, IndexEntry, IndexLink, IndexSource
from entire.index.tracks import Tracks
from entire.model.findings import KINDS, SearchRequest
from entire.model.value import replace

WORDS = ("zebra", "yak", "walrus", "snake_case", "camelCase", "a/path.py", "登录错误", "naïve", "C++", "x")
PERIODS = ((0.0, 0.0), (0.0, 60.0), (50.0, 100.0), (90.0, 0.0))

entries = st.builds(
    IndexEntry,
    kind=st.sampled_from(KINDS),
    text=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
    position=st.just(0),
    turn=st.just(0),
    time=st.sampled_from((0.0, 50.0, 100.0, 2e9)),
    tool=st.sampled_from(("", "Bash", "Bash, or not")),
    failed=st.booleans(),
)
conversations = st.lists(entries, max_size=8)


@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, tuple[IndexSource, list[IndexEntry]]]]:
    """Return what is stored at some moments, by key: conversations that grow, are rewound, appear and vanish."""
    now: dict[str, tuple[IndexSource, list[IndexEntry]]] = {}
    moments = []
    said: dict[str, list[IndexEntry]] = {"one": [], "two": []}
    for number in range(draw(st.integers(1, 6))):
        session = draw(st.sampled_from(("one", "two")))
        kept = draw(st.integers(0, len(said[session]) + 3))
        more = [entry._replace(position=at) for at, entry in enumerate(draw(conversations), min(kept, 99))]
        said[session] = [*said[session][:kept], *more]
        for key in draw(st.lists(st.sampled_from(sorted(now)), unique=True)) if now else ():
            del now[key]
        scope, created = draw(st.sampled_from((STORED, OPEN))), float(draw(st.integers(1, 5)))
        source = IndexSource(key=f"k{number}", session_id=session, scope=scope, created=created,
                        checkpoint_id="" if scope == OPEN else f"c{number}")  # fmt: skip
        now[source.key] = (source, said[session])
        moments.append(dict(now))
    return moments


def placed(present: dict[str, tuple[IndexSource, list[IndexEntry]]]) -> dict[tuple[object, ...], float]:
    """Return when each beginning of a conversation was first stored: in a checkpoint, if one has it."""
    found: dict[tuple[object, ...], tuple[bool, float]] = {}
    for source, said in present.values():
        for at in range(len(said)):
            place, key = (source.scope == OPEN, source.created), (source.session_id, *said[: at + 1])
            found[key] = min(place, found.get(key, place))
    return {key: created for key, (_, created) in found.items()}


@contextmanager
def index() -> Iterator[sqlite3.Connection]:
    with closing(database.connect(":memory:")) as db:
        yield db


def bring(db: sqlite3.Connection, present: dict[str, tuple[IndexSource, list[IndexEntry]]]) -> None:
    """Bring an index to what is stored now."""
    known = update.keys(db, STORED) | update.keys(db, OPEN)
    update.change(db, [source for source, _ in present.values()], known - set(present),
                  lambda source: present[source.key][1], lambda *_: None)  # fmt: skip


def content(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Return every message that the index has, with where it says that it is, and the rank of its text."""
    rows = db.execute(
        "SELECT v.session, v.key, m.n, t.kind, t.body, m.position, m.turn, m.time, m.tool, m.failed, t.rank >> 26"
        " FROM message m JOIN version v ON v.id = m.version JOIN text t ON t.id = m.text"
    )
    return sorted(set(rows), key=repr)


def words_of(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Return where each word is: SQLite's own list of its index, by the texts' bodies."""
    db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, instance)")
    rows = db.execute(
        "SELECT w.term, w.col, w.offset, t.kind, t.body FROM temp.vocabulary w JOIN text t ON t.rank = w.doc"
    )
    return sorted(rows, key=repr)


@given(moments=histories())
@settings(max_examples=120, deadline=None)
def test_an_index_that_was_brought_up_to_date_equals_a_new_one(
    moments: Sequence[dict[str, tuple[IndexSource, list[IndexEntry]]]],
) -> None:
    with index() as followed, index() as new:
        for present in moments:
            bring(followed, present)
        bring(new, moments[-1])
        assert content(followed) == content(new)
        assert words_of(followed) == words_of(new)
        assert followed.execute("SELECT count(*) FROM text").fetchone() == new.execute(
            "SELECT count(DISTINCT text) FROM message"
        ).fetchone()  # fmt: skip
        if not moments[-1]:
            assert followed.execute("SELECT count(*) FROM message").fetchone() == (0,)


@st.composite
def filters(draw: st.DrawFn) -> SearchRequest:
    """Return a query for one word: in half of the cases each filter is set."""
    kind = draw(st.sampled_from(("", *KINDS)))
    return SearchRequest(
        query=draw(st.sampled_from((*WORDS, "zebra*", "yak*"))),
        kinds=(kind,) if kind else (),
        failed=draw(st.booleans()),
        tool=draw(st.sampled_from(("", "", "bash", "Bash, or not"))),
        session=draw(st.sampled_from(("", "", "one", "tw"))),
        limit=0,
    )


@given(moments=histories(), request=filters(), period=st.sampled_from(PERIODS))
@settings(max_examples=100, deadline=None)
def test_every_word_is_found_where_it_is_and_nowhere_else(
    moments: Sequence[dict[str, tuple[IndexSource, list[IndexEntry]]]],
    request: SearchRequest,
    period: tuple[float, float],
) -> None:
    sessions = {source.session_id for source, _ in moments[-1].values()}
    request = request if any(name.startswith(request.session) for name in sessions) else replace(request, session="")
    since, until = period[0], period[1] or float("inf")
    earliest = placed(moments[-1])
    expected = {
        (entry.kind, entry.text)
        for source, said in moments[-1].values()
        for at, entry in enumerate(said)
        if request.query.rstrip("*") in entry.text.split()
        and entry.kind in (request.kinds or KINDS)
        and (entry.failed or not request.failed)
        and request.tool.lower() in ("", entry.tool.lower())
        and source.session_id.startswith(request.session)
        and since <= (entry.time or earliest[source.session_id, *said[: at + 1]]) <= until
    }
    with index() as db:
        for present in moments:
            bring(db, present)
        found, has_more = search.find(db, request, since=since, until=period[1])
    assert {(finding.kind, finding.snippet) for finding in found} == expected
    assert (len(found), has_more) == (len(expected), False)
    assert [finding.kind for finding in found] == sorted((finding.kind for finding in found), key=KINDS.index)
    for name in KINDS:
        times = [finding.time for finding in found if finding.kind == name]
        assert times == sorted(times, reverse=True)


def test_a_conversation_that_grows_is_one_track_and_a_rewound_one_shares_its_beginning() -> None:
    said = [IndexEntry(kind="prompt", text=f"word{n}", position=n) for n in range(6)]
    other = [*said[:3], IndexEntry(kind="prompt", text="another", position=3)]
    with index() as db:
        tracks = Tracks(db, texts.Texts(db), "s")
        for key, conversation in (("a", said[:2]), ("b", said), ("c", other), ("d", said[:4])):
            tracks.add(IndexSource(key=key, session_id="s"), conversation)
        assert db.execute("SELECT id, parent, fork FROM track").fetchall() == [(1, 0, 0), (2, 1, 3)]
        assert db.execute("SELECT key, track, length FROM version").fetchall() == [
            ("a", 1, 2), ("b", 1, 6), ("c", 2, 4), ("d", 1, 4)
        ]  # fmt: skip
        assert db.execute("SELECT count(*) FROM message").fetchone() == (7,)


def test_a_text_is_held_once_and_compressed() -> None:
    long = "the same output of a tool\n" * 1000
    with index() as db:
        said = [IndexEntry(kind="output", text=long, position=n) for n in range(50)]
        update.change(db, [IndexSource(key="a", session_id="s")], [], lambda _: said, lambda *_: None)
        ((body,),) = db.execute("SELECT body FROM text").fetchall()
        assert len(body) < len(long) / 20
        assert texts.unpack(body) == long
        assert db.execute("SELECT count(*) FROM words WHERE words MATCH 'output'").fetchone() == (1,)


def test_commits_are_those_of_the_checkpoint() -> None:
    with index() as db:
        source = IndexSource(key="a", session_id="s", checkpoint_id="c1")
        update.change(db, [source], [], lambda _: [IndexEntry(kind="prompt", text="zebra")], lambda *_: None)
        update.set_links(db, [IndexLink(checkpoint_id="c1", oid="1" * 40, author="Ann", time=1.0),
                              IndexLink(checkpoint_id="c1", oid="2" * 40, author="Bob", time=2.0)])  # fmt: skip
        (found,), _ = search.find(db, SearchRequest(query="zebra", author="ann"))
        assert (found.commits, found.author) == (("2" * 40, "1" * 40), "Bob")
        assert search.find(db, SearchRequest(query="zebra", author="zed")) == ([], False)


def test_the_words_of_a_text() -> None:
    assert words.columns("call HTMLReader.readAll in parse_config") == (
        "call HTMLReader.readAll in parse_config", "HTML Reader read All"
    )  # fmt: skip
    assert words.columns("修复 C++")[0] == " 修复 复  Cplusplus"
    assert words.columns("a" * 100_000 + "B") == ("a" * 100_000 + "B", "a" * 100_000 + " B")


def test_a_text_in_many_sessions_is_found_in_each_of_them() -> None:
    with index() as db:
        sources = [IndexSource(key=f"k{number}", session_id=f"s{number}") for number in range(30)]
        update.change(db, sources, [], lambda _: [IndexEntry(kind="answer", text="Done.")], lambda *_: None)
        ((marks,),) = db.execute("SELECT marks FROM text").fetchall()
        assert marks.split() == [words.EVERY, words.WIDESPREAD, words.REPEATED]
        found, _ = search.find(db, SearchRequest(query="done", session="s29"))
        assert [finding.session_id for finding in found] == ["s29"]


def test_no_text_and_no_query_can_contain_a_mark() -> None:
    marks = f"{words.FAILED} {words.of_tool('Bash')} {words.of_session('s')}"
    with index() as db:
        said = [
            IndexEntry(kind="prompt", text=f"zebra {marks}"),
            IndexEntry(kind="prompt", text="yak", tool="Bash", failed=True),
        ]
        update.change(db, [IndexSource(key="a", session_id="s")], [], lambda _: said, lambda *_: None)
        assert search.find(db, SearchRequest(query="zebra", failed=True)) == ([], False)
        assert [one.snippet for one in search.find(db, SearchRequest(query=marks))[0]] == [f"zebra {marks}"]


PREFIXES = ("z*", "y*", "c*", "s*", "n*", "p*", "zebra y*", "camel c*", "yak -z*", "yak OR z*", "z* y*", "zebra-wal*")


@given(moments=histories(), query=st.sampled_from(PREFIXES), period=st.sampled_from(PERIODS), most=st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_a_prefix_finds_the_same_in_each_way(
    moments: Sequence[dict[str, tuple[IndexSource, list[IndexEntry]]]],
    query: str,
    period: tuple[float, float],
    most: int,
) -> None:
    ways = {"as words": (99, 0), "by looking": (0, 99), "by looking at a few": (0, most), "by SQLite": (0, 0)}
    with index() as db, pytest.MonkeyPatch.context() as patch:
        bring(db, moments[-1])
        found = {}
        for way, (words_, looked) in ways.items():
            patch.setattr(search, "_MOST_WORDS", words_)
            patch.setattr(search, "_MOST_LOOKED_AT", looked)
            found[way] = search.find(db, SearchRequest(query=query, limit=0), since=period[0], until=period[1])[0]
        assert all(findings == found["by SQLite"] for findings in found.values()), found


def test_a_prefix_of_many_words_is_found_without_collecting_them() -> None:
    said = [IndexEntry(kind=kind, text=f"c{n:02}", time=float(n)) for kind in KINDS for n in range(1, 99)]
    asked: list[str] = []
    with index() as db:
        update.change(db, [IndexSource(key="a", session_id="s")], [], lambda _: said, lambda *_: None)
        db.set_trace_callback(asked.append)
        found, has_more = search.find(db, SearchRequest(query="c*", limit=3))
    assert ([finding.snippet for finding in found], has_more) == (["c98", "c97", "c96"], True)
    assert [sql for sql in asked if '" *' in sql] == []
