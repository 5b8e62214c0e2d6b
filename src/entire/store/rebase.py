"""Rebases newer commits of ours onto another history: each keeps what it changed and takes the rest from there.

The undo of ``forget`` uses it to keep what was stored since. Of a file that both sides changed, the newer commit's
version stays; a transcript and its hash stay together.
"""

from __future__ import annotations

from entire.git import history
from entire.git.read import tree_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from entire.git.pack import Pack
    from entire.git.read import Objects

    Entry = tuple[bytes, str]  # mode, object id

_TREE = b"40000"
_WHOLE = (b"content_hash.txt", b"full.jsonl")


class Rebaser:
    """``bases`` maps commits to those that take their place; ``commits`` will have the newer ones besides."""

    def __init__(self, objects: Objects, pack: Pack, bases: Mapping[str, str]) -> None:
        self._objects = objects
        self._pack = pack
        self._trees: dict[tuple[str, str, str], str] = {}
        self.commits = dict(bases)

    def rebase(self, where: str, tips: Sequence[str]) -> None:
        """Write the commits that the tips reach on top of a base again."""
        known = [f"^{oid}" for oid in self.commits if self._objects.commit(oid) is not None]
        for oid in history.oldest_first(where, [*(tip for tip in tips if tip not in self.commits), *known]):
            self._commit(oid)
        self._pack.flush()

    def _commit(self, oid: str) -> None:
        obj = self._objects.get(oid)
        commit = self._objects.commit(oid)
        if obj is None or commit is None:
            return
        parent = next((name for name in commit.parents if name in self.commits), "")
        if not parent:
            return
        tree = self._tree(self._objects.tree_id(parent), self._objects.tree_id(self.commits[parent]), commit.tree)
        head, gap, message = obj.data.partition(b"\n\n")
        lines = [
            f"tree {tree}".encode(),
            *(f"parent {self.commits.get(name, name)}".encode() for name in commit.parents),
        ]
        lines += [line for line in head.split(b"\n") if line.startswith((b"author ", b"committer ", b"encoding "))]
        self.commits[oid] = self._pack.add("commit", b"\n".join(lines) + gap + message)
        self._pack.flush()  # its tree is the next one's base

    def _tree(self, base: str, other: str, new: str) -> str:
        """Return ``other`` with what changed from ``base`` to ``new``; all are trees."""
        if base in (other, new):
            return new if base == other else other
        known = self._trees.get((base, other, new))
        if known is None:
            sides = [self._entries(oid) for oid in (base, other, new)]
            if any(name in side for side in sides for name in _WHOLE):
                return new
            names = dict.fromkeys(name for side in sides for name in side)
            entries = {name: self._entry(*(side.get(name) for side in sides)) for name in names}
            known = self._trees[base, other, new] = self._written(entries)
        return known

    def _entry(self, base: Entry | None, other: Entry | None, new: Entry | None) -> Entry | None:
        if base in (other, new):
            return new if base == other else other
        if other is not None and new is not None and other[0] == new[0] == _TREE:
            empty = self._pack.add("tree", b"")
            return _TREE, self._tree(base[1] if base is not None and base[0] == _TREE else empty, other[1], new[1])
        return new

    def _entries(self, tree: str) -> dict[bytes, Entry]:
        obj = self._objects.get(tree)
        data = obj.data if obj is not None and obj.type == "tree" else b""
        return {name: (mode, oid) for mode, name, oid in
                ((mode, name, raw.hex()) for mode, name, raw in tree_entries(data, len(tree) // 2))}  # fmt: skip

    def _written(self, entries: Mapping[bytes, Entry | None]) -> str:
        rows = [(name + (b"/" if entry[0] == _TREE else b""), name, entry) for name, entry in entries.items() if entry]
        return self._pack.add("tree", b"".join(mode + b" " + name + b"\0" + bytes.fromhex(oid)
                                               for _, name, (mode, oid) in sorted(rows)))  # fmt: skip
