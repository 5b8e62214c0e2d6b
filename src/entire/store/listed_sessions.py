"""Reads what many checkpoints record of their sessions, for lists: a few git processes for all, and no transcript."""

from __future__ import annotations

from entire.git import bulk
from entire.git.read import SMALL, tree_entries
from entire.model.value import Value
from entire.store import checkpoints, lineage_file
from entire.store.steps import SEPARATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from entire.git.read import Objects
    from entire.model.ids import CheckpointId
    from entire.store.lineage_file import LineageFile

_FEW = 200  # objects that are not worth a process of their own


class ListedSession(Value):
    """A session in a checkpoint: its metadata as stored, and its prompts."""

    record: dict[str, Any]
    prompts: tuple[str, ...] = ()


class ListedCheckpoint(Value):
    """A checkpoint's sessions in the order of their folders, and the bytes of ``lineage.json``."""

    sessions: tuple[ListedSession, ...] = ()
    lineage: bytes = b""

    @property
    def own(self) -> LineageFile | None:
        """Our record, None if there is none that this version can read."""
        return lineage_file.parse(self.lineage) if self.lineage else None


class ListedSessionReader:
    """Reads checkpoints from the tips of the checkpoints branches; each part of a branch's tree only once."""

    def __init__(self, where: str, objects: Objects, tips: Sequence[str]) -> None:
        self._where = where
        self._objects = objects
        self._tips = tips
        self._shards: dict[str, dict[str, str]] = {}  # of each tip: name to tree
        self._folders: dict[str, dict[str, str]] = {}  # of each shard's tree: name to tree

    def read(self, ids: Sequence[CheckpointId]) -> dict[CheckpointId, ListedCheckpoint]:
        """Return the stored checkpoints among ``ids``, each from the first tip that has it."""
        trees = self._trees(list(dict.fromkeys(ids)))
        folders = zip(trees, self._get(list(trees.values())), strict=True)
        names = {name: _names(folder, len(trees[name]) // 2) for name, folder in folders if folder is not None}
        blobs = iter(self._get([name for group in names.values() for name in group]))
        return {
            checkpoint_id: _checkpoint([next(blobs) for _ in group], has_lineage=len(group) % 2 == 1)
            for checkpoint_id, group in names.items()
        }

    def _trees(self, wanted: Sequence[CheckpointId]) -> dict[CheckpointId, str]:
        """Return the trees of the checkpoints' folders. They are found shard by shard: git would look up each path from
        the root.
        """
        trees: dict[CheckpointId, str] = {}
        for tip in self._tips:
            shards = self._shards_of(tip)
            missing = [checkpoint_id for checkpoint_id in wanted if checkpoint_id not in trees]
            self._load([shards[name] for name in dict.fromkeys(one[:2] for one in missing) if name in shards])
            for checkpoint_id in missing:
                tree = self._folders.get(shards.get(checkpoint_id[:2], ""), {}).get(checkpoint_id[2:])
                if tree:
                    trees[checkpoint_id] = tree
        return {checkpoint_id: trees[checkpoint_id] for checkpoint_id in wanted if checkpoint_id in trees}

    def _shards_of(self, tip: str) -> dict[str, str]:
        if tip not in self._shards:
            root = self._objects.get(f"{tip}^{{tree}}")
            self._shards[tip] = checkpoints.subtrees(root.data, len(root.oid) // 2, 2) if root is not None else {}
        return self._shards[tip]

    def _load(self, shards: Sequence[str]) -> None:
        new = [oid for oid in shards if oid not in self._folders]
        for oid, data in zip(new, self._get(new), strict=True):
            self._folders[oid] = checkpoints.subtrees(data or b"", len(oid) // 2, 10)

    def _get(self, names: Sequence[str]) -> list[bytes | None]:
        if len(names) > _FEW:
            return [obj.data if obj is not None else None for obj in bulk.get(self._where, names)]
        return [obj.data if obj is not None else None for obj in self._objects.get_all(names, SMALL)]


def _names(folder: bytes, oid_size: int) -> list[str]:
    """Return the names of the files to read: two for each session, and at the end the lineage if there is one."""
    entries = {name.decode("utf-8", "replace"): oid.hex() for _, name, oid in tree_entries(folder, oid_size)}
    slots = sorted(int(name) for name in entries if checkpoints.is_number(name))
    files = [f"{entries[str(slot)]}:{name}" for slot in slots for name in ("metadata.json", "prompt.txt")]
    return [*files, entries[lineage_file.NAME]] if lineage_file.NAME in entries else files


def _checkpoint(data: Sequence[bytes | None], *, has_lineage: bool) -> ListedCheckpoint:
    pairs = zip(data[::2], data[1::2], strict=False)
    return ListedCheckpoint(
        sessions=tuple(_session(metadata or b"", prompts or b"") for metadata, prompts in pairs),
        lineage=(data[-1] or b"") if has_lineage else b"",
    )


def _session(metadata: bytes, prompts: bytes) -> ListedSession:
    texts = prompts.decode("utf-8", "replace").split(SEPARATOR) if prompts else ()
    return ListedSession(record=checkpoints.parse_object(metadata) or {}, prompts=tuple(texts))
