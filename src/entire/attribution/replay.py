"""Finds the owner of each line by replaying the snapshots of a worktree.

The journal is a sequence of trees, each with the turns that may have changed it since the previous one. Replaying the
patches between them gives each line an owner; comparing the last snapshot with a commit tells whose lines the commit
contains. Does no I/O: takes patches, returns owners. The rules are in linking.md sections 1, 5 and 6.
"""

from __future__ import annotations

from entire.git.diff import GITLINK
from entire.model.turns import BASE, NOBODY, PERSON, PERSON_INSTEAD, Owner
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from entire.attribution.formatting import Comparison
    from entire.git.diff import FilePatch, Hunk

    Runs = list[tuple[Owner, int]]
    Lines = list[tuple[Owner, bytes]]  # (owner, text)

_REST = 1 << 60
_FORMATTED = Owner("formatted")  # a line of BASE that a commit's hooks formatted: the parent decides whose it is
_UNWRITTEN = (BASE, NOBODY, _FORMATTED)  # owners of lines that no snapshot shows being written
_NO_FILE = "000000"
_LEAST_LIKENESS = 4  # a new file is a session's if more than one line in so many is
_TRIVIAL_WORDS = (b"package", b"import", b"from", b"using", b"use", b"#include", b"require", b"module", b"namespace")


class Path:
    """What is known about one path at the current snapshot."""

    def __init__(self) -> None:
        self.runs: Runs = [(BASE, _REST)]
        self.maker = BASE  # who created the file, or wrote it last if it is binary
        self.remover = BASE  # who removed the file, if it does not exist
        self.mode_changer = BASE  # who changed its mode last
        self.lost: dict[bytes, list[Owner]] = {}  # owners of removed lines, by text
        self.committed_lines: dict[bytes, Owner] = {}  # who wrote lines that a commit has and no snapshot, by text
        self.discarded = 0  # lines of turns, other than trivial ones, that people removed
        self.removed_by: dict[bytes, list[Owner]] = {}  # who removed them, by text
        self.versions: dict[str, tuple[Runs, Owner]] = {}  # blob id -> owners and maker of that version
        self.oid = ""  # blob id at the current snapshot, if a patch named it
        self.committed_oid = ""  # blob id in the last commit since that snapshot

    def copy(self) -> Path:
        """Return an independent copy, for a tree that is not in the sequence."""
        twin = Path()
        twin.runs, twin.maker, twin.remover, twin.mode_changer = (
            list(self.runs),
            self.maker,
            self.remover,
            self.mode_changer,
        )
        twin.discarded, twin.committed_lines = self.discarded, dict(self.committed_lines)
        twin.lost = {text: list(owners) for text, owners in self.lost.items()}
        twin.removed_by = {text: list(owners) for text, owners in self.removed_by.items()}
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

    def advance(self, patches: Iterable[FilePatch], owner: Callable[[str], Owner]) -> None:
        """Advance to the next tree. ``owner`` returns who changed a path."""
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
                source.remover, source.runs, source.oid = who, [(BASE, 0)], ""
                moved[change.path].versions = {**self.path(change.path).versions, **moved[change.path].versions}
                self._paths[change.path] = moved[change.path]
                self._paths[change.path].maker = who
            self._change(self.path(change.path), patch, who)

    def _change(self, path: Path, patch: FilePatch, who: Owner) -> None:
        change = patch.change
        if change.old_mode != change.new_mode and _NO_FILE not in (change.old_mode, change.new_mode):
            path.mode_changer = who
        path.oid = change.new_oid
        known = path.versions.get(change.new_oid)
        is_stashed = change.path in self._stashed
        if who.is_turn and not is_stashed and change.new_oid != path.committed_oid:
            known = None  # what a turn writes is its own, also if it was there before
        path.committed_oid = ""
        if change.old_oid.strip("0") and change.old_oid not in path.versions:
            path.versions[change.old_oid] = (list(path.runs), path.maker)
        restore = known is None and (is_stashed or self._in_base(change.path))
        removed_by = {} if known is None else {text: list(owners) for text, owners in path.removed_by.items()}
        runs = self._replay(path, patch.hunks, who, restore=restore)
        if change.new_mode == _NO_FILE:
            path.remover, path.runs = who, [(BASE, 0)]
            return
        if change.old_mode == _NO_FILE:
            path.maker = who
        if patch.binary or change.status == "T":
            path.maker = who
        path.runs = runs
        if known is not None:  # an earlier version, as after a stash: it has its owners again
            path.runs, path.maker, path.removed_by = list(known[0]), known[1], removed_by
            path.discarded = 0
        path.versions[change.new_oid] = (list(path.runs), path.maker)

    def _replay(self, path: Path, hunks: Sequence[Hunk], who: Owner, *, restore: bool) -> Runs:
        """Return the owners after a patch; records the removed lines and who removed them."""
        reader = _Reader(path.runs)
        out: Runs = []
        at = 1
        for hunk in hunks:
            start = hunk.old_start if hunk.old_count else hunk.old_start + 1
            reader.copy(start - at, out)
            at = start + hunk.old_count
            for removed, added, unchanged in _blocks(hunk):
                gone = [(reader.take(), text) for text in removed]
                if who == NOBODY and not gone and not any(text.strip() for text in added):
                    _add(out, _owner_around(out, reader), len(added))
                else:
                    for owner in self._change_block(path, gone, added, who, restore=restore):
                        _add(out, owner, 1)
                reader.copy(unchanged, out)
        reader.copy(_REST, out)
        return out

    def _change_block(
        self, path: Path, gone: Lines, added: Sequence[bytes], who: Owner, *, restore: bool
    ) -> list[Owner]:
        """Return the owner of each added line of one block of changes; note what was removed, and by whom."""
        owners = _owners([owner for owner, _ in gone], len(added), who)
        formatted = _formatted([text for _, text in gone], added) if not who.is_turn else None
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
            path.removed_by.setdefault(text, []).append(owner if is_there else restored or who)
        return owners

    def left_out(self, patches: Sequence[FilePatch]) -> dict[str, list[Owner]]:
        """Return, by path, the owners of new content that this snapshot has and a commit does not; ``patches`` lead
        from the snapshot to the commit.
        """
        found: dict[str, list[Owner]] = {}
        for patch in patches:
            path = self.path(patch.change.path)
            reader = _Reader(path.runs)
            at = 1
            owners: set[Owner] = set()
            for hunk in patch.hunks:
                start = hunk.old_start if hunk.old_count else hunk.old_start + 1
                reader.pieces(start - at)
                at = start + hunk.old_count
                for removed, added, unchanged in _blocks(hunk):
                    formatted = _formatted(removed, added)
                    for place in range(len(removed)):
                        owner = reader.take()
                        if formatted is None or place not in formatted.remaining:
                            owners.add(owner)
                    reader.pieces(unchanged)
            if patch.change.old_mode == _NO_FILE:
                owners.add(path.remover)
            elif patch.binary or patch.change.new_mode == _NO_FILE:
                owners.add(path.maker)
            if new := sorted(owner for owner in owners if owner.is_new):
                found[patch.change.path] = new
        return found

    def mark_committed(
        self, patches: Sequence[FilePatch], committed: Iterable[str], owner: Callable[[str], Owner]
    ) -> None:
        """Mark the content of a commit as committed; ``patches`` lead from the current snapshot to the commit's tree.

        Only lines that the snapshot shares with the commit are marked. The snapshot stays the current tree.
        """
        by_path = {patch.change.path: patch for patch in patches}
        for name in committed:
            path = self.path(name)
            patch = by_path.get(name)
            if patch is None:
                path.runs = _committed(path.runs)
                path.maker, path.remover, path.mode_changer = (
                    path.maker.committed(),
                    path.remover.committed(),
                    path.mode_changer.committed(),
                )
                if path.oid in path.versions:  # earlier versions are in no checkpoint
                    path.versions[path.oid] = (list(path.runs), path.maker)
                continue
            twin = path.copy()
            self._change(twin, patch, owner(name))
            path.runs = _mark_common(path.runs, patch.hunks)
            path.maker, path.mode_changer = path.maker.committed(), path.mode_changer.committed()
            if patch.change.old_oid.strip("0"):  # a later stash may remove and restore it
                path.versions[patch.change.old_oid] = (list(path.runs), path.maker)
            runs, maker = twin.runs, twin.maker
            path.versions[patch.change.new_oid] = (_committed(runs), maker.committed())
            path.committed_oid = patch.change.new_oid
            added = (text for hunk in patch.hunks for kind, text in hunk.lines if kind == b"+")
            path.committed_lines.update(dict.fromkeys(added, owner(name)))


def _owners(replaced: Sequence[Owner], count: int, who: Owner) -> list[Owner]:
    """Return the owners of the added lines of a block that ``who`` wrote in place of others."""
    if who != PERSON:
        return [who] * count
    return [PERSON_INSTEAD if place < len(replaced) and replaced[place] != PERSON else PERSON for place in range(count)]


def _owner_of_formatted(owner: Owner, who: Owner) -> Owner:
    """Return the owner of a line of which ``who`` changed only the format."""
    if owner not in _UNWRITTEN:
        return owner
    return _FORMATTED if who == NOBODY and owner != NOBODY else who


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


def _formatted(removed: Sequence[bytes], added: Sequence[bytes]) -> Comparison | None:
    """Return which lines of a block changed only in format; None if it removes or adds nothing."""
    if not removed or not added:
        return None
    from entire.attribution import formatting  # compiles a pattern, and few commits need it

    return formatting.compare(removed, added)


def _owner_around(before: Runs, reader: _Reader) -> Owner:
    """Return the owner of blank lines that a commit's hooks added: that of the lines around them, if it is the same."""
    following = reader.peek()
    return following if before and before[-1][0] == following and following != BASE else NOBODY


def _committed(runs: Runs) -> Runs:
    return [(owner.committed(), count) for owner, count in runs]


def _mark_common(runs: Runs, hunks: Sequence[Hunk]) -> Runs:
    """Mark as committed what a commit shares with the snapshot; ``hunks`` lead from the snapshot to the commit."""
    reader = _Reader(runs)
    out: Runs = []
    at = 1
    for hunk in hunks:
        start = hunk.old_start if hunk.old_count else hunk.old_start + 1
        _extend(out, reader.pieces(start - at), Owner.committed)
        at = start + hunk.old_count
        for removed, added, unchanged in _blocks(hunk):
            formatted = _formatted(removed, added)
            for place in range(len(removed)):
                owner = reader.take()
                is_there = formatted is not None and place in formatted.remaining
                _add(out, owner.committed() if is_there else owner, 1)
            _extend(out, reader.pieces(unchanged), Owner.committed)
    _extend(out, reader.pieces(_REST), Owner.committed)
    return out


def _extend(out: Runs, pieces: Iterable[tuple[Owner, int]], change: Callable[[Owner], Owner]) -> None:
    for owner, count in pieces:
        _add(out, change(owner), count)


def _add(runs: Runs, owner: Owner, count: int) -> None:
    if count and runs and runs[-1][0] == owner:
        runs[-1] = (owner, runs[-1][1] + count)
    elif count:
        runs.append((owner, count))


class _Reader:
    """Reads the owners of a file's lines from the start."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._index = 0
        self._used = 0

    def pieces(self, count: int) -> Runs:
        """Return the owners of the next ``count`` lines, as runs."""
        out: Runs = []
        while count > 0 and self._index < len(self._runs):
            owner, size = self._runs[self._index]
            part = min(count, size - self._used)
            _add(out, owner, part)
            count -= part
            self._used += part
            if self._used >= size:
                self._index += 1
                self._used = 0
        return out

    def peek(self) -> Owner:
        """Return the owner of the next line without reading it."""
        return self._runs[self._index][0] if self._index < len(self._runs) else BASE

    def copy(self, count: int, out: Runs) -> None:
        """Append the owners of the next ``count`` lines to ``out``."""
        for owner, size in self.pieces(count):
            _add(out, owner, size)

    def take(self) -> Owner:
        """Return the owner of the next line."""
        pieces = self.pieces(1)
        return pieces[0][0] if pieces else BASE


def _blocks(hunk: Hunk) -> list[tuple[list[bytes], list[bytes], int]]:
    """Split a hunk into (removed lines, added lines, number of unchanged lines after them)."""
    blocks: list[tuple[list[bytes], list[bytes], int]] = []
    removed: list[bytes] = []
    added: list[bytes] = []
    unchanged = 0
    for kind, text in hunk.lines:
        if kind == b" ":
            unchanged += 1
            continue
        if unchanged or (kind == b"-" and added):
            blocks.append((removed, added, unchanged))
            removed, added, unchanged = [], [], 0
        (removed if kind == b"-" else added).append(text)
    blocks.append((removed, added, unchanged))
    return blocks


# ---------------------------------------------------------------- the content of a commit


class PathLines(Value):
    """The lines of one path of a commit, against its first parent.

    ``added`` partitions the added lines into (first line, last line, owner), numbered in the new file from 1.
    ``removed`` counts removed lines by who removed them; ``PERSON_INSTEAD``: a person's line replaced them.
    ``path_owner`` created, removed or moved the file, changed its mode, or wrote it as a binary file; BASE if only
    lines changed.
    """

    path: str
    status: str
    binary: bool
    added: tuple[tuple[int, int, Owner], ...]
    removed: dict[Owner, int]
    path_owner: Owner
    old_path: str = ""  # of a moved file

    def owners(self) -> set[Owner]:
        """Return all owners of this path's change."""
        found = {owner for _, _, owner in self.added} | set(self.removed)
        if self.path_owner:
            found.add(self.path_owner)
        return found


def commit_lines(lineage: Lineage, patches: Sequence[FilePatch]) -> list[PathLines]:
    """Return the owners of a commit's lines. ``patches`` lead to it from its parent; ``lineage`` is at its tree."""
    return [
        _path_lines(lineage.path(patch.change.path), lineage.path(patch.change.old_path), patch) for patch in patches
    ]


def _path_lines(path: Path, source: Path, patch: FilePatch) -> PathLines:
    change = patch.change
    added: list[tuple[int, int, Owner]] = []
    removed: dict[Owner, int] = {}
    gone = source if change.status == "R" else path
    taken = {text: list(owners) for text, owners in (*gone.removed_by.items(), *path.removed_by.items())}
    for hunk in patch.hunks:
        line = hunk.new_start
        reader = _Reader(path.runs)
        reader.pieces(line - 1)
        for minus, plus, unchanged in _blocks(hunk):
            makers = [reader.take() for _ in plus]
            if _FORMATTED in makers:
                makers = _owners_of_parent(minus, plus, makers)
            removers = [
                path.remover
                if change.status == "D"
                else (taken[text].pop() if taken.get(text) else path.committed_lines.get(text, PERSON))
                for text in minus
            ]
            for who in _add_block(added, line, makers, [who or PERSON for who in removers]):
                removed[who] = removed.get(who, 0) + 1
            reader.pieces(unchanged)
            line += len(plus) + unchanged
    if is_rewritten := change.status == "A" and path.maker.is_turn and _is_rewritten(path, patch, added):
        added = [(first, last, PERSON if owner.is_turn else owner) for first, last, owner in added]
    return PathLines(
        path=change.path,
        status=change.status,
        binary=patch.binary,
        added=tuple(added),
        removed=removed,
        path_owner=PERSON if is_rewritten else _path_owner(path, patch),
        old_path=change.old_path if change.status == "R" else "",
    )


def _owners_of_parent(minus: Sequence[bytes], plus: Sequence[bytes], makers: Sequence[Owner]) -> list[Owner]:
    """Return the owners of a block's added lines; of lines that a hook formatted, the parent's are nobody's, and others
    are a person's.
    """
    formatted = _formatted(minus, plus)
    sources = formatted.sources if formatted is not None else [-1] * len(plus)
    found = zip(makers, sources, strict=True)
    return [(PERSON if source < 0 else NOBODY) if maker == _FORMATTED else maker for maker, source in found]


def _add_block(
    added: list[tuple[int, int, Owner]], line: int, makers: Sequence[Owner], removers: list[Owner]
) -> list[Owner]:
    """Add the owners of a block's added lines from ``line`` on; return who removed its removed lines.

    A line that a person replaced is one removed and one added line. The removal then belongs to the person's line, even
    if an agent had written something else there in between.
    """
    # Removals by people that may belong to people's lines from before the first snapshot.
    free = sum(not who.is_turn and who != NOBODY for who in removers)
    for place, owner in enumerate(makers):
        if not owner.is_turn and owner != NOBODY:
            instead = owner == PERSON_INSTEAD or (owner != PERSON and free > 0)
            owner = PERSON_INSTEAD if instead else PERSON
            if instead:
                free -= 1
                _take_removal(removers, place)
        if added and added[-1][2] == owner and added[-1][1] == line - 1:
            added[-1] = (added[-1][0], line, owner)
        else:
            added.append((line, line, owner))
        line += 1
    return removers


def _take_removal(removers: list[Owner], place: int) -> None:
    """Assign a removal to the person's line at ``place``: one by people, else the agent's in the same place."""
    if PERSON in removers:
        removers[removers.index(PERSON)] = PERSON_INSTEAD
    elif place < len(removers) and removers[place].is_turn:
        removers[place] = PERSON_INSTEAD


def _is_rewritten(path: Path, patch: FilePatch, added: Sequence[tuple[int, int, Owner]]) -> bool:
    """Tell whether a person threw a new file of a turn away and wrote it again: more of the turns' lines are gone than
    remain, and these are at most a quarter of the file. Trivial lines do not count.
    """
    texts = [text for hunk in patch.hunks for _, text in hunk.lines]
    total = remaining = 0
    for first, last, owner in added:
        count = sum(not is_trivial(text) for text in texts[first - 1 : last])
        total += count
        remaining += count if owner.is_turn else 0
    if not any(owner.is_turn for _, _, owner in added):
        return any(owner != NOBODY for _, _, owner in added)
    return bool(total) and path.discarded >= remaining and _LEAST_LIKENESS * remaining <= total


def is_trivial(line: bytes) -> bool:
    """Tell whether a line is in many files alike: blank, only punctuation, a package's name, an import."""
    words = line.split(None, 1)
    return not any(map(_is_letter, line)) or words[0] in _TRIVIAL_WORDS


def _is_letter(char: int) -> bool:
    return char > 0x7F or chr(char).isalnum()


def _path_owner(path: Path, patch: FilePatch) -> Owner:
    change = patch.change
    if change.status == "D":
        return path.remover
    if change.status in "ART" or patch.binary or GITLINK in (change.old_mode, change.new_mode):
        return path.maker
    return path.mode_changer if change.old_mode != change.new_mode else BASE
