"""Permanent store: the branch ``entire/checkpoints/v1``, one folder per checkpoint (formats.md section 2).

Reading accepts what real repositories contain: gaps between slots, empty or dangling pointers, null lists, missing
files, several histories. Writing keeps unknown data.
"""

from __future__ import annotations

from entire.errors import MissingObjectError
from entire.git import refs
from entire.git.read import SMALL, TreeEntry, parse_tree, tree_entries
from entire.layout import METADATA_BRANCH
from entire.model import jsontext
from entire.model.digest import sha256
from entire.model.ids import HEX, CheckpointId, is_checkpoint_id
from entire.model.records import CheckpointSummary, SessionRecord, summarize
from entire.model.value import Value, replace
from entire.store import steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from entire.git.read import Object, Objects

    Join = Callable[[list[bytes]], bytes]

LOCAL_REF = f"refs/heads/{METADATA_BRANCH}"
TRANSCRIPT = "full.jsonl"
_OLD_TRANSCRIPT = "full.log"
_TREE = "040000"
MAX_SLOTS = 200
"""Sessions that are read of a checkpoint: real ones have a few dozen."""
_HEX = frozenset("".join(HEX).encode())
REFETCH = f"if a remote has it: `git fetch --refetch REMOTE {METADATA_BRANCH}`; else copy it from another clone"


class Slot(Value):
    """One session in a checkpoint; ``files`` maps names in its folder to object ids; ``record``: None if unreadable."""

    number: int
    tree: str
    files: Mapping[str, str]
    record: SessionRecord | None

    @property
    def session_id(self) -> str:
        """The agent's session id, '' if the record has none."""
        return self.record.session_id if self.record is not None else ""


class Checkpoint(Value):
    """A checkpoint as read: ``slots`` in the order of the summary; ``problems`` describe damage."""

    id: CheckpointId
    tip: str
    tree: str
    summary: CheckpointSummary
    slots: tuple[Slot, ...]
    entries: tuple[TreeEntry, ...]
    latest: Slot | None = None  # the summary's last slot
    problems: tuple[str, ...] = ()

    @property
    def records(self) -> tuple[SessionRecord, ...]:
        return tuple(slot.record for slot in self.slots if slot.record is not None)

    def slot_of(self, session_id: str) -> Slot | None:
        return next((slot for slot in self.slots if slot.session_id == session_id), None)


class Task(Value):
    """A subagent's task: its final record, and object ids of its transcripts and increments by file name."""

    tool_use_id: str
    session_id: str = ""
    agent_id: str = ""
    checkpoint_uuid: str = ""
    transcripts: Mapping[str, str] = {}
    increments: Mapping[str, str] = {}


def tips(where: str) -> dict[str, str]:
    """Return the checkpoints branches, the local one first: ref to commit id.

    Without those of remotes that still have what was forgotten here: the local one has everything else of theirs.
    """
    by_ref = refs.find(where, LOCAL_REF, f"refs/remotes/**/{METADATA_BRANCH}")
    if len(by_ref) > 1 or LOCAL_REF not in by_ref:
        from entire.store import forgotten  # most hooks find no remote's branch

        by_ref = forgotten.without_old(where, by_ref, LOCAL_REF)
    names = sorted(by_ref, key=lambda name: (name != LOCAL_REF, name != f"refs/remotes/origin/{METADATA_BRANCH}", name))
    return {name: by_ref[name] for name in names if name == LOCAL_REF or name.startswith("refs/remotes/")}


def read(objects: Objects, where: Sequence[str] | Mapping[str, str], checkpoint_id: CheckpointId) -> Checkpoint | None:
    """Return a checkpoint from the first tip (ref or commit, such as ``tips()`` returns) that contains it, with at most
    ``MAX_SLOTS`` sessions.
    """
    for tip in where:
        checkpoint = read_at(objects, tip, checkpoint_id, most=MAX_SLOTS)
        if checkpoint is not None:
            return checkpoint
    return None


def read_at(objects: Objects, tip: str, checkpoint_id: CheckpointId, *, most: int | None = None) -> Checkpoint | None:
    """Return a checkpoint from the tree of one ref or commit, or None; all of it, as who rewrites it needs."""
    folder = objects.get(f"{tip}:{checkpoint_id.path}") if tip else None
    if folder is None or folder.type != "tree":
        return None
    entries = parse_tree(folder.data, len(folder.oid) // 2)
    oids = {entry.name: entry.oid for entry in entries}
    problems: list[str] = []
    value = _json_object(objects, oids.get("metadata.json"))
    if value is None:
        lost = _if_missing(objects, f"{checkpoint_id.path}/metadata.json", oids.get("metadata.json"))
        problems.append(lost or "the checkpoint's metadata.json is missing or broken")
    summary = CheckpointSummary.from_json(value or {})
    pointed = _pointed_numbers(summary, checkpoint_id)
    numbered = {int(entry.name) for entry in entries if entry.mode == _TREE and is_number(entry.name)}
    slots: dict[int, Slot] = {}
    wanted = list(dict.fromkeys([*pointed, *sorted(numbered)]))
    if most is not None and len(wanted) > most:
        problems.append(f"{len(wanted) - most:,} of its sessions are left out: at most {most:,} are read")
    for number in wanted[:most]:
        if number not in numbered:
            problems.append(f"the session folder {number} is missing")
            continue
        slots[number] = _read_slot(objects, number, oids[str(number)])
        if slots[number].record is None:
            problems.append(_why_unreadable(objects, slots[number], checkpoint_id.path))
    last = [slots[number] for number in pointed if number in slots] or list(slots.values())
    return Checkpoint(
        id=checkpoint_id,
        tip=tip,
        tree=folder.oid,
        slots=tuple(slots.values()),
        entries=tuple(entries),
        summary=_complete(summary, checkpoint_id, tuple(slots.values())),
        latest=last[-1] if last else None,
        problems=tuple(problems),
    )


def _why_unreadable(objects: Objects, slot: Slot, root: str) -> str:
    return lost_record(objects, slot, root) or f"the session folder {slot.number} has no readable metadata.json"


def lost_record(objects: Objects, slot: Slot, root: str) -> str:
    """Return the message about a session's folder or record that git lacks, '' if both are there."""
    folder, oid = f"{root}/{slot.number}", slot.files.get("metadata.json")
    return _if_missing(objects, folder, slot.tree) or _if_missing(objects, f"{folder}/metadata.json", oid)


def _if_missing(objects: Objects, path: str, oid: str | None) -> str:
    """Return the message about a file or folder that git lacks, or that is too large; '' if it can be read or was never
    stored.
    """
    if oid is None:
        return ""
    size = objects.size(oid)
    too_large = f"{path} is larger than any metadata of a checkpoint ({size:,} bytes), and is not read"
    return too_large if size > SMALL else missing_object(path, oid) if not size and not objects.oid(oid) else ""


def _complete(summary: CheckpointSummary, checkpoint_id: CheckpointId, slots: tuple[Slot, ...]) -> CheckpointSummary:
    """Add up the sessions where the root's metadata is missing."""
    records = [slot.record for slot in slots if slot.record is not None]
    if summary.checkpoint_id:
        return summary
    if not records:
        return replace(summary, checkpoint_id=checkpoint_id)
    return summarize(records, summary.sessions, summary.extra)


def _pointed_numbers(summary: CheckpointSummary, checkpoint_id: CheckpointId) -> list[int]:
    """Return the slot numbers that the pointers name; an entry without pointers means its own position."""
    numbers = []
    for position, entry in enumerate(summary.sessions):
        pointers = (entry.metadata, entry.transcript, entry.content_hash, entry.prompt, entry.context)
        folders = [path_in(pointer, checkpoint_id).partition("/")[0] for pointer in pointers]
        names = [name for name in folders if is_number(name)]
        numbers.append(int(names[0]) if names else position)
    return list(dict.fromkeys(numbers))


def path_in(pointer: str, checkpoint_id: CheckpointId) -> str:
    """Return a pointer's path in the checkpoint's folder, '' if it is empty or points elsewhere.

    Some versions of the Go CLI repeated the folder: ``/a1/b2c3d4e5f6/a1/b2c3d4e5f6/0/full.jsonl``.
    """
    prefix, rest = f"/{checkpoint_id.path}", pointer
    while rest.startswith(prefix + "/"):
        rest = rest[len(prefix) :]
    return rest[1:] if rest != pointer else ""


def is_number(name: str) -> bool:
    """Tell whether a name in a checkpoint's folder is a session's."""
    return name.isascii() and name.isdigit() and len(name) <= 6 and str(int(name)) == name


def _read_slot(objects: Objects, number: int, tree: str) -> Slot:
    files = {entry.name: entry.oid for entry in objects.tree(tree)}
    value = _json_object(objects, files.get("metadata.json"))
    record = SessionRecord.from_json(value) if value is not None else None
    return Slot(number=number, tree=tree, files=files, record=record)


def _json_object(objects: Objects, oid: str | None) -> dict[str, Any] | None:
    return parse_object(objects.small_blob(oid)) if oid else None


def parse_object(data: bytes | None) -> dict[str, Any] | None:
    """Return the JSON object in ``data``, or None. Invalid UTF-8 is replaced, as Go does."""
    try:
        value = jsontext.loads((data or b"").decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def transcript_files(files: Mapping[str, str]) -> dict[str, str]:
    """Return a transcript's files in their order, the base file first, as name to object id."""
    for base in (TRANSCRIPT, _OLD_TRANSCRIPT):
        prefix = base + "."
        numbered = {
            int(name[len(prefix) :]): name
            for name in files
            if name.startswith(prefix) and name[len(prefix) :].isascii() and name[len(prefix) :].isdigit()
        }
        names = [base] * (base in files) + [numbered[number] for number in sorted(numbered)]
        if names:
            return {name: files[name] for name in names}
    return {}


def transcript(objects: Objects, slot: Slot, join: Join | None = None) -> bytes:
    """Return a session's complete transcript in the agent's format; empty if none was stored.

    ``join``: how its agent joins several parts, if that is known. Raises MissingObjectError if git lacks a part of it.
    """
    files = transcript_files(slot.files)
    return join_parts(objects, slot, [_part(objects, slot, name, oid) for name, oid in files.items()], join)


def join_parts(objects: Objects, slot: Slot, parts: list[bytes], join: Join | None = None) -> bytes:
    """Join all parts of a slot's transcript, or those that its stored hash covers."""
    return joined(parts[: _hashed_parts(objects, slot, parts)] if len(parts) > 1 else parts, join)


def joined(parts: list[bytes], join: Join | None = None) -> bytes:
    """Join the parts of a transcript as its agent does; if that is unknown, by their form."""
    if len(parts) < 2:
        return parts[0] if parts else b""
    return join(parts) if join is not None else _join_documents(parts) or b"\n".join(parts)


def _part(objects: Objects, slot: Slot, name: str, oid: str) -> bytes:
    data = objects.blob(oid)
    if data is None:
        raise missing_part(slot, name, oid)
    return data


def missing_part(slot: Slot, name: str, oid: str) -> MissingObjectError:
    """Return the error that git lacks a part of a transcript."""
    return MissingObjectError(missing_object(place_of(slot) + name, oid), hint=REFETCH)


def missing_object(path: str, oid: str) -> str:
    """Return the message about an object that a tree names and git lacks."""
    return f"{path} is missing in git (object {oid})"


def place_of(slot: Slot) -> str:
    """Return a slot's folder with a slash at its end; '' for a session's folder in a step."""
    name = slot.record.checkpoint_id if slot.record is not None else ""
    return f"{CheckpointId(name).path}/{slot.number}/" if is_checkpoint_id(name) else ""


def _hashed_parts(objects: Objects, slot: Slot, parts: Sequence[bytes]) -> int:
    """Return how many of the parts the stored hash covers, all if it covers no number of them.

    When the Go CLI joins two histories of a slot that became shorter, it brings the later parts of the longer one back.
    """
    stored = stored_hash(objects, slot)
    digest = sha256()
    for number, part in enumerate(parts if stored else (), 1):
        digest.update(b"\n" if number > 1 else b"")
        digest.update(part)
        if "sha256:" + digest.copy().hexdigest() == stored:
            return number
    return len(parts)


def _join_documents(parts: list[bytes]) -> bytes:
    """Join documents that each hold some of the messages; for other fields the first part wins.

    Returns b"" if a part is not such a document: then the parts hold lines.
    """
    joined: dict[str, Any] = {}
    messages: list[Any] = []
    for part in parts:
        document = (parse_object(part) if b'"messages"' in part else None) or {}
        own = document.get("messages")
        if not isinstance(own, list):
            return b""
        joined = {**document, **joined}
        messages += own
    if not parts:
        return b""
    import json

    joined["messages"] = messages
    return json.dumps(joined, ensure_ascii=False, indent=2).encode("utf-8", "replace")


def prompts(objects: Objects, slot: Slot) -> list[str]:
    data = objects.small_blob(slot.files["prompt.txt"]) if "prompt.txt" in slot.files else None
    return data.decode("utf-8", "replace").split(steps.SEPARATOR) if data else []


def content_hash(data: bytes) -> str:
    """Return the content of ``content_hash.txt`` for a whole stored transcript."""
    return "sha256:" + sha256(data).hexdigest()


def stored_hash(objects: Objects, slot: Slot) -> str:
    """Return the hash that was stored with a transcript, '' if there is none."""
    oid = slot.files.get("content_hash.txt")
    return ((objects.small_blob(oid) if oid else None) or b"").decode("ascii", "replace").strip()


def tasks(objects: Objects, checkpoint: Checkpoint) -> list[Task]:
    """Return a checkpoint's subagent tasks, including those inside a slot (auto-commit)."""
    folders = [entry.oid for entry in checkpoint.entries if entry.name == "tasks" and entry.mode == _TREE]
    folders += [slot.files["tasks"] for slot in checkpoint.slots if "tasks" in slot.files]
    return [read_task(objects, entry) for folder in folders for entry in objects.tree(folder) if entry.mode == _TREE]


def read_task(objects: Objects, folder: TreeEntry) -> Task:
    """Return the task in a folder of a checkpoint's ``tasks``."""
    entries = {entry.name: entry.oid for entry in objects.tree(folder.oid)}
    value = _json_object(objects, entries.get("checkpoint.json")) or {}
    texts = {
        key: text for key in ("session_id", "agent_id", "checkpoint_uuid") if isinstance(text := value.get(key), str)
    }
    increments = objects.tree(entries["checkpoints"]) if "checkpoints" in entries else []
    return Task(
        tool_use_id=folder.name,
        transcripts={name: oid for name, oid in entries.items() if name.startswith("agent-")},
        increments={entry.name: entry.oid for entry in increments},
        **texts,
    )


class Listed:
    """A checkpoint in a list: its id is known, its metadata is loaded on first use, for the whole list at once."""

    __slots__ = ("_list", "_summary", "id", "tree")

    def __init__(self, checkpoint_id: CheckpointId, tree: str, whole: _Listing) -> None:
        self.id = checkpoint_id
        self.tree = tree
        self._list = whole
        self._summary: CheckpointSummary | None = None

    @property
    def summary(self) -> CheckpointSummary:
        """The root's metadata; mostly empty if the file is missing or broken."""
        if self._summary is None:
            value = parse_object(self._list.roots().get(self.tree))
            self._summary = CheckpointSummary.from_json({"checkpoint_id": self.id, **(value or {})})
        return self._summary

    @property
    def latest(self) -> SessionRecord | None:
        """The record of the summary's last session, or None."""
        value = parse_object(self._list.latest().get(self.tree))
        return SessionRecord.from_json(value) if value is not None else None


class _Listing:
    """Loads the metadata of many checkpoints together."""

    def __init__(self, where: str) -> None:
        self._where = where
        self.items: list[Listed] = []
        self._roots: dict[str, bytes] | None = None
        self._latest: dict[str, bytes] | None = None

    def roots(self) -> dict[str, bytes]:
        if self._roots is None:
            self._roots = self._load({item.tree: f"{item.tree}:metadata.json" for item in self.items})
        return self._roots

    def latest(self) -> dict[str, bytes]:
        if self._latest is None:
            names = {}
            for item in self.items:
                numbers = _pointed_numbers(item.summary, item.id) or [0]
                names[item.tree] = f"{item.tree}:{numbers[-1]}/metadata.json"
            self._latest = self._load(names)
        return self._latest

    def _load(self, names: dict[str, str]) -> dict[str, bytes]:
        from entire.git import bulk

        blobs = zip(names, bulk.get(self._where, list(names.values())), strict=True)
        return {tree: blob.data for tree, blob in blobs if blob is not None and blob.type == "blob"}


def list_all(where: str, at: Sequence[str] | None = None) -> list[Listed]:
    """Return the checkpoints in these commits (default: all tips), sorted by id; local ones win over remote ones."""
    listing = _Listing(where)
    wanted = list(dict.fromkeys(tips(where).values() if at is None else at))
    trees = dict(_folders(where, wanted))
    listing.items = [Listed(CheckpointId(name), trees[name], listing) for name in sorted(trees)]
    return listing.items


def _folders(where: str, wanted: list[str]) -> Iterator[tuple[str, str]]:
    """Yield checkpoint ids and their trees. Later values win, so the first tip comes last."""
    from entire.git import bulk

    shards: list[tuple[str, str]] = []
    for root in bulk.get(where, [f"{tip}^{{tree}}" for tip in reversed(wanted)]):
        shards += _subtrees(root, 2)
    for (prefix, _), shard in zip(shards, bulk.get(where, [oid for _, oid in shards]), strict=True):
        yield from ((prefix + name, oid) for name, oid in _subtrees(shard, 10))


def _subtrees(obj: Object | None, digits: int) -> list[tuple[str, str]]:
    is_tree = obj is not None and obj.type == "tree"
    return list(subtrees(obj.data, len(obj.oid) // 2, digits).items()) if obj is not None and is_tree else []


def subtrees(data: bytes, oid_size: int, digits: int) -> dict[str, str]:
    """Return the folders of a tree whose names consist of ``digits`` hex digits, and their ids."""
    return {
        name.decode("ascii"): oid.hex()
        for mode, name, oid in tree_entries(data, oid_size)
        if mode == b"40000" and len(name) == digits and _HEX.issuperset(name)
    }
