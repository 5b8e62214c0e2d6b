"""The owners of committed lines: what the checkpoints of the lines' commits say about them.

A checkpoint's record numbers lines in the commit that it was made for. A copy of that commit has the same checkpoint,
but may have its lines elsewhere: they are counted off, or looked up in the original, which is blamed in turn.
"""

from __future__ import annotations

from bisect import bisect_right

from entire.errors import GitError
from entire.git import blame, reflog
from entire.git.blame import BlameSource, Group
from entire.git.read import parse_commit
from entire.model.turns import NOBODY, PERSON, Owner
from entire.model.value import Value, replace
from entire.origins.copies import Copies, Copy
from entire.origins.go_written import GoWritten
from entire.origins.stored import StoredCheckpoints
from entire.store.links import CheckpointLinks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from entire.git.blame import Blame
    from entire.git.read import Commit, Objects
    from entire.layout import Place
    from entire.model.ids import CheckpointId
    from entire.origins.copies import Span
    from entire.store.lineage_file import LineageFile

_UNKNOWN = Owner("")
_MANY = 1 << 60
_CUT_OFF = "the history before commit {} is not in this clone"
_NOT_STORED = "checkpoint {} is not in this clone"
_FORGOTTEN = "checkpoint {} was forgotten on {}"
_UNREADABLE = "this version cannot read the record of checkpoint {}"
_NOT_NUMBERED = "the record of checkpoint {} does not say which of its commits it describes"
_NOT_RECORDED = "the record of checkpoint {} does not name this line"
_LOST = "commit {} is a changed copy of commit {}, which is not in this clone"
_BY_HOOK = "a hook of the commit itself changed it"


class Piece(Value):
    """Neighbouring lines of a group with one owner, from ``line`` of the group's commit on.

    The owner is '' if it is not known, for ``reason``. ``via``: their place in the commit that this one copies.
    """

    line: int
    count: int
    owner: Owner = _UNKNOWN
    checkpoint_id: str = ""
    reason: str = ""
    is_evidence: bool = False
    via: Group | None = None
    via_source: BlameSource | None = None


class Track(Value):
    """What one checkpoint says about a file of a commit; ``original`` is the commit to look the lines up in."""

    checkpoint_id: CheckpointId
    spans: tuple[Span, ...] = ()
    reason: str = ""
    original: Copy | None = None
    is_evidence: bool = False
    is_followed: bool = False  # our hooks saw the commit, or how the original became it
    is_examined: bool = False  # and its lines were looked at

    def find(self, line: int) -> tuple[Owner, int]:
        """Return the owner of a line, '' if it is not named, and the last line up to which that is so."""
        at = bisect_right(self.spans, line, key=lambda span: span[0])
        if at and self.spans[at - 1][1] >= line:
            return self.spans[at - 1][2], self.spans[at - 1][1]
        return _UNKNOWN, self.spans[at][0] - 1 if at < len(self.spans) else _MANY


class Owners:
    """Answers for one repository. ``prepare`` reads what groups of lines need, all together."""

    def __init__(self, place: Place, objects: Objects, tips: Sequence[str]) -> None:
        self._place = place
        self._where = where = place.top
        self._objects = objects
        self.stored = StoredCheckpoints(objects, tips)
        self._links = CheckpointLinks(where, objects, tips)
        self._copies = Copies(where)
        self._go_written = GoWritten(where, self.stored)
        self._commits: dict[str, Commit] = {}
        self._ids: dict[str, list[CheckpointId]] = {}
        self._tracks: dict[tuple[str, str], list[Track]] = {}
        self._blames: dict[Copy, dict[int, tuple[Group, BlameSource]]] = {}
        self._left: dict[str, list[str]] = {}  # what HEAD left, by commit that it came to later
        self._followed: set[tuple[Copy, int]] = set()  # copies of one another lead in circles

    def unlinked_ids(self, oid: str) -> list[CheckpointId]:
        """Return the checkpoints that a person has unlinked from a commit."""
        return self._links.unlinked(oid)

    def prepare(self, groups: Iterable[Group]) -> None:
        """Read the groups' commits, their links and their checkpoints' records; compare copies with originals."""
        places = dict.fromkeys((group.oid, group.path) for group in groups)
        self._load_commits(oid for oid, _ in places)
        copies = []
        for oid, path in places:
            records = [own for name in self._ids.get(oid, ()) if (own := self.stored.lineage(name)) is not None]
            copies += [Copy(oid=oid, original=own.numbered_in, path=path) for own in records
                       if own.numbered_in not in ("", oid) and path in own.files]  # fmt: skip
        self._copies.load_blobs(copies)
        changed = dict.fromkeys(copy.oid for copy in copies if not self._copies.is_same(copy))
        self._copies.load_changes([(self._commits[oid], self._parent_tree(oid)) for oid in changed])
        self._go_written.load((self._commits[oid], self._parent_tree(oid), self._ids[oid][0]) for oid, _ in places
                              if self._is_go_written(oid))  # fmt: skip

    def of(self, group: Group, source: BlameSource) -> list[Piece]:
        """Return the owners of a prepared group's lines, in order."""
        commit = self._commits.get(group.oid)
        is_cut_off = source.is_boundary and commit is not None and bool(commit.parents)
        reason = _CUT_OFF.format(group.oid[:7]) if is_cut_off else ""
        if not self._ids.get(group.oid):
            owner = _UNKNOWN if reason else PERSON
            return [Piece(line=group.source_line, count=group.count, owner=owner, reason=reason)]
        pieces: list[Piece] = []
        line, end = group.source_line, group.source_line + group.count
        while line < end:
            piece = self._piece(group, line, end - line)
            pieces.append(replace(piece, reason=reason) if reason and not piece.owner else piece)
            line += piece.count
        return pieces

    def is_merge(self, oid: str) -> bool:
        """Tell whether a prepared commit has several parents."""
        return oid in self._commits and len(self._commits[oid].parents) > 1

    # ------------------------------------------------------------ one line

    def _piece(self, group: Group, line: int, most: int) -> Piece:
        """Return the owner of a line, and how many of the following lines, at most ``most``, have the same."""
        tracks = self._tracks_of(group.oid, group.path)
        for track in tracks:
            owner, last = track.find(line)
            most = min(most, last - line + 1)
            if owner:
                return Piece(line=line, count=most, owner=_UNKNOWN if owner == NOBODY else owner,
                             reason=_BY_HOOK if owner == NOBODY else "", checkpoint_id=track.checkpoint_id,
                             is_evidence=track.is_evidence)  # fmt: skip
        for track in reversed(tracks):  # the newest original has the most lines
            piece = self._in_original(track.original, line) if track.original is not None else None
            if piece is not None:
                return piece
        single = 1 if any(track.original is not None for track in tracks) else most
        piece = self._unrecorded(group, tracks, line)
        if piece is not None:
            return piece
        reason = next((track.reason for track in tracks if track.reason), "")
        reason = reason or _NOT_RECORDED.format(", ".join(track.checkpoint_id for track in tracks))
        return Piece(line=line, count=single, reason=reason)

    def _unrecorded(self, group: Group, tracks: Sequence[Track], line: int) -> Piece | None:
        """Return the owner of a copy's line that no record names; None if it may be a session's.

        What HEAD left for the copy may have the line. Else it is a person's if the commit was examined, as where a
        person has resolved a conflict, or if a squash brought it in, whose hooks found no more content of sessions; but
        a rebase, which keeps the author's time, may have stopped for an agent to resolve a conflict.
        """
        copies = [track.original for track in tracks if track.original is not None]
        is_circle = any((copy, line) in self._followed for copy in copies)
        if is_circle or not copies or not all(track.is_followed for track in tracks):
            return None
        left = [Copy(oid=group.oid, original=oid, path=group.path) for oid in self._left_for(group.oid)]
        self._copies.load_blobs(left)
        owned = next((piece for copy in left if (piece := self._in_original(copy, line)) is not None), None)
        if owned is not None:
            return None if owned.owner.is_turn else owned
        originals = [self._objects.commit(copy.original) for copy in copies]
        is_examined = any(track.is_examined for track in tracks)
        if not is_examined and any(
            original is None or _is_copy(self._commits[group.oid], original) for original in originals
        ):
            return None
        return Piece(line=line, count=1, owner=PERSON, is_evidence=True)

    def _left_for(self, oid: str) -> list[str]:
        if oid not in self._left:
            self._left[oid] = reflog.left_before(self._place, oid)
        return self._left[oid]

    def _in_original(self, copy: Copy, line: int) -> Piece | None:
        """Return the owner of a copy's line as the history of the original tells, None if it is not there."""
        number = self._copies.line_in(copy, line)
        place = self._blame(copy).get(number)
        if place is None or (copy, line) in self._followed:
            return None
        group, source = place
        there = group.source_line + number - group.line
        self._followed.add((copy, line))
        piece = self.of(replace(group, source_line=there, line=number, count=1), source)[0]
        self._followed.discard((copy, line))
        if piece.via is not None:
            return replace(piece, line=line)
        return replace(piece, line=line, via=replace(group, source_line=there, count=1), via_source=source)

    def _blame(self, copy: Copy) -> dict[int, tuple[Group, BlameSource]]:
        """Return the commits of an original's lines, by line; nothing if it is not here, or is being looked at."""
        if copy not in self._blames:
            self._blames[copy] = {}
            try:
                blamed = blame.of(self._where, (), copy.path, copy.original)
            except GitError:
                return {}
            self.prepare(blamed.groups)
            self._blames[copy] = _by_line(blamed)
        return self._blames[copy]

    # ------------------------------------------------------------ checkpoints

    def _tracks_of(self, oid: str, path: str) -> list[Track]:
        if (oid, path) not in self._tracks:
            self._tracks[oid, path] = [self._track(oid, path, name) for name in self._ids[oid]]
        return self._tracks[oid, path]

    def _track(self, oid: str, path: str, checkpoint_id: CheckpointId) -> Track:
        track = Track(checkpoint_id=checkpoint_id)
        own = self.stored.lineage(checkpoint_id)
        if not self.stored.is_stored(checkpoint_id):
            day = self.stored.forgotten_on(checkpoint_id)
            reason = _FORGOTTEN.format(checkpoint_id, day) if day else _NOT_STORED.format(checkpoint_id)
            return replace(track, reason=reason)
        if own is None and self.stored.has_lineage(checkpoint_id):
            return replace(track, reason=_UNREADABLE.format(checkpoint_id))
        if own is None:
            spans, reason = self._go_written.owners(oid, path, self._ids[oid])
            return replace(track, spans=spans, reason=reason, is_evidence=True)
        return self._recorded(track, own, oid, path)

    def _recorded(self, track: Track, own: LineageFile, oid: str, path: str) -> Track:
        lines = own.files.get(path)
        if own.numbered_in == oid:
            return replace(track, spans=_spans(lines.added) if lines is not None else (), is_followed=True)
        if not own.numbered_in:
            return replace(track, reason=_NOT_NUMBERED.format(track.checkpoint_id))
        copy = Copy(oid=oid, original=own.numbered_in, path=path)
        if lines is not None and self._copies.is_same(copy):
            return replace(track, spans=_spans(lines.added), original=copy)
        patch_id = next((link.patch_id for link in own.commits if link.commit == own.numbered_in), "")
        is_same_change = lines is not None and self._copies.is_same_change(copy, patch_id)
        counted = self._copies.counted_off(copy, lines) if lines is not None and is_same_change else None
        if counted is not None:
            return replace(track, spans=counted)
        has_original = self._objects.commit(own.numbered_in) is not None
        reason = "" if has_original else _LOST.format(oid[:7], own.numbered_in[:7])
        return replace(track, original=copy if has_original else None, reason=reason,
                       is_followed=has_original and _is_followed(own, oid),
                       is_examined=any(link.examined for link in own.commits if link.commit == oid))  # fmt: skip

    def _is_go_written(self, oid: str) -> bool:
        ids = self._ids.get(oid, ())
        return len(ids) == 1 and self.stored.is_stored(ids[0]) and not self.stored.has_lineage(ids[0])

    def _load_commits(self, oids: Iterable[str]) -> None:
        missing = [oid for oid in dict.fromkeys(oids) if oid not in self._commits]
        for obj in self._objects.get_all(missing):
            if obj is not None and obj.type == "commit":
                self._commits[obj.oid] = parse_commit(obj)
                self._ids[obj.oid] = self._links.of(self._commits[obj.oid])
        self.stored.load(name for oid in missing for name in self._ids.get(oid, ()))

    def _parent_tree(self, oid: str) -> str:
        parents = self._commits[oid].parents
        return self._objects.tree_id(parents[0]) if parents else ""


def _is_followed(own: LineageFile, oid: str) -> bool:
    """Tell whether a copy was linked after the commit that the record describes. What a session added in between has a
    checkpoint of its own, and the older versions of an amended commit may hold what the record has forgotten.
    """
    linked = [link.commit for link in own.commits]
    return oid in linked[linked.index(own.numbered_in) + 1 :] if own.numbered_in in linked else False


def _is_copy(commit: Commit, original: Commit) -> bool:
    """Tell whether a commit was made by a rebase or a cherry-pick: these keep the author and the author's time."""
    if commit.author != original.author:
        return False
    is_at_once = commit.author.rpartition("> ")[2] == commit.committer.rpartition("> ")[2]  # git counts whole seconds
    return not is_at_once or commit.message.partition(b"\n")[0] == original.message.partition(b"\n")[0]


def _spans(added: Iterable[tuple[int, int, str]]) -> tuple[Span, ...]:
    return tuple((first, last, Owner(owner)) for first, last, owner in added)


def _by_line(blamed: Blame) -> dict[int, tuple[Group, BlameSource]]:
    return {
        line: (group, blamed.sources[group.oid])
        for group in blamed.groups
        for line in range(group.line, group.line + group.count)
    }
