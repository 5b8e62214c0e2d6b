"""Finds the owner of each line by replaying the snapshots of a worktree.

The journal is a sequence of trees, each with the turns that may have changed it since the previous one. Replaying the
patches between them gives each line an owner; comparing the last snapshot with a commit tells whose lines the commit
contains. Does no I/O: takes patches, returns owners. The rules are in linking.md sections 1, 5 and 6.
"""

from __future__ import annotations

from entire.attribution import owner_runs
from entire.attribution.brought import BroughtPath
from entire.attribution.owner_runs import REST, OwnerReader
from entire.model.turns import BASE, NOBODY, PERSON, PERSON_INSTEAD, Owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from entire.attribution.brought import BroughtTree
    from entire.attribution.formatting import Comparison
    from entire.attribution.owner_runs import Runs
    from entire.git.diff import FilePatch

    Lines = list[tuple[Owner, bytes]]  # (owner, text)

FORMATTED = Owner("formatted")  # a line of BASE that a commit's hooks formatted: the parent decides whose it is
_UNWRITTEN = (BASE, NOBODY, FORMATTED)  # owners of lines that no snapshot shows being written
_NO_FILE = "000000"
_TRIVIAL_WORDS = (b"package", b"import", b"from", b"using", b"use", b"#include", b"require", b"module", b"namespace")


class Path:
    """What is known about one path at the current snapshot."""

    def __init__(self) -> None:
        self.runs: Runs = [(BASE, REST)]
        self.maker = BASE  # who created the file, or wrote it last if it is binary
        self.remover = BASE  # who removed the file, if it does not exist
        self.mode_changer = BASE  # who changed its mode last
        self.lost: dict[bytes, list[Owner]] = {}  # owners of removed lines, by text
        self.committed_lines: dict[bytes, Owner] = {}  # who wrote lines that a commit has and no snapshot, by text
        self.discarded = 0  # lines of turns, other than trivial ones, that people removed
        self.removed_by: dict[bytes, list[Owner]] = {}  # who removed them, by text
        self.versions: dict[str, tuple[Runs, Owner]] = {}  # blob id -> owners and maker of that version
        self.removals: dict[str, dict[bytes, list[Owner]]] = {}  # ``removed_by`` of what was made and left, by blob id
        self.made: dict[str, tuple[Runs, Owner]] = {}  # the same of commits since that snapshot, as they were made
        self.oid = ""  # blob id at the current snapshot, if a patch named it
        self.committed_oid = ""  # blob id in the last commit since that snapshot

    def copy(self) -> Path:
        """Return an independent copy, for a tree that is not in the sequence."""
        twin = Path()
        twin.runs, twin.maker = list(self.runs), self.maker
        twin.remover, twin.mode_changer = self.remover, self.mode_changer
        twin.discarded, twin.committed_lines = self.discarded, dict(self.committed_lines)
        twin.lost = {text: list(owners) for text, owners in self.lost.items()}
        twin.removed_by = {text: list(owners) for text, owners in self.removed_by.items()}
        twin.made, twin.removals = dict(self.made), dict(self.removals)
        twin.versions, twin.oid, twin.committed_oid = dict(self.versions), self.oid, self.committed_oid
        return twin


class Lineage:
    """The owners of all lines of the replayed paths."""

    def __init__(self, in_base: Callable[[str], bool], stashed: Container[str] = ()) -> None:
        """``in_base`` tells whether a path existed before the replayed work, ``stashed`` are paths that went into a
        stash: only there can single lines come back.
        """
        self._paths: dict[str, Path] = {}
        self._in_base = in_base
        self._stashed = stashed

    def path(self, name: str) -> Path:
        known = self._paths.get(name)
        if known is None:
            known = self._paths[name] = Path()
        return known

    def copy(self) -> Lineage:
        twin = Lineage(self._in_base, self._stashed)
        twin._paths = {name: path.copy() for name, path in self._paths.items()}
        return twin

    def advance(
        self, patches: Sequence[FilePatch], owner: Callable[[str], Owner], brought: Sequence[BroughtTree] = ()
    ) -> None:
        """Advance to the next tree. ``owner`` returns who changed a path; what one of the trees ``brought`` has is
        nobody's change.
        """
        moved = {}
        for patch in patches:
            change = patch.change
            if change.status == "R":
                moved[change.path] = self.path(change.old_path).copy()
        for patch in patches:
            change = patch.change
            who = owner(change.path)
            if change.path in moved:
                source = self.path(change.old_path)
                source.versions.setdefault(change.old_oid, (list(source.runs), source.maker))
                is_removed = bool(brought) and not brought[-1].has(change.old_path)
                source.remover, source.runs, source.oid = BASE if is_removed else who, [(BASE, 0)], ""
                moved[change.path].versions = {**self.path(change.path).versions, **moved[change.path].versions}
                self._paths[change.path] = moved[change.path]
                maker = BroughtPath(change, brought, self._version).maker
                self._paths[change.path].maker = who if maker is None else maker
            self._change(self.path(change.path), patch, who, brought)

    def _version(self, name: str, oid: str, is_made: bool) -> tuple[Runs, Owner] | None:
        known = self._paths.get(name)
        if known is None:
            return None
        return known.made.get(oid) if is_made else known.versions.get(oid)

    def _change(self, path: Path, patch: FilePatch, who: Owner, trees: Sequence[BroughtTree]) -> None:
        change = patch.change
        brought = BroughtPath(change, trees, self._version)
        if change.old_mode != change.new_mode and _NO_FILE not in (change.old_mode, change.new_mode):
            path.mode_changer = BASE if brought.has_mode else who
        path.oid = change.new_oid
        known = path.versions.get(change.new_oid)
        is_stashed = change.path in self._stashed
        is_turns = who.is_turn and not is_stashed and not brought.is_whole
        if is_turns and change.new_oid != path.committed_oid:
            known = None  # what a turn writes is its own, also if it was there before
        path.committed_oid = ""
        if change.old_oid.strip("0") and change.old_oid not in path.versions:
            path.versions[change.old_oid] = (list(path.runs), path.maker)
        restore = known is None and (is_stashed or self._in_base(change.path))
        removals = {**path.removed_by, **path.removals.get(change.new_oid, {})}
        removed_by = {} if known is None else {text: list(owners) for text, owners in removals.items()}
        runs = self._replay(path, patch, who, brought, restore=restore)
        if change.new_mode == _NO_FILE:
            path.remover, path.runs = BASE if brought.is_removed else who, [(BASE, 0)]
            return
        if change.old_mode == _NO_FILE:
            path.maker = who if brought.maker is None else brought.maker
        if (patch.binary or change.status == "T") and not brought.is_whole:
            path.maker = who
        path.runs = runs
        if known is not None:  # an earlier version, as after a stash: it has its owners again
            path.runs, path.maker, path.removed_by = list(known[0]), known[1], removed_by
            path.discarded = 0
        path.versions[change.new_oid] = (list(path.runs), path.maker)

    def _replay(self, path: Path, patch: FilePatch, who: Owner, brought: BroughtPath, *, restore: bool) -> Runs:
        """Return the owners after a patch; records the removed lines and who removed them."""
        reader = OwnerReader(path.runs)
        out: Runs = []
        at = 0
        for unchanged, removed, added in patch.blocks():
            reader.copy(unchanged, out)
            at += unchanged + len(added)
            gone = [(reader.take(), text) for text in removed]
            if who == NOBODY and not gone and not any(text.strip() for text in added):
                owner_runs.add(out, _owner_around(out, reader), len(added))
            else:
                owners = self._change_block(path, gone, added, who, brought, restore=restore)
                known = brought.owners(at - len(added), added)
                for owner, there, text in zip(owners, known, added, strict=True):
                    is_back = owner.is_turn and owner != who  # it was removed before, and its writer is known
                    owner_there = _lost_by(path, text) if there == BASE else there
                    owner_runs.add(
                        out, owner if owner_there is None or (is_back and not owner_there) else owner_there, 1
                    )
        reader.copy(REST, out)
        return out

    def _change_block(
        self, path: Path, gone: Lines, added: Sequence[bytes], who: Owner, brought: BroughtPath, *, restore: bool
    ) -> list[Owner]:
        """Return the owner of each added line of one block of changes; note what was removed, and by whom."""
        owners = _owners([owner for owner, _ in gone], len(added), who)
        formatted = compare_format([text for _, text in gone], added) if not who.is_turn else None
        if formatted is not None:
            for place, source in enumerate(formatted.sources):
                if source >= 0:
                    owners[place] = _owner_of_formatted(gone[source][0], owners[place])
        for text in added:  # from now on a snapshot has it
            path.committed_lines.pop(text, None)
        restored = _restore(path, owners, added, formatted) if restore and not who.is_turn else None
        for place, (owner, text) in enumerate(gone):
            is_there = formatted is not None and place in formatted.remaining and owner not in _UNWRITTEN
            if not is_there:
                path.lost.setdefault(text, []).append(owner)
                path.discarded += who == PERSON and owner.is_turn and not is_trivial(text)
            # A restored line's owner also removes what it replaces.
            remover = restored or (BASE if brought.removes(text) else who)
            path.removed_by.setdefault(text, []).append(owner if is_there else remover)
        return owners

    def take_back(self, patch: FilePatch, numbers: Container[int], who: Owner) -> None:
        """Give lines of the current tree to the turn that wrote them again after git had removed them; ``patch`` leads
        here from what git had brought.
        """
        path = self.path(patch.change.path)
        reader, out = OwnerReader(path.runs), list[tuple[Owner, int]]()
        at = 0
        for unchanged, removed, added in patch.blocks():
            reader.copy(unchanged, out)
            places = range(at + unchanged + 1, at + unchanged + len(added) + 1)
            at += unchanged + len(added)
            for place in places:
                owner = reader.take()
                owner_runs.add(out, who if place in numbers and not owner.is_new else owner, 1)
            for text in removed if any(place in numbers for place in places) else ():
                path.removed_by.setdefault(text, []).append(who)
        reader.copy(REST, out)
        path.runs = out

    def left_out(self, patches: Sequence[FilePatch]) -> dict[str, list[Owner]]:
        """Return, by path, the owners of new content that this snapshot has and a commit does not; ``patches`` lead
        from the snapshot to the commit.
        """
        owners_by_path: dict[str, list[Owner]] = {}
        for patch in patches:
            path = self.path(patch.change.path)
            reader = OwnerReader(path.runs)
            owners: set[Owner] = set()
            for unchanged, removed, added in patch.blocks():
                reader.pieces(unchanged)
                formatted = compare_format(removed, added)
                for place in range(len(removed)):
                    owner = reader.take()
                    if formatted is None or place not in formatted.remaining:
                        owners.add(owner)
            if patch.change.old_mode == _NO_FILE:
                owners.add(path.remover)
            elif patch.binary or patch.change.new_mode == _NO_FILE:
                owners.add(path.maker)
            if new := sorted(owner for owner in owners if owner.is_new):
                owners_by_path[patch.change.path] = new
        return owners_by_path

    def learn(
        self, patches: Iterable[FilePatch], owner: Callable[[str], Owner], brought: Sequence[BroughtTree] = ()
    ) -> None:
        """Learn the versions of files in a tree that was made of the current one and left again, as a stash is."""
        for patch in patches:
            change = patch.change
            if change.new_mode != _NO_FILE:
                twin = self.path(change.old_path).copy()
                self._change(twin, patch, owner(change.path), brought)
                path = self.path(change.path)
                path.versions[change.new_oid] = (list(twin.runs), twin.maker)
                path.removals[change.new_oid] = twin.removed_by

    def mark_committed(
        self,
        patches: Sequence[FilePatch],
        committed: Iterable[str],
        owner: Callable[[str], Owner],
        brought: Sequence[BroughtTree] = (),
    ) -> None:
        """Mark the content of a commit as committed; ``patches`` lead from the current snapshot to the commit's tree.

        Only lines that the snapshot shares with the commit are marked. The snapshot stays the current tree.
        """
        by_path = {patch.change.path: patch for patch in patches}
        for name in committed:
            patch = by_path.get(name)
            if patch is None:
                _mark_all(self.path(name))
            else:
                self._mark_part(self.path(name), patch, owner(name), brought)

    def _mark_part(self, path: Path, patch: FilePatch, who: Owner, brought: Sequence[BroughtTree]) -> None:
        """Mark what a path shares with the commit; ``who`` wrote the rest of what the commit has."""
        twin = path.copy()
        self._change(twin, patch, who, brought)
        path.made[patch.change.new_oid] = (list(twin.runs), twin.maker)
        path.runs = _mark_common(path.runs, patch)
        path.maker, path.mode_changer = path.maker.committed(), path.mode_changer.committed()
        if patch.change.old_oid.strip("0"):  # a later stash may remove and restore it
            path.versions[patch.change.old_oid] = (list(path.runs), path.maker)
        path.versions[patch.change.new_oid] = (_committed(twin.runs), twin.maker.committed())
        path.committed_oid = patch.change.new_oid
        added = (text for hunk in patch.hunks for kind, text in hunk.lines if kind == b"+")
        path.committed_lines.update(dict.fromkeys(added, who))


def _mark_all(path: Path) -> None:
    path.made[path.oid] = (list(path.runs), path.maker)
    path.runs = _committed(path.runs)
    path.maker, path.remover = path.maker.committed(), path.remover.committed()
    path.mode_changer = path.mode_changer.committed()
    if path.oid in path.versions:  # earlier versions are in no checkpoint
        path.versions[path.oid] = (list(path.runs), path.maker)


def _owners(replaced: Sequence[Owner], count: int, who: Owner) -> list[Owner]:
    """Return the owners of the added lines of a block that ``who`` wrote in place of others."""
    if who != PERSON:
        return [who] * count
    return [PERSON_INSTEAD if place < len(replaced) and replaced[place] != PERSON else PERSON for place in range(count)]


def _owner_of_formatted(owner: Owner, who: Owner) -> Owner:
    """Return the owner of a line of which ``who`` changed only the format."""
    if owner not in _UNWRITTEN:
        return owner
    return FORMATTED if who == NOBODY and owner != NOBODY else who


def _restore(path: Path, owners: list[Owner], added: Sequence[bytes], formatted: Comparison | None) -> Owner | None:
    """Give removed lines of turns that come back to their writers; return the first of these."""
    if not any(text.strip() and path.lost.get(text) for text in added):
        return None
    first = None
    for place, text in enumerate(added):
        lost = path.lost.get(text)
        if lost and lost[-1].is_turn and (formatted is None or formatted.sources[place] < 0):
            owners[place] = lost.pop()
            first = first or owners[place]
    return first


def _lost_by(path: Path, text: bytes) -> Owner:
    """Return the turn that wrote a line which was removed before and git brought back; else BASE."""
    lost = path.lost.get(text)
    return lost[-1] if lost and lost[-1].is_turn and not is_trivial(text) else BASE


def compare_format(removed: Sequence[bytes], added: Sequence[bytes]) -> Comparison | None:
    """Return which lines of a block changed only in format; None if it removes or adds nothing."""
    if not removed or not added:
        return None
    from entire.attribution import formatting  # compiles a pattern, and few commits need it

    return formatting.compare(removed, added)


def _owner_around(before: Runs, reader: OwnerReader) -> Owner:
    """Return the owner of blank lines that a commit's hooks added: that of the lines around them, if it is the same."""
    following = reader.peek()
    return following if before and before[-1][0] == following and following != BASE else NOBODY


def _committed(runs: Runs) -> Runs:
    return [(owner.committed(), count) for owner, count in runs]


def _mark_common(runs: Runs, patch: FilePatch) -> Runs:
    """Mark as committed what a commit shares with the snapshot; ``patch`` leads from the snapshot to the commit."""
    reader = OwnerReader(runs)
    out: Runs = []
    for unchanged, removed, added in patch.blocks():
        owner_runs.extend(out, _committed(reader.pieces(unchanged)))
        formatted = compare_format(removed, added)
        for place in range(len(removed)):
            owner = reader.take()
            is_there = formatted is not None and place in formatted.remaining
            owner_runs.add(out, owner.committed() if is_there else owner, 1)
    owner_runs.extend(out, _committed(reader.pieces(REST)))
    return out


def is_trivial(line: bytes) -> bool:
    """Tell whether a line is in many files alike: blank, only punctuation, a package's name, an import."""
    words = line.split(None, 1)
    return not any(map(_is_letter, line)) or words[0] in _TRIVIAL_WORDS


def _is_letter(char: int) -> bool:
    return char > 0x7F or chr(char).isalnum()
