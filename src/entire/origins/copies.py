"""Finds the lines of a commit in the commit that it is a copy of, or the other way round.

A rebase, a cherry-pick, a squash and an amend make copies. The same file has the same numbers; the same change has its
added lines in the same order; else the lines that a comparison finds unchanged are the same.
"""

from __future__ import annotations

from entire.git import bulk, diff
from entire.git.patchid import patch_id
from entire.model.turns import Owner
from entire.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from entire.git.diff import FilePatch
    from entire.git.read import Commit
    from entire.store.lineage_file import FileLines

    Span = tuple[int, int, Owner]  # first line, last line, owner


class Copy(Value):
    """A file of a commit, and the commit that a checkpoint's record numbers its lines in."""

    oid: str
    original: str
    path: str


class Copies:
    """Compares files of copies with those of their originals, in as few processes as possible."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._blobs: dict[str, str] = {}  # by commit:path
        self._added: dict[tuple[str, str], list[int]] = {}  # the lines that a commit adds to a path
        self._patch_ids: dict[str, str] = {}  # by commit
        self._unchanged: dict[tuple[str, str], list[tuple[int, int, int]]] = {}  # by blobs

    def load_blobs(self, copies: Iterable[Copy]) -> None:
        """Read the ids of the files."""
        names = dict.fromkeys(f"{oid}:{copy.path}" for copy in copies for oid in (copy.oid, copy.original))
        missing = [name for name in names if name not in self._blobs]
        if missing:
            self._blobs.update(zip(missing, bulk.ids(self._where, missing, "blob"), strict=True))

    def is_same(self, copy: Copy) -> bool:
        """Tell whether both commits have the same file, by its loaded id."""
        return bool(self.blob(copy.oid, copy.path)) and self.blob(copy.oid, copy.path) == self.blob(
            copy.original, copy.path
        )

    def blob(self, oid: str, path: str) -> str:
        """Return the loaded id of a commit's file, '' if there is none."""
        return self._blobs.get(f"{oid}:{path}", "")

    def load_changes(self, commits: Iterable[tuple[Commit, str]]) -> None:
        """Find what each commit changes, given with its parent's tree ('' for none)."""
        pairs = {commit.oid: (parent or diff.EMPTY_TREE[len(commit.tree)], commit.tree) for commit, parent in commits}
        patches = diff.patches(self._where, list(pairs.values()), renames=False)
        for oid, changed in zip(pairs, patches, strict=True):
            self._added.update({(oid, patch.change.path): _added(patch) for patch in changed})
            self._patch_ids[oid] = patch_id(changed, len(oid))

    def is_same_change(self, copy: Copy, original_patch_id: str) -> bool:
        """Tell whether a commit, whose change is loaded, makes the same change as its original."""
        return bool(original_patch_id) and self._patch_ids.get(copy.oid) == original_patch_id

    def counted_off(self, copy: Copy, lines: FileLines) -> tuple[Span, ...] | None:
        """Return the owners of the lines that a copy adds, in the original's order; None if they do not match."""
        numbers = self._added.get((copy.oid, copy.path), [])
        owners = [owner for first, last, owner in lines.added for _ in range(first, last + 1)]
        if len(numbers) != len(owners):
            return None
        return spans(zip(numbers, owners, strict=True))

    def line_in(self, copy: Copy, line: int) -> int:
        """Return the number of a copy's line in the original, 0 if it is not there unchanged."""
        if self.is_same(copy):
            return line
        old, new = self.blob(copy.original, copy.path), self.blob(copy.oid, copy.path)
        if not old or not new:
            return 0
        if (old, new) not in self._unchanged:
            self._unchanged[old, new] = diff.unchanged_lines(self._where, old, new)
        return next((there + line - here for there, here, count in self._unchanged[old, new]
                     if here <= line < here + count), 0)  # fmt: skip


def spans(owned: Iterable[tuple[int, str]]) -> tuple[Span, ...]:
    """Join single lines with their owners to ranges."""
    joined: list[Span] = []
    for line, owner in owned:
        if joined and joined[-1][1] == line - 1 and joined[-1][2] == owner:
            joined[-1] = (joined[-1][0], line, Owner(owner))
        else:
            joined.append((line, line, Owner(owner)))
    return tuple(joined)


def _added(patch: FilePatch) -> list[int]:
    numbers = []
    for hunk in patch.hunks:
        number = hunk.new_start
        for kind, _ in hunk.lines:
            if kind == b"+":
                numbers.append(number)
            number += kind != b"-"
    return numbers
