"""Reads many checkpoints at once, and of each only what tells where lines come from."""

from __future__ import annotations

from entire.git.read import SMALL
from entire.model.records import SessionRecord
from entire.queries import turns
from entire.store import checkpoints, lineage_file, steps, tombstones

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from entire.git.read import Object, Objects
    from entire.store.lineage_file import LineageFile

    Files = Mapping[str, str]  # name -> object id

_SHARD = 2  # digits of a checkpoint's id in the name of its outer folder


class StoredSlot:
    """A session's part of a checkpoint. ``prompts`` are all that are stored, in their order."""

    def __init__(self, metadata: dict[str, Any], stored_prompts: bytes) -> None:
        self._metadata = metadata
        self._prompts = stored_prompts

    @property
    def session_id(self) -> str:
        return str(self._metadata.get("session_id", ""))

    @property
    def agent(self) -> str:
        return str(self._metadata.get("agent", ""))

    @property
    def record(self) -> SessionRecord:
        return SessionRecord.from_json(self._metadata)

    @property
    def prompts(self) -> list[str]:
        text = self._prompts.decode("utf-8", "replace")
        return text.split(steps.SEPARATOR) if text else []


class StoredCheckpoints:
    """The checkpoints at ``tips`` (commits); of two with the same id the first tip's counts."""

    def __init__(self, objects: Objects, tips: Sequence[str]) -> None:
        self._objects = objects
        self._tips = tips
        self._folders: dict[str, Files] = {}  # by checkpoint id; empty: not stored here
        self._lineages: dict[str, bytes] = {}
        self._parsed: dict[str, LineageFile | None] = {}
        self._slots: dict[str, dict[str, StoredSlot]] = {}  # by checkpoint id, then session id

    def load(self, ids: Iterable[str]) -> None:
        """Read the lineage files of checkpoints, level by level, so each tree is read once."""
        missing = [name for name in dict.fromkeys(ids) if name not in self._folders]
        trees = self._trees(missing)
        objects = self._objects.get_all(list(trees.values()))
        self._folders.update({name: {} for name in missing})
        self._folders.update({name: _entries(tree) for name, tree in zip(trees, objects, strict=True)})
        own = {name: oid for name in missing if (oid := self._folders[name].get(lineage_file.NAME))}
        self._lineages.update(self._blobs(own))

    def is_stored(self, checkpoint_id: str) -> bool:
        return bool(self._folders.get(checkpoint_id))

    def forgotten_on(self, checkpoint_id: str) -> str:
        """Return the day on which a checkpoint was forgotten, '' if it was not."""
        moment = tombstones.checkpoint(self._objects, self._tips, checkpoint_id)
        return tombstones.day(moment) if moment else ""

    def has_lineage(self, checkpoint_id: str) -> bool:
        return lineage_file.NAME in self._folders.get(checkpoint_id, {})

    def lineage(self, checkpoint_id: str) -> LineageFile | None:
        """Return a loaded checkpoint's record, None if there is none that this version can read."""
        if checkpoint_id not in self._parsed:
            self._parsed[checkpoint_id] = lineage_file.parse(self._lineages.get(checkpoint_id))
        return self._parsed[checkpoint_id]

    def load_sessions(self, ids: Iterable[str]) -> None:
        """Read the sessions' records and prompts of loaded checkpoints."""
        wanted = [name for name in dict.fromkeys(ids) if name not in self._slots and self.is_stored(name)]
        slots = [(name, oid) for name in wanted for number, oid in self._folders[name].items() if number.isdigit()]
        files = [_entries(tree) for tree in self._objects.get_all([oid for _, oid in slots])]
        records = self._blobs({str(n): oid for n, held in enumerate(files) if (oid := held.get("metadata.json"))})
        texts = self._blobs({str(n): oid for n, held in enumerate(files) if (oid := held.get("prompt.txt"))})
        self._slots.update({name: {} for name in wanted})
        for number, (name, _) in enumerate(slots):
            value = checkpoints.parse_object(records.get(str(number)))
            if value is not None:
                slot = StoredSlot(value, texts.get(str(number), b""))
                self._slots[name][slot.session_id] = slot

    def sessions(self, checkpoint_id: str) -> Mapping[str, StoredSlot]:
        """Return the loaded sessions of a checkpoint, by id."""
        return self._slots.get(checkpoint_id, {})

    def turn(self, checkpoint_id: str, session_id: str, turn_id: str) -> tuple[int, Mapping[str, object], str] | None:
        """Return the number of a session's turn, our record of it and its prompt; None if it is not recorded there."""
        recorded = turns.in_record(self.lineage(checkpoint_id), session_id)
        slot = self.sessions(checkpoint_id).get(session_id)
        pairs = enumerate(turns.paired(recorded, slot.prompts), 1) if slot is not None else ()
        return next(((number, *pair) for number, pair in pairs if pair[0].get("turn") == turn_id), None)

    def _trees(self, ids: Sequence[str]) -> dict[str, str]:
        oids: dict[str, str] = {}
        for tip in self._tips if ids else ():
            root = self._objects.get(f"{tip}^{{tree}}")
            names = sorted({name[:_SHARD] for name in ids if name not in oids})
            shards = {name: oid for name in names if root is not None and (oid := _entry(root, name))}
            held = dict(zip(shards, self._objects.get_all(list(shards.values())), strict=True))
            for name in ids:
                shard = held.get(name[:_SHARD])
                if name not in oids and shard is not None and (oid := _entry(shard, name[_SHARD:])):
                    oids[name] = oid
        return oids

    def _blobs(self, oids: Mapping[str, str]) -> dict[str, bytes]:
        once = list(dict.fromkeys(oids.values()))
        blobs = dict(zip(once, self._objects.get_all(once, SMALL), strict=True))
        return {name: blob.data for name, oid in oids.items() if (blob := blobs[oid]) is not None}


def _entry(tree: Object, name: str) -> str:
    """Return the id of a folder in a tree, '' if it has none of that name. Parsing whole trees costs too much here."""
    marker = b"40000 " + name.encode() + b"\0"
    at = tree.data.find(marker)
    start = at + len(marker)
    return tree.data[start : start + len(tree.oid) // 2].hex() if at >= 0 else ""


def _entries(tree: Object | None) -> Files:
    if tree is None or tree.type != "tree":
        return {}
    entries, data, size, at = {}, tree.data, len(tree.oid) // 2, 0
    while at < len(data):
        blank, end = data.index(b" ", at), data.index(b"\0", at)
        entries[data[blank + 1 : end].decode("utf-8", "surrogateescape")] = data[end + 1 : end + 1 + size].hex()
        at = end + 1 + size
    return entries
