"""Asks the index: which texts match, the best first, and where each was said."""

from __future__ import annotations

import fnmatch
import functools

from entire.index import expression, texts, words
from entire.index.entries import ORDER
from entire.index.snippets import snippet
from entire.model import prefix
from entire.model.findings import KINDS, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from entire.index.expression import Expression
    from entire.model.findings import SearchRequest

    Hit = tuple[int, str | bytes]  # a text's id and body
    Values = dict[str, object]

_NAMES = {number: name for name, number in ORDER.items()}

_CHOOSE = """
INSERT INTO chosen SELECT v.id FROM version v
WHERE (:session = '' OR v.session = :session OR instr(v.session, :session || '/') = 1)
    AND (:agent = '' OR instr(lower(v.agent), :agent) = 1) AND (:branch = '' OR v.branch = :branch)
    AND (:author = ''
        OR EXISTS (SELECT 1 FROM link l WHERE l.checkpoint = v.checkpoint AND contains(l.author, :author)))
    AND (:file = '' OR EXISTS (SELECT 1 FROM file f WHERE f.version = v.id AND is_in(f.path, :file)))"""

_SESSIONS = "SELECT DISTINCT v.session FROM chosen c JOIN version v ON v.id = c.id LIMIT :most"
_MOST_SESSIONS = 50
"""Of a filter that chooses more, texts are looked at one by one: many of them pass."""

_WORD = "SELECT term FROM temp.vocabulary WHERE term >= ? LIMIT 1"
_MOST_WORDS = 32
"""Words that are asked for in place of a prefix that starts so many: each is walked by rank."""

_MOST_LOOKED_AT = 400
"""Texts in which a prefix is looked for: if it is in few of them, SQLite has few to collect."""

_MATCHING = """
SELECT t.id, t.body FROM words CROSS JOIN text t ON t.id = words.rowid & :number
WHERE words MATCH :match AND words.rowid BETWEEN :lowest AND :highest AND EXISTS (
    SELECT 1 FROM message m WHERE m.text = t.id AND m.time >= :since AND m.time <= :until
        AND (:tool = '' OR m.tool = :tool COLLATE NOCASE) AND m.failed >= :failed
        AND (:every OR m.version IN (SELECT id FROM chosen)))
ORDER BY words.rowid DESC"""
"""Walks the words by rank: sorts nothing, and stops when it is asked for no more."""

_PLACES = """
SELECT v.session, v.agent, v.branch, v.checkpoint, m.turn, m.position, m.time, m.tool, m.failed, m.track, m.n
FROM message m JOIN version v ON v.id = m.version WHERE m.text = :text AND m.time >= :since AND m.time <= :until
    AND (:tool = '' OR m.tool = :tool COLLATE NOCASE) AND m.failed >= :failed
    AND (:every OR m.version IN (SELECT id FROM chosen))
ORDER BY m.turn = 0, m.time DESC, m.track DESC, m.n DESC"""
"""Where a text was said; last, where it is only known as a prompt that the conversation does not have."""

_NEWEST = """
SELECT track, length FROM version WHERE session = ? ORDER BY scope = 'open' DESC, created DESC, length DESC LIMIT 1"""


def find(
    db: sqlite3.Connection, request: SearchRequest, *, since: float = 0.0, until: float = 0.0
) -> tuple[list[Finding], bool]:
    """Return the findings, best first, and whether there are more than the limit. Times are seconds since the epoch.

    Texts with the words as a phrase come first; then prompts before answers, calls and outputs; then newer ones.
    """
    wanted = expression.parse(request.query, functools.partial(_starting, db))
    values = _choose(db, request, since, until)
    if not values["every"] and not db.execute("SELECT 1 FROM chosen").fetchone():
        return [], False
    marks = _marks(db, request, is_every=bool(values["every"]))
    tiers: list[list[Hit]] = []
    seen: set[int] = set()
    is_at_once = wanted.has_prefix and not request.kinds and not since and not until
    for match, kinds in _tiers(wanted, request, is_at_once=is_at_once):
        tiers.append([])
        for hit in _walk(db, wanted, [match, *marks], kinds, values):
            if hit[0] in seen:
                continue
            if request.limit and len(seen) == request.limit:
                return _findings(db, tiers, wanted, values), True
            seen.add(hit[0])
            tiers[-1].append(hit)
    return _findings(db, tiers, wanted, values), False


def _starting(db: sqlite3.Connection, start: str) -> list[str] | None:
    """Return the words of the index that start so, None if they are too many."""
    db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab (main, words, instance)")
    completions: list[str] = []
    row = db.execute(_WORD, (start,)).fetchone()
    while row is not None and row[0].startswith(start):
        if len(completions) == _MOST_WORDS:
            return None
        completions.append(row[0])
        row = db.execute(_WORD, (row[0] + "\x01",)).fetchone()
    return completions


def _tiers(wanted: Expression, request: SearchRequest, *, is_at_once: bool) -> list[tuple[str, Sequence[str]]]:
    """Return the expressions with the kinds to look through: one by one, from the first to the last.

    ``is_at_once``: all kinds in one walk, because SQLite collects all that start with a prefix before each walk.
    """
    kinds = [kind for kind in KINDS if not request.kinds or kind in request.kinds]
    walks = [kinds] if is_at_once else [[kind] for kind in kinds]
    return [(match, walk) for match in (wanted.exact, wanted.match) if match for walk in walks]


def _choose(db: sqlite3.Connection, request: SearchRequest, since: float, until: float) -> Values:
    """Return the values of the filters; those that are about versions choose them."""
    chosen: Values = {
        "session": _session_id(db, request.session), "agent": request.agent.lower(), "branch": request.branch,
        "author": request.author, "file": request.file,
    }  # fmt: skip
    db.execute("CREATE TEMP TABLE IF NOT EXISTS chosen (id INTEGER PRIMARY KEY)")
    db.execute("DELETE FROM chosen")
    if any(chosen.values()):
        db.execute(_CHOOSE, chosen)
    return {
        "since": since, "until": until or float("inf"), "tool": request.tool, "failed": int(request.failed),
        "every": not any(chosen.values()),
    }  # fmt: skip


def agents(db: sqlite3.Connection) -> list[str]:
    """Return the display names of the agents that have texts here."""
    return [name for (name,) in db.execute("SELECT DISTINCT agent FROM version")]


def _session_id(db: sqlite3.Connection, start: str) -> str:
    """Return the session whose id starts so, '' for ''; raises EntireError if there is none, or several."""
    if not start:
        return ""
    rows = db.execute("SELECT DISTINCT session FROM version WHERE instr(session, ?) = 1", (start,))
    hint = "run `entire status --detailed` to list sessions"
    return prefix.require(start, [name.partition("/")[0] for (name,) in rows], "session", hint)


def _marks(db: sqlite3.Connection, request: SearchRequest, *, is_every: bool) -> list[str]:
    """Return what a text's marks must be to pass the filters, as expressions. A few texts with them do not pass."""
    marks = [_quoted(words.of_tool(request.tool))] if request.tool else []
    marks += [_quoted(words.FAILED)] if request.failed else []
    rows = [] if is_every else db.execute(_SESSIONS, {"most": _MOST_SESSIONS + 1}).fetchall()
    if 0 < len(rows) <= _MOST_SESSIONS:
        any_of = sorted({words.of_session(name) for (name,) in rows} | {words.WIDESPREAD})
        marks.append(f"({' OR '.join(map(_quoted, any_of))})")
    return marks


def _quoted(mark: str) -> str:
    return f'"{mark}"'


def _walk(
    db: sqlite3.Connection, wanted: Expression, match: Sequence[str], kinds: Sequence[str], values: Values
) -> Iterator[Hit]:
    """Yield the texts that match. Of a prefix that starts many words, the best are found in the first texts."""
    look = wanted.looks.get(match[0])
    for number, hit in enumerate(_hits(db, [look.match, *match[1:]], kinds, values) if look is not None else ()):
        if number == _MOST_LOOKED_AT:
            look = None
            break
        assert look is not None
        if any(look.pattern.search(expression.folded(column)) for column in words.columns(texts.unpack(hit[1]))):
            yield hit
    if look is None:  # may yield some once more
        yield from _hits(db, match, kinds, values)


def _hits(db: sqlite3.Connection, match: Sequence[str], kinds: Sequence[str], values: Values) -> Iterator[Hit]:
    """Yield the texts of a kind that match, newest first, by when they were last said; of several kinds, of any time.

    A text that was said since then has a rank since then. One whose rank is after ``until`` was said twice.
    """
    first, last = ORDER[kinds[-1]], ORDER[kinds[0]]
    since, until = float(str(values["since"])), float(str(values["until"]))
    steps = [((texts.ranks(first, since)[0], texts.ranks(last, since, until)[1]), match)]
    if until < float("inf"):
        steps.insert(0, (texts.ranks(first, int(until) + 1), [*match, _quoted(words.REPEATED)]))
    for (lowest, highest), every in steps:
        expression_ = " AND ".join(f"({part})" for part in every if part) or _quoted(words.EVERY)
        yield from db.execute(
            _MATCHING, {**values, "match": expression_, "number": texts.NUMBER, "lowest": lowest, "highest": highest}
        )


def _findings(db: sqlite3.Connection, tiers: list[list[Hit]], wanted: Expression, values: Values) -> list[Finding]:
    """Return the findings; the ranks of texts said in the same second tell nothing about their order."""
    return [
        finding for hits in tiers for finding in sorted((_finding(db, hit, wanted, values) for hit in hits), key=_order)
    ]


def _order(finding: Finding) -> tuple[int, float]:
    return -ORDER[finding.kind], -finding.time


def _finding(db: sqlite3.Connection, hit: Hit, wanted: Expression, values: Values) -> Finding:
    number, body = hit
    (kind,) = db.execute("SELECT kind FROM text WHERE id = ?", (number,)).fetchone()
    places = db.execute(_PLACES, {**values, "text": number}).fetchall()
    conversation, agent, branch, checkpoint, turn, position, time, tool, failed, track, n = places[0]
    links = db.execute("SELECT oid, author FROM link WHERE checkpoint = ? ORDER BY time DESC, oid", (checkpoint,))
    commits = links.fetchall() if checkpoint else []
    text, highlights, is_cut = snippet(texts.unpack(body), wanted.patterns)
    session_id, _, subagent = conversation.partition("/")
    return Finding(
        kind=_NAMES[kind],
        snippet=text,
        highlights=highlights,
        is_cut=is_cut,
        session_id=session_id,
        subagent=subagent,
        agent=agent,
        turn=turn,
        is_taken_back=not _is_in_newest(db, conversation, track, n),
        position=position,
        time=time,
        tool=tool,
        has_failed=bool(failed),
        checkpoint_id=checkpoint,
        commits=tuple(oid for oid, _ in commits),
        author=commits[0][1] if commits else "",
        branch=branch,
        occurrences=len({(place[0], place[5]) for place in places}),
    )


def _is_in_newest(db: sqlite3.Connection, conversation: str, track: int, n: int) -> bool:
    """Tell whether a message is in the newest state of its conversation; a rewind takes messages back."""
    row = db.execute(_NEWEST, (conversation,)).fetchone()
    at, length = row if row is not None else (track, n + 1)
    while at and at != track:
        parent, fork = db.execute("SELECT parent, fork FROM track WHERE id = ?", (at,)).fetchone() or (0, 0)
        at, length = parent, min(length, fork)
    return bool(at == track and n < length)


def is_in(path: str, wanted: str) -> bool:
    """Tell whether a path is a file, is below a folder, or matches a pattern."""
    wanted = wanted.rstrip("/")
    return path == wanted or path.startswith(wanted + "/") or fnmatch.fnmatchcase(path, wanted)


def contains(name: str, part: str) -> bool:
    return part.casefold() in name.casefold()
