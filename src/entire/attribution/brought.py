"""What git brought into the worktree, as against what was written in it (linking.md section 1).

A line that a tree which git brought had already is nobody's writing: it keeps the owner that it has there.
"""

from __future__ import annotations

from entire.attribution import owner_runs
from entire.attribution.owner_runs import REST, OwnerReader
from entire.model.turns import BASE, Owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from entire.attribution.owner_runs import Runs
    from entire.git.diff import FileChange, FilePatch

    # Path, blob id, whether as it was made -> who wrote its lines, and the file.
    Versions = Callable[[str, str, bool], tuple[Runs, Owner] | None]

_WRITTEN = Owner("written")  # a line that a tree does not have
_NO_FILE = "000000"


class BroughtTree:
    """A tree that git brought, by the patches from it to the tree that is there now; or (``is_made``) that of a commit
    which was made since the last snapshot, and left again.
    """

    def __init__(self, patches: Sequence[FilePatch], *, is_made: bool = False) -> None:
        self.is_made = is_made
        self._patches = {patch.change.path: patch for patch in patches}
        self._moved = {patch.change.old_path for patch in patches if patch.change.status == "R"}

    def patch(self, path: str) -> FilePatch | None:
        """Return the patch of a path; None if the tree has it as it is now."""
        return self._patches.get(path)

    def has(self, path: str) -> bool:
        """Tell whether the tree has a path."""
        patch = self._patches.get(path)
        return path in self._moved if patch is None else patch.change.status in "MTD"

    def has_same(self, path: str) -> bool:
        """Tell whether the tree has a path as it is now, or like now has nothing there."""
        return path not in self._patches and path not in self._moved


class BroughtPath:
    """What git brought of one path that changed."""

    def __init__(self, change: FileChange, known: Sequence[BroughtTree], versions: Versions) -> None:
        is_there = change.new_mode != _NO_FILE
        trees = [tree for tree in known if not tree.is_made]
        self.is_whole = is_there and any(tree.has_same(change.path) for tree in trees)
        self.is_removed = not is_there and bool(trees) and not trees[-1].has(change.path)
        self.has_mode = any(_mode(tree, change) == change.new_mode for tree in trees)
        self.maker: Owner | None = None  # of the file; None if no tree has it
        self._readers: list[OwnerReader] = []
        self._elsewhere: dict[bytes, Owner] = {}  # lines that a tree has in another place, by text
        self._at = 0
        for tree in known if is_there else ():
            if tree.has(change.path) or tree.has_same(change.path) or _is_moved(tree, change.path):
                self._add(tree, change, versions)
        last = trees[-1].patch(change.path) if trees else None
        self._still_had = {text for _, removed, _ in last.blocks() for text in removed} if last is not None else set()
        self._trees = bool(trees)

    def _add(self, tree: BroughtTree, change: FileChange, versions: Versions) -> None:
        patch = tree.patch(change.path)
        old = (change.path, change.new_oid) if patch is None else (patch.change.old_path, patch.change.old_oid)
        runs_and_maker = versions(*old, tree.is_made)
        if runs_and_maker is None and tree.is_made:
            return
        runs, maker = runs_and_maker or ([(BASE, REST)], BASE)
        self.maker = self.maker or maker
        self._readers.append(OwnerReader(_runs_now(runs, patch, self._elsewhere) if patch is not None else runs))

    def owners(self, first: int, texts: Sequence[bytes]) -> list[Owner | None]:
        """Return who wrote these lines where git brought them, from line ``first`` (counted from 0) of the file; None
        for those that no tree has. Ask in the order of the lines.
        """
        count = len(texts)
        owners: list[Owner | None] = [None] * count
        for reader in self._readers:
            reader.pieces(first - self._at)
            for place in range(count):
                owner = reader.take()
                if owner != _WRITTEN and not owners[place]:  # another tree may know whose a line of BASE is
                    owners[place] = owner
        self._at = first + count
        return [
            self._elsewhere.get(text) if owner is None else owner for owner, text in zip(owners, texts, strict=True)
        ]

    def removes(self, text: bytes) -> bool:
        """Tell whether a line that is gone was already gone in what git brought last."""
        return self._trees and text not in self._still_had


def _mode(tree: BroughtTree, change: FileChange) -> str:
    patch = tree.patch(change.path)
    return change.new_mode if patch is None else patch.change.old_mode


def _is_moved(tree: BroughtTree, path: str) -> bool:
    """Tell whether a tree has a path's lines under another name."""
    patch = tree.patch(path)
    return patch is not None and patch.change.status == "R"


def _runs_now(runs: Runs, patch: FilePatch, elsewhere: dict[bytes, Owner]) -> Runs:
    """Return who wrote the lines that a tree had, in the file as it is now; note those that are in another place."""
    reader, out = OwnerReader(runs), list[tuple[Owner, int]]()
    for unchanged, removed, added in patch.blocks():
        reader.copy(unchanged, out)
        for text in removed:
            owner = reader.take()
            if any(char > 0x7F or chr(char).isalnum() for char in text):  # a brace or a blank line tells nothing
                elsewhere.setdefault(text, owner)
        owner_runs.add(out, _WRITTEN, len(added))
    reader.copy(REST, out)
    return out
