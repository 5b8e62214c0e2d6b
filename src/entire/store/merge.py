"""Joins two states of the checkpoints branch without losing data (formats.md section 10).

The result is the union of both trees, decided per checkpoint: of a session in both, the later content, with a summary
from either; the root's metadata is summed up again. It does not depend on which side is ours, and joining again changes
nothing. No common ancestor is needed: unrelated histories join the same way. If there is one, it tells which of two
summaries replaced the other.
"""

from __future__ import annotations

from entire.git import history
from entire.git.write import ImportStream
from entire.model.ids import HEX, CheckpointId
from entire.model.records import SessionFiles, SessionRecord, summarize
from entire.model.times import parse_time
from entire.model.value import replace
from entire.store import checkpoint_writer, checkpoints, lineage_file, tombstones
from entire.store.checkpoint_writer import FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from entire.git.read import Objects, TreeEntry
    from entire.model.records import Summary
    from entire.redact import Redacted
    from entire.store.checkpoint_writer import Changes
    from entire.store.checkpoints import Checkpoint, Slot

    Tips = tuple[str, str, str]  # ours, theirs, and their last common commit, '' without one
    Key = tuple[str, int]  # a session's id and the number of its slot; an unreadable slot has a key of its own

MESSAGE = b"Merge remote session logs"
_TREE = "040000"


def join(where: str, objects: Objects, ours: str, theirs: str, author: str) -> str:
    """Write a commit with both as parents and the content of both; return its id. No ref is moved."""
    stream = ImportStream(where)
    tips = (ours, theirs, history.fork_point(where, ours, theirs))
    changes = {
        path: None if entry is None else (entry[0], entry[1] if isinstance(entry[1], str) else stream.blob(entry[1]))
        for path, entry in differences(objects, tips).items()
    }
    mark = stream.commit(message=MESSAGE, author=author, parents=(ours, theirs), changes=changes)
    return stream.write()[mark]


def differences(objects: Objects, tips: Tips) -> Changes:
    """Return the changes that turn our tree into the joined one."""
    ours, theirs, _ = tips
    changes: Changes = {}
    _join_trees(objects, tips, f"{ours}^{{tree}}", f"{theirs}^{{tree}}", "", changes)
    return _without_forgotten(objects, ours, theirs, changes)


def _without_forgotten(objects: Objects, ours: str, theirs: str, changes: Changes) -> Changes:
    """Leave out, or delete, the checkpoints that one of the sides calls forgotten."""
    gone = {CheckpointId(name).path for name in tombstones.all_of(objects, ours, theirs)[0]}
    if not gone:
        return changes
    kept = {path: entry for path, entry in changes.items() if path[:13] not in gone}
    there = [path for path in gone if any(objects.oid(f"{side}:{path}") for side in (ours, theirs))]
    return {**kept, **dict.fromkeys(there)}


def _join_trees(objects: Objects, tips: Tips, our_tree: str, their_tree: str, folder: str, changes: Changes) -> None:
    mine = {entry.name: entry for entry in objects.tree(our_tree)}
    for their in objects.tree(their_tree):
        path = folder + their.name
        our = mine.get(their.name)
        if our is not None and (our.oid, our.mode) == (their.oid, their.mode):
            continue
        checkpoint_id = _checkpoint_id(path)
        if our is None:
            changes[path] = (their.mode, their.oid)
        elif checkpoint_id and our.mode == their.mode == _TREE:
            changes.update(_join_checkpoint(objects, tips, checkpoint_id))
        elif our.mode == their.mode == _TREE:
            _join_trees(objects, tips, our.oid, their.oid, path + "/", changes)
        elif _wins(their, our):
            changes[path] = (their.mode, their.oid)


def _wins(entry: TreeEntry, other: TreeEntry) -> bool:
    """Choose between two unknown files. Any rule works that is the same on both sides; folders win over files."""
    return (entry.mode == _TREE, entry.oid, entry.mode) > (other.mode == _TREE, other.oid, other.mode)


def _checkpoint_id(path: str) -> CheckpointId | None:
    if len(path) == 13 and path[2] == "/" and HEX.issuperset(path[:2] + path[3:]):
        return CheckpointId(path[:2] + path[3:])
    return None


def _join_checkpoint(objects: Objects, tips: Tips, checkpoint_id: CheckpointId) -> Changes:
    """Return the changes for a checkpoint that differs between the sides."""
    *versions, base = [checkpoints.read_at(objects, tip, checkpoint_id) for tip in tips]
    sides = [side for side in versions if side is not None]
    root = checkpoint_id.path
    changes: Changes = {}
    _join_others(objects, sides, root, changes)
    gone = tombstones.all_of(objects, *tips[:2])[1]
    slots = [_by_session(side, gone) for side in sides]
    winners = {key: _winner(objects, [side[key] for side in slots if key in side]) for key in {**slots[0], **slots[1]}}
    borrowed = _borrow_summaries(slots, winners, _summaries(base))
    wanted = {key: slot.tree for key, slot in winners.items()}
    complete = [
        side
        for side, own in zip(sides, slots, strict=True)
        if {key: slot.tree for key, slot in own.items()} == wanted and not borrowed
    ]
    if complete:
        return {**changes, **_take_side(sides[0], complete, root)}
    return {**changes, **_compose(sides, winners, borrowed, root)}


def _join_others(objects: Objects, sides: list[Checkpoint], root: str, changes: Changes) -> None:
    """Join what is beside the slots: tasks, and files of other tools."""
    ours, theirs = ({entry.name: entry for entry in side.entries if not _is_slot(entry)} for side in sides)
    for name, their in theirs.items():
        our = ours.get(name)
        if name == "metadata.json" or (our is not None and (our.oid, our.mode) == (their.oid, their.mode)):
            continue
        if our is not None and our.mode == their.mode == _TREE:
            _join_trees(objects, ("", "", ""), our.oid, their.oid, f"{root}/{name}/", changes)
        elif our is not None and name == lineage_file.NAME and (joined := _join_lineage(objects, our, their)):
            changes[f"{root}/{name}"] = (FILE, joined)
        elif our is None or _wins(their, our):
            changes[f"{root}/{name}"] = (their.mode, their.oid)


def _join_lineage(objects: Objects, our: TreeEntry, their: TreeEntry) -> Redacted | None:
    """Return the record with the commits of both sides; None if this version cannot read one of them."""
    records = [lineage_file.parse(objects.blob(entry.oid)) for entry in (our, their)]
    ours, theirs = records
    return lineage_file.dumps(lineage_file.join(ours, theirs)) if ours is not None and theirs is not None else None


def _is_slot(entry: TreeEntry) -> bool:
    return entry.mode == _TREE and entry.name.isascii() and entry.name.isdigit()


def _by_session(side: Checkpoint, gone: frozenset[str]) -> dict[Key, Slot]:
    out: dict[Key, Slot] = {}
    for slot in side.slots:
        if slot.session_id in gone:
            continue
        key = (slot.session_id or f"\0{slot.tree}", 0)
        while key in out:
            key = (key[0], key[1] + 1)
        out[key] = slot
    return out


def _winner(objects: Objects, candidates: list[Slot]) -> Slot:
    """Return the later content of a session: a transcript only grows, and is complete once finalised."""
    if len(candidates) == 1 or candidates[0].tree == candidates[1].tree:
        return candidates[0]

    def key(slot: Slot) -> tuple[int, float, bool, int, str]:
        size = sum(map(objects.size, checkpoints.transcript_files(slot.files).values()))
        record = slot.record
        if record is None:
            return (size, 0.0, False, 0, slot.tree)
        time = parse_time(record.created_at)
        return (size, time, record.summary is not None, record.checkpoints_count, slot.tree)

    return max(candidates, key=key)


def _summaries(base: Checkpoint | None) -> dict[str, Summary | None]:
    """Return the sessions' summaries before the sides went apart."""
    return {record.session_id: record.summary for record in base.records} if base is not None else {}


def _borrow_summaries(
    slots: list[dict[Key, Slot]], winners: dict[Key, Slot], known: Mapping[str, Summary | None]
) -> dict[Key, SessionRecord]:
    """Return records with the earlier content's summary, where the later content has none, or only the old one."""
    borrowed: dict[Key, SessionRecord] = {}
    for key, winner in winners.items():
        record, old = winner.record, known.get(winner.session_id)
        given = [side[key].record for side in slots if key in side]
        summaries = [other.summary for other in given if other is not None and other.summary is not None]
        if record is not None and record.summary in (None, old):
            wanted = [summary for summary in summaries if summary != old] or summaries
            if wanted and wanted[0] != record.summary:
                borrowed[key] = replace(record, summary=wanted[0])
    return borrowed


def _take_side(ours: Checkpoint, complete: list[Checkpoint], root: str) -> Changes:
    """Take over a side that has everything the other has: its slots and root metadata stay byte for byte."""
    best = max(complete, key=lambda side: ([(slot.number, slot.tree) for slot in side.slots], _root_oid(side)))
    changes: Changes = {}
    if best is ours:
        return changes
    for entry in ours.entries:
        if _is_slot(entry):
            changes[f"{root}/{entry.name}"] = None
    for entry in best.entries:
        if _is_slot(entry) or entry.name == "metadata.json":
            changes[f"{root}/{entry.name}"] = (entry.mode, entry.oid)
    return changes


def _root_oid(side: Checkpoint) -> str:
    return next((entry.oid for entry in side.entries if entry.name == "metadata.json"), "")


def _compose(
    sides: list[Checkpoint], winners: dict[Key, Slot], borrowed: dict[Key, SessionRecord], root: str
) -> Changes:
    """Put the winners side by side in order of time, and sum up their metadata."""
    changes: Changes = {f"{root}/{entry.name}": None for entry in sides[0].entries if _is_slot(entry)}
    records: list[SessionRecord] = []
    pointers: list[SessionFiles] = []
    for number, key in enumerate(sorted(winners, key=lambda key: _order(key, winners[key]))):
        slot = winners[key]
        record = borrowed.get(key) or checkpoint_writer.record_of(slot, sides[0].id)
        changes[f"{root}/{number}"] = (_TREE, slot.tree)
        if record is not slot.record:
            changes[f"{root}/{number}/metadata.json"] = (FILE, checkpoint_writer.metadata(record))
        records.append(record)
        pointers.append(checkpoint_writer.pointers_of(slot, f"/{root}/{number}/"))
    extra = {**min(sides, key=_root_oid).summary.extra, **max(sides, key=_root_oid).summary.extra}
    changes[f"{root}/metadata.json"] = (FILE, checkpoint_writer.metadata(summarize(records, pointers, extra)))
    return changes


def _order(key: Key, slot: Slot) -> tuple[float, Key]:
    return (parse_time(slot.record.created_at) if slot.record is not None else 0.0, key)
