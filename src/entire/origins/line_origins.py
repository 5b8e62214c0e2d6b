"""Turns owners of lines into origins: with the commit, and with the turn's agent and prompt or the person's name."""

from __future__ import annotations

from entire.git.blame import BlameSource, Group
from entire.model import reasons
from entire.model.origins import PERSON, UNKNOWN, Origin
from entire.model.value import Value, replace
from entire.origins.details import Details, of_turn
from entire.origins.owners import Owners, Piece
from entire.store.journal import Journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from entire.git.blame import Blame
    from entire.layout import Place
    from entire.store.catalog import Catalog

_NOT_COMMITTED = "not committed yet"


class Owned(Value):
    """A piece of a blamed file: ``line`` is its first line in the version that was asked for."""

    line: int
    piece: Piece
    group: Group
    source: BlameSource


def pieces(owners: Owners, blamed: Blame) -> Iterator[Owned]:
    """Yield the owners of a blamed file's lines, in order."""
    for group in sorted(blamed.groups, key=lambda group: group.line):
        for piece in owners.of(group, blamed.sources[group.oid]):
            line = group.line + piece.line - group.source_line
            yield Owned(line=line, piece=piece, group=group, source=blamed.sources[group.oid])


class LineOrigins:
    """Makes the origins of one answer; equal ones are made once."""

    def __init__(self, place: Place, catalog: Catalog, owners: Owners) -> None:
        self._details = Details(place, catalog, owners.stored)
        self._owners = owners
        self._journal = Journal(place)
        self._unlinked: dict[str, str] | None = None
        self._known: dict[tuple[object, ...], Origin] = {}

    def load(self, owned: Iterable[Owned]) -> None:
        """Read what describes the turns of all pieces together."""
        self._details.load(entry.piece for entry in owned)

    def of(self, entry: Owned, moved_in: str = "") -> Origin:
        """Return the origin of a piece; ``moved_in``: the commit that moved its lines."""
        piece, group = entry.piece, entry.group
        via = piece.via.oid if piece.via is not None else ""
        key = (group.oid, group.path, piece.owner, piece.checkpoint_id, piece.reason, piece.is_evidence, via, moved_in)
        if key not in self._known:
            origin = self._origin(entry)
            self._known[key] = replace(origin, moved_in=moved_in) if moved_in else origin
        return self._known[key]

    def _origin(self, entry: Owned) -> Origin:
        piece, source = entry.piece, entry.source
        if not source.is_commit:
            return Origin(kind=UNKNOWN, reason=_NOT_COMMITTED, path=entry.group.path)
        basis = _of_commit(entry)
        if piece.owner.is_turn:
            return self._of_turn(basis, piece)
        reason = piece.reason or self._why_unlinked(source.oid if piece.via is None else piece.via.oid)
        if reason and not (piece.owner and piece.checkpoint_id):
            return replace(basis, kind=UNKNOWN, reason=reason)
        return basis

    def _of_turn(self, basis: Origin, piece: Piece) -> Origin:
        turn = self._details.of(piece.owner.turn, piece.checkpoint_id)
        checkpoint_id = turn.checkpoint_id or piece.checkpoint_id
        return of_turn(replace(basis, is_evidence=piece.is_evidence, checkpoint_id=checkpoint_id), turn)

    def _why_unlinked(self, oid: str) -> str:
        """Return why the content of a commit without a checkpoint may be a session's, '' if it is a person's."""
        if self._unlinked is None:
            entries = [(str(entry.get("commit", "")), str(entry.get("reason", ""))) for entry in self._journal.reasons]
            self._unlinked = {commit: reason for commit, reason in entries if reasons.may_hide_a_session(reason)}
        return reasons.by_hand(self._owners.unlinked_ids(oid)) or self._unlinked.get(oid, "")


def _of_commit(entry: Owned) -> Origin:
    """Return what the commit says: a person's line, and its author."""
    piece, source, group = entry.piece, entry.source, entry.group
    author = piece.via_source if piece.via_source is not None else source
    return Origin(
        kind=PERSON,
        is_evidence=piece.is_evidence,
        commit=source.oid,
        original=piece.via.oid if piece.via is not None else "",
        author=author.author,
        subject=source.subject,
        time=author.time,
        path=group.path,
        checkpoint_id=piece.checkpoint_id,
    )
