"""An owner of lines becomes an origin: a turn, a person's commit, or the reason why nobody knows."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from entire import layout
from entire.git.blame import BlameSource, Group
from entire.git.read import Objects
from entire.layout import Place
from entire.model import reasons
from entire.model.origins import PERSON, TURN, UNKNOWN, Origin
from entire.model.turns import PERSON as A_PERSON
from entire.model.turns import Owner
from entire.origins.line_origins import LineOrigins, Owned
from entire.origins.owners import Owners, Piece
from entire.store.catalog import Catalog
from entire.store.journal import Journal

OID, COPIED, MOVED = "1" * 40, "2" * 40, "3" * 40
SOURCE = BlameSource(oid=OID, author="Ann", time=5.0, subject="one")
ORIGINAL = BlameSource(oid=COPIED, author="Bob", time=3.0, subject="the original")
WROTE = Owner("session/turn")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    found = layout.find(str(tmp_path))
    assert found is not None
    return found


@pytest.fixture
def origins(place: Place) -> Iterator[LineOrigins]:
    with Objects(place.top) as objects:
        yield LineOrigins(place, Catalog(place), Owners(place, objects, []))


def owned(owner: Owner, *, source: BlameSource = SOURCE, line: int = 1, **fields: object) -> Owned:
    piece = Piece(line=line, count=1, owner=owner, **fields)  # type: ignore[arg-type]
    group = Group(oid=source.oid, path="a", source_line=1, line=1, count=9)
    return Owned(line=line, piece=piece, source=source, group=group)


def test_a_persons_line_has_its_commit(origins: LineOrigins) -> None:
    found = origins.of(owned(A_PERSON))
    assert found == Origin(kind=PERSON, commit=OID, author="Ann", subject="one", time=5.0, path="a")


def test_a_line_of_a_copy_has_the_author_of_the_original(origins: LineOrigins) -> None:
    via = Group(oid=COPIED, path="a", source_line=4, line=4, count=1)
    found = origins.of(owned(A_PERSON, via=via, via_source=ORIGINAL))
    assert (found.commit, found.original, found.author, found.time) == (OID, COPIED, "Bob", 3.0)
    assert found.subject == "one"


def test_a_turn_that_nothing_describes_still_has_its_ids(origins: LineOrigins) -> None:
    found = origins.of(owned(WROTE))
    assert (found.kind, found.session_id, found.turn, found.prompt) == (TURN, "session", "turn", "")
    assert (found.commit, found.author) == (OID, "Ann")


def test_an_unknown_owner_keeps_its_reason(origins: LineOrigins) -> None:
    found = origins.of(owned(Owner(""), reason="the record is not here"))
    assert (found.kind, found.reason, found.commit) == (UNKNOWN, "the record is not here", OID)


def test_a_line_without_a_commit_is_not_a_persons(origins: LineOrigins) -> None:
    found = origins.of(owned(A_PERSON, source=BlameSource(oid="0" * 40)))
    assert (found.kind, found.commit) == (UNKNOWN, "")


@pytest.mark.parametrize(
    ("reason", "kind"),
    [(reasons.BY_HAND.sentence, UNKNOWN), (reasons.NO_SESSION.sentence, PERSON)],
)
def test_an_unlinked_commit_that_may_hide_a_session_is_no_persons(place: Place, reason: str, kind: str) -> None:
    journal = Journal(place)
    journal.note_reason(OID, reason, 1.0)
    journal.save(live=True)
    with Objects(place.top) as objects:
        found = LineOrigins(place, Catalog(place), Owners(place, objects, [])).of(owned(A_PERSON))
    assert (found.kind, found.reason) == (kind, reason if kind == UNKNOWN else "")


def test_equal_origins_are_one(origins: LineOrigins) -> None:
    """Ranges are joined by it."""
    assert origins.of(owned(A_PERSON)) is origins.of(owned(A_PERSON, line=7))
    moved = origins.of(owned(A_PERSON), MOVED)
    assert moved.moved_in == MOVED
    assert moved is origins.of(owned(A_PERSON, line=2), MOVED)
