"""Searches all conversations: tells the index what is new since the last search, then asks it."""

from __future__ import annotations

import hashlib
import os

from entire.directory import AgentDirectory
from entire.git import history, refs
from entire.index import database, update
from entire.index import search as index_search
from entire.index.entries import OPEN, STORED, IndexLink
from entire.model.findings import Finding, SearchView
from entire.model.ids import shell_word
from entire.model.value import replace
from entire.queries import agent_names, time_arguments
from entire.queries.searches.open_conversations import OpenConversations
from entire.queries.searches.stored_conversations import StoredConversations
from entire.store import transcript_ends

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from entire.index.entries import IndexSource
    from entire.layout import Place
    from entire.model.findings import SearchRequest
    from entire.store.catalog import Catalog

    Progress = Callable[[str], None]

_TIPS, _REFS, _CUT = "tips", "refs", "cut"
_OUR_REFS = ("refs/entire/", "refs/heads/entire/")  # steps, journals: no commit of theirs is linked
_MANY = 100  # conversations whose reading is announced
_STEPS = 20  # of progress that are reported


def folder(place: Place) -> str:
    """Return the index's folder."""
    return os.path.join(place.common_own_dir, database.FOLDER)


def search(catalog: Catalog, request: SearchRequest, progress: Progress) -> SearchView:
    """Return what a query finds in all checkpoints and open sessions."""
    since, until = (time_arguments.moment(catalog.place.top, given) for given in (request.since, request.until))
    request = replace(request, agent=_agent_type(request.agent))
    index = database.Index(folder(catalog.place))
    left_out: list[str] = []

    def ask(db: sqlite3.Connection) -> tuple[list[Finding], bool]:
        _catch_up(db, catalog, progress)
        left_out[:] = _left_out(db)
        if request.agent:
            agent_names.check(request.agent, index_search.agents(db))
        return index_search.find(db, request, since=since, until=until)

    findings, has_more = index.use(ask, waiting=lambda: progress("Another search is building the index"))
    shown = tuple(replace(finding, show=_command(finding)) for finding in findings)
    return SearchView(findings=shown, has_more=has_more, notes=(*([index.note] if index.note else []), *left_out))


def _agent_type(name: str) -> str:
    """Return the display name of an agent that is given by its name; any other text as it is."""
    return AgentDirectory.without_plugins().describe(name).type


def _command(finding: Finding) -> str:
    place = f"{finding.session_id}:{finding.turn}" if finding.turn else finding.session_id
    if finding.subagent:
        place = f"{finding.session_id}/{finding.subagent}"
    elif finding.is_taken_back and finding.checkpoint_id:
        place = finding.checkpoint_id
    return f"entire show {shell_word(place, finding.checkpoint_id or 'ID')}"


# ---------------------------------------------------------------- what is new


def _catch_up(db: sqlite3.Connection, catalog: Catalog, progress: Progress) -> None:
    """Take in what the index lacks, forget what is gone."""
    _take_in_stored(db, catalog, progress)
    _take_in_open(db, catalog)
    _take_in_links(db, catalog)


def _take_in_stored(db: sqlite3.Connection, catalog: Catalog, progress: Progress) -> None:
    tips = " ".join(catalog.commits)
    if update.state(db, _TIPS) == tips:
        return
    with StoredConversations(catalog, update.trees(db)) as stored:
        sources = stored.sources()
        report = _Report(progress)
        report(0, len(sources), 0)
        try:
            gone = stored.gone(update.keys(db, STORED))
            update.change(db, _given(sources), gone, stored.read, report, stored.expect)
        except KeyboardInterrupt:
            report.stop()
            raise
        finally:
            _note_cut(db, stored.cut)
        update.set_trees(db, stored.trees)
    update.remember(db, _TIPS, tips)


def _given(sources: list[IndexSource]) -> Iterator[IndexSource]:
    """Yield sources without keeping them."""
    while sources:
        yield sources.pop()


class _Report:
    """Says how far a build is, if it has many conversations to read."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._shown = -1
        self._how_far = ""

    def __call__(self, done: int, total: int, messages: int) -> None:
        self._how_far = f"{done:,} of {total:,} conversations, {messages:,} messages"
        if total > _MANY and done * _STEPS // total > self._shown:
            self._shown = done * _STEPS // total
            self._progress(f"Building the search index: {self._how_far}")

    def stop(self) -> None:
        self._progress(f"Interrupted: the index has {self._how_far}; the next search reads the rest")


def _take_in_open(db: sqlite3.Connection, catalog: Catalog) -> None:
    with OpenConversations(catalog.place, catalog.redactor) as conversations:
        known = update.keys(db, OPEN)
        update.change(
            db,
            list(conversations.sources.values()),
            known - set(conversations.sources),
            conversations.read,
            lambda *_: None,
        )
        _note_cut(db, conversations.cut)


def _note_cut(db: sqlite3.Connection, keys: set[str]) -> None:
    """Note the conversations of which only the end was read."""
    if keys:
        every = sorted(keys.union(_cut(db)))
        update.remember(db, _CUT, "\n".join(key for key in every if update.sessions(db, [key])))


def _cut(db: sqlite3.Connection) -> list[str]:
    return update.state(db, _CUT).split("\n") if update.state(db, _CUT) else []


def _left_out(db: sqlite3.Connection) -> list[str]:
    """Return what the index leaves out, in words."""
    count = len(update.sessions(db, _cut(db)))
    most = f"{transcript_ends.BYTES >> 20} MB and {transcript_ends.RECORDS:,} records"
    return [f"very long conversations, of which only the last {most} are searched, and nothing of a JSON document that "
            f"is longer: {count:,}"] if count else []  # fmt: skip


def _take_in_links(db: sqlite3.Connection, catalog: Catalog) -> None:
    """Note the commits of the checkpoints, if a branch, tag or HEAD has moved."""
    from entire.git.read import Objects
    from entire.store.links import CheckpointLinks

    top = catalog.place.top
    users = [(name, oid) for name, oid in refs.find(top).items() if not name.startswith(_OUR_REFS)]
    every = (sorted(users), history.resolve(top, "HEAD"), catalog.commits)
    digest = hashlib.sha256(repr(every).encode("utf-8", "replace")).hexdigest()
    if update.state(db, _REFS) == digest:
        return
    with Objects(top) as objects:
        linked = CheckpointLinks(top, objects, catalog.commits).log()
    update.set_links(db, (
        IndexLink(checkpoint_id=checkpoint_id, oid=one.commit.oid, author=one.commit.author, time=one.commit.committed)
        for one in linked for checkpoint_id in one.checkpoint_ids
    ))  # fmt: skip
    update.remember(db, _REFS, digest)
