"""Reads what many checkpoints record of their sessions, for lists: two git processes for all of them, no transcript."""

from __future__ import annotations

from entire.git import bulk
from entire.git.read import parse_tree
from entire.model.value import Value
from entire.store import checkpoints, lineage_file
from entire.store.prompts import SEPARATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from entire.git.read import Object
    from entire.model.ids import CheckpointId
    from entire.store.lineage_file import LineageFile


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


def read(where: str, tips: Sequence[str], ids: Sequence[CheckpointId]) -> dict[CheckpointId, ListedCheckpoint]:
    """Return the stored checkpoints among ``ids``, each from the first tip that has it."""
    folders: dict[CheckpointId, Object] = {}
    wanted = list(dict.fromkeys(ids))
    for tip in tips:
        trees = list(bulk.get(where, [f"{tip}:{checkpoint_id.path}" for checkpoint_id in wanted])) if wanted else []
        folders.update((name, tree) for name, tree in zip(wanted, trees, strict=True) if tree is not None)
        wanted = [name for name in wanted if name not in folders]
    names = {checkpoint_id: _names(folder) for checkpoint_id, folder in folders.items()}
    blobs = bulk.get(where, [name for group in names.values() for name in group]) if names else iter(())
    return {
        checkpoint_id: _checkpoint([next(blobs) for _ in group], has_lineage=len(group) % 2 == 1)
        for checkpoint_id, group in names.items()
    }


def _names(folder: Object) -> list[str]:
    """Return the names of the files to read: two for each session, and at the end the lineage if there is one."""
    if folder.type != "tree":
        return []
    entries = parse_tree(folder.data, len(folder.oid) // 2)
    slots = sorted((int(entry.name), entry.oid) for entry in entries if checkpoints.is_slot(entry))
    files = [f"{oid}:{name}" for _, oid in slots for name in ("metadata.json", "prompt.txt")]
    return files + [entry.oid for entry in entries if entry.name == lineage_file.NAME]


def _checkpoint(blobs: Sequence[Object | None], *, has_lineage: bool) -> ListedCheckpoint:
    data = [blob.data if blob is not None and blob.type == "blob" else b"" for blob in blobs]
    pairs = zip(data[::2], data[1::2], strict=False)
    return ListedCheckpoint(
        sessions=tuple(_session(metadata, prompts) for metadata, prompts in pairs),
        lineage=data[-1] if has_lineage else b"",
    )


def _session(metadata: bytes, prompts: bytes) -> ListedSession:
    texts = prompts.decode("utf-8", "replace").split(SEPARATOR) if prompts else ()
    return ListedSession(record=checkpoints.parse_object(metadata) or {}, prompts=tuple(texts))
